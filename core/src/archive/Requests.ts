/** Carries out the policy: asks the person, has the service asked, and says what became of each file. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { ServiceClient } from "../client/ServiceClient.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import {
  AdviceOf,
  type ChangeError,
  ending,
  type FailureScope,
  FileArchived,
  type TrackingError,
  type TrackingReadError
} from "../Errors.ts"
import { Operator } from "../settings/Operator.ts"
import { logFailure } from "../telemetry/FailureLog.ts"
import { printable } from "../text/Printable.ts"
import { counted, humanSize } from "../text/Quantity.ts"
import { type Known, knownIn, requestDurably } from "./Asking.ts"
import {
  type Answers,
  type ArchivedFile,
  decide,
  foresee,
  questions,
  type RestoreDecision,
  type RestoreMode,
  type RestorePolicy,
  type RestoreQuestion
} from "./Policy.ts"
import { remember } from "./StoredRequests.ts"
import { keyOf, type NewEntry, optionsKeyOf, requesting } from "./TrackingEntry.ts"
import { empty, entriesOf, type Item, type ServiceAddress, TrackingFile, without } from "./TrackingFile.ts"
import { mayBeUnderWay, type Restoration } from "./Waiting.ts"

/** A file found archived, as the listing has it. */
export interface Candidate extends Omit<ArchivedFile, "tracked"> {
  /** The options of its download. */
  readonly options: NewEntry["options"]
}

/** What happens with archived files, and of which service they are. */
export interface RestoreRequest extends ServiceAddress, RestorePolicy {
  /** An archived file that is left there is a failure. */
  readonly requireAll?: boolean
}

/** What became of a candidate. */
export type RestoreResult =
  | { readonly _tag: "Pending"; readonly estimate: string | null; readonly requestedAt: string | null }
  | { readonly _tag: "Left"; readonly reason: string }
  | { readonly _tag: "Failed"; readonly error: ChangeError | TrackingError | FileArchived }

type RestorationServices = ServiceClient | TrackingFile | Operator

/** The result for each candidate, in order. */
export const restore = Effect.fn("svc.archive.restore")(function* (
  candidates: ReadonlyArray<Candidate>,
  request: RestoreRequest
): Effect.fn.Return<ReadonlyArray<RestoreResult>, never, RestorationServices> {
  const read = yield* Effect.result(withEntries(candidates, request))
  if (read._tag === "Failure") {
    yield* logFailure(read.failure)
    return candidates.map(() => ({ _tag: "Failed", error: read.failure }))
  }
  const { files, known } = read.success
  const decided = decide(request.mode, files, yield* askAbout(request.mode, files), request.maxRestores)
  const results = new Map<File, RestoreResult>()
  for (const { decision, file } of decided) {
    if (decision._tag === "Leave" && request.requireAll === true) {
      const error = leftError(file, decision.reason)
      yield* logFailure(error)
      results.set(file, { _tag: "Failed", error })
      continue
    }
    yield* say(file, decision)
    if (decision._tag === "Leave") results.set(file, { _tag: "Left", reason: decision.reason })
    if (decision._tag === "Wait") results.set(file, { _tag: "Pending", ...restorationOf(file) })
  }
  const settle = (
    tag: "Request" | "Follow",
    begin: (
      analysisId: AnalysisId,
      files: ReadonlyArray<File>
    ) => Effect.Effect<Restoration, ChangeError | TrackingError, RestorationServices>
  ) =>
    perAnalysis(
      decided.flatMap(({ decision, file }) => (decision._tag === tag ? [file] : [])),
      (analysisId, files) =>
        Effect.map(begin(analysisId, files), (found): RestoreResult => ({ _tag: "Pending", ...found })),
      (error, files) => logFailure(error, (sentence) => `Restoration of ${namesOf(files)}: ${sentence}`)
    )
  const asked = yield* settle("Request", (analysisId, files) => requestRestoration(analysisId, files, request, known))
  // Then: what is remembered of these is not taken for a request of another run.
  const followed = yield* settle("Follow", (_, files) => rememberUnderWay(files, request))
  return files.flatMap((file) => results.get(file) ?? asked.get(file) ?? followed.get(file) ?? [])
})

/** Asks for `files`, once for each analysis; a failure stops no other analysis, unless all would fail the same way. */
export const perAnalysis = Effect.fnUntraced(function* <
  F extends { readonly analysisId: AnalysisId },
  A,
  E extends { readonly scope: FailureScope },
  R
>(
  files: ReadonlyArray<F>,
  ask: (analysisId: AnalysisId, files: ReadonlyArray<F>) => Effect.Effect<A, E, R>,
  failed: (error: E, files: ReadonlyArray<F>) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<ReadonlyMap<F, A | { readonly _tag: "Failed"; readonly error: E }>, never, R> {
  const results = new Map<F, A | { readonly _tag: "Failed"; readonly error: E }>()
  let gaveUp: E | null = null
  for (const [analysisId, group] of Map.groupBy(files, (file) => file.analysisId)) {
    const outcome = yield* Effect.catch(gaveUp === null ? ask(analysisId, group) : Effect.fail(gaveUp), (error) => {
      if (error.scope === "run") gaveUp = error
      return Effect.as(failed(error, group), { _tag: "Failed", error } as const)
    })
    for (const file of group) results.set(file, outcome)
  }
  return results
})

/** What `restore` would do with a candidate, and what is known of its restoration already. */
export type RestoreForecast =
  | { readonly decision: RestoreDecision | RestoreQuestion; readonly restoration: Restoration }
  | { readonly error: TrackingReadError | FileArchived }

/** The forecast of each candidate, in order. Nobody is asked, and nothing is written. */
export const foreseeRestore = Effect.fn("svc.archive.foreseeRestore")(function* (
  candidates: ReadonlyArray<Candidate>,
  request: RestoreRequest
): Effect.fn.Return<ReadonlyArray<RestoreForecast>, never, TrackingFile | Operator> {
  const { present } = yield* Operator
  return yield* Effect.match(withEntries(candidates, request), {
    onFailure: (error): ReadonlyArray<RestoreForecast> => candidates.map(() => ({ error })),
    onSuccess: ({ files }) =>
      foresee(request.mode, files, present, request.maxRestores).map(({ decision, file }) =>
        decision._tag === "Leave" && request.requireAll === true
          ? { error: leftError(file, decision.reason) }
          : { decision, restoration: restorationOf(file) }
      )
  })
})

/** That a file is left in the archive for this reason, as a failure. */
export const leftError = (file: Pick<ArchivedFile, "analysisId" | "archivedName" | "fileName">, why: string) =>
  new FileArchived({ file: printable(shownName(file)), analysisId: file.analysisId, why })

const shownName = ({ archivedName, fileName }: Pick<ArchivedFile, "archivedName" | "fileName">): string =>
  archivedName === undefined ? fileName : `${archivedName}, the index of ${fileName}`

type File = Candidate & ArchivedFile

/** The candidates with what the restoration file says of them, and the requests in it. */
const withEntries = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, request: RestoreRequest) {
  const { read } = yield* TrackingFile
  // A run that restores nothing does not need the file to be readable.
  const document = yield* request.mode === "no" ? Effect.orElseSucceed(read, () => empty) : read
  const entries = entriesOf(document, request.target, request.nameOf)
  const now = yield* Clock.currentTimeMillis
  const files = candidates.map((candidate) => ({
    ...candidate,
    tracked: trackedBy(entries, candidate, request, now)
  }))
  return { files, known: knownIn(entries.values()) }
})

/** The entry of exactly this request, while its restoration may be under way. */
const trackedBy = (
  entries: ReturnType<typeof entriesOf>,
  { analysisId, estimatedRestoreTime, fileName, options }: Candidate,
  { target }: RestoreRequest,
  now: number
): ArchivedFile["tracked"] => {
  const entry = entries.get(keyOf(target, { analysisId, fileName, optionsKey: optionsKeyOf(options) }))
  if (entry === undefined) return null
  const confirmed = estimatedRestoreTime !== null && entry.status !== requesting
  return confirmed || mayBeUnderWay(entry, now)
    ? { restoreEstimation: entry.restoreEstimation, requestTime: entry.requestTime }
    : null
}

const restorationOf = (file: ArchivedFile): Restoration => ({
  requestedAt: file.tracked?.requestTime ?? null,
  estimate: estimateOf(file)
})

const estimateOf = (file: ArchivedFile) => file.estimatedRestoreTime ?? file.tracked?.restoreEstimation ?? null

/** Every decision with its reason (docs/dev/service.md 4.2). */
const say = (file: File, decision: RestoreDecision): Effect.Effect<void> => {
  const { _tag, reason } = decision
  const name = printable(`${shownName(file)} (analysis ${file.analysisId})`)
  const estimate = estimateOf(file)
  const expected = estimate === null ? "" : `; expected at ${printable(estimate)}`
  switch (_tag) {
    case "Request":
      return Effect.logInfo(`${name}: archived, asking for its restoration: ${reason}`)
    case "Follow":
      return Effect.logInfo(`${name}: archived, remembered: ${reason}${expected}`)
    case "Wait":
      return Effect.logInfo(`${name}: archived, its restoration is pending: ${reason}${expected}`)
    case "Leave": {
      const running = file.estimatedRestoreTime === null ? "" : `; a restoration is under way${expected}`
      return Effect.flatMap(AdviceOf, (adviceOf) =>
        Effect.logWarning(`${name}: archived, skipped: ${ending(reason, adviceOf(decision))}${running}`)
      )
    }
  }
}

const namesOf = (files: ReadonlyArray<File>) =>
  printable(`${files.map(({ fileName }) => fileName).join(", ")} (analysis ${files[0]?.analysisId})`)

/** A restoration that is under way is only remembered. */
const rememberUnderWay = Effect.fnUntraced(function* (files: ReadonlyArray<File>, request: RestoreRequest) {
  const requestTime = DateTime.formatIso(yield* DateTime.now)
  const restoreEstimation = files[0]?.estimatedRestoreTime ?? null
  yield* remember(files, request, { restoreEstimation, requestTime, status: "pending" })
  return { requestedAt: requestTime, estimate: restoreEstimation }
})

/** Asks for the restoration of one analysis that nobody asked for before. */
const requestRestoration = (
  analysisId: AnalysisId,
  files: ReadonlyArray<File>,
  request: RestoreRequest,
  known: Known
) =>
  requestDurably(analysisId, files, request, {
    known,
    failed: (why) => (why === "Refused" ? forget(files, request) : Effect.void)
  })

/** A clear no is not remembered; without an answer the entry stays, and the next run asks again. */
const forget = Effect.fnUntraced(function* (files: ReadonlyArray<File>, request: RestoreRequest) {
  const keys = new Set(files.map((file) => keyOf(request.target, { ...file, optionsKey: optionsKeyOf(file.options) })))
  const tracking = yield* TrackingFile
  const isOurs = ({ entry }: Item) =>
    entry?.status === requesting && keys.has(keyOf(request.nameOf(entry.target), entry))
  yield* tracking.change((document) => without(document, isOurs))
})

/** Asks the questions of the mode; without a terminal nobody is asked. */
const askAbout = Effect.fnUntraced(function* <F extends ArchivedFile>(
  mode: RestoreMode,
  files: ReadonlyArray<F>
): Effect.fn.Return<Answers<F>, never, Operator> {
  const operator = yield* Operator
  const wanted = questions(mode, operator.present, files)
  const yes = new Set<F>()
  if (wanted._tag === "Each") {
    for (const file of wanted.files) if (yield* operator.confirm(questionFor(file))) yes.add(file)
  }
  if (wanted._tag === "Once" && (yield* operator.confirm(questionForAll(wanted.files)))) {
    for (const file of wanted.files) yes.add(file)
  }
  return { present: operator.present, yes }
})

const questionFor = (file: ArchivedFile): string => {
  const { analysisId, estimatedRestoreTime, size } = file
  const how = size === null ? "of unknown size" : humanSize(size)
  const what = `${shownName(file)} (analysis ${analysisId}, ${how})`
  return estimatedRestoreTime === null
    ? `${what} is archived. Restore it? That takes hours and may cost money.`
    : `${what} is archived and being restored already. Download it when it is back?`
}

const questionForAll = (files: ReadonlyArray<ArchivedFile>): string => {
  const unknown = files.filter(({ size }) => size === null).length
  const bytes = humanSize(files.reduce((sum, { size }) => sum + (size ?? 0), 0))
  const size =
    unknown === 0 ? bytes : unknown === files.length ? "of unknown size" : `${bytes} and ${unknown} of unknown size`
  const analyses = new Set(files.map(({ analysisId }) => analysisId)).size
  const [them, each] = [counted(files.length, "archived file"), counted(analyses, "analysis", "analyses")]
  return `Restore ${them} of ${each}, ${size}? That takes hours and may cost money.`
}
