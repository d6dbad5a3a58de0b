/**
 * Asks the service for the restoration of one analysis, in an order that loses nothing: its entries are durable before the service is
 * asked, so that neither a crash nor a lost answer can leave a restoration that is paid for and forgotten, and its estimate is durable
 * before the user sees it (faults S6, T18, T19).
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import type { ChangeError, TrackingError } from "../Errors.ts"
import { listedOf } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import { remember, type Tracked } from "./StoredRequests.ts"
import { keyOf, optionsKeyOf, requesting, type TrackingEntry } from "./TrackingEntry.ts"
import { entriesOf, type ServiceAddress, TrackingFile, type Turn } from "./TrackingFile.ts"
import { mayBeUnderWay, type Restoration } from "./Waiting.ts"

/** The requests that were in the restoration file when a run decided to ask: others were made by other runs since. */
export type Known = ReadonlySet<string>

export const knownIn = (entries: Iterable<TrackingEntry>): Known => new Set(Array.from(entries, requestOf))

/** With its status: one that another run was still making has been answered since. */
const requestOf = ({ analysisId, requestTime, status }: TrackingEntry) =>
  JSON.stringify([analysisId, requestTime, status])

/** Why there is no estimate: the service said no, or its answer got lost, or it cannot have been asked. */
type NoAnswer = "Refused" | "Lost" | "Unasked"

const noAnswerOf = (error: ChangeError | TrackingError): NoAnswer => {
  if ("mayHaveTakenEffect" in error && error.mayHaveTakenEffect) return "Lost"
  return "mayHaveTakenEffect" in error && error.scope !== "run" ? "Refused" : "Unasked"
}

interface Asking<L> {
  readonly known: Known
  /** For entries that were asked for before; absent for a first request. */
  readonly again?: {
    /** Why they are not asked for now, by what the file says of them; null when they are. */
    readonly left: (current: ReadonlyArray<TrackingEntry>) => Effect.Effect<L | null>
    /** Run when the service is about to be asked: from here on the request is one of this run. */
    readonly begins: Effect.Effect<void>
  }
  readonly failed: (
    why: NoAnswer,
    requestTime: string
  ) => Effect.Effect<void, TrackingError, ServiceClient | TrackingFile>
}

/**
 * Asks the service for one analysis. Its entries say so before, so that no request is forgotten, and have the estimate when it returns.
 * Runs that share the restoration file do so in turn: what another one has asked for meanwhile is not paid for twice.
 *
 * @param how - `failed`: what becomes of the entries when there is no estimate, with the time (ISO 8601) that they have as that of the
 *   request
 */
export const requestDurably = Effect.fnUntraced(function* <L = never>(
  analysisId: AnalysisId,
  files: ReadonlyArray<Tracked>,
  service: ServiceAddress,
  how: Asking<L>
): Effect.fn.Return<Restoration | L, ChangeError | TrackingError, ServiceClient | TrackingFile> {
  const { inTurn } = yield* TrackingFile
  const unmade = new Set<string | null>()
  return yield* Effect.repeat(
    inTurn((turn) => requestInTurn(turn, analysisId, files, service, how, unmade)),
    { until: (outcome) => outcome !== null }
  )
})

/**
 * Null when the turn was lost before the service was asked: what another run has done meanwhile is to be seen first.
 *
 * @param unmade - the times of requests that were written in lost turns and not made, which are no requests of another run; grows
 */
const requestInTurn = Effect.fnUntraced(function* <L>(
  { document, stillOurs }: Turn,
  analysisId: AnalysisId,
  files: ReadonlyArray<Tracked>,
  service: ServiceAddress,
  how: Asking<L>,
  unmade: Set<string | null>
): Effect.fn.Return<Restoration | L | null, ChangeError | TrackingError, ServiceClient | TrackingFile> {
  const requestTime = DateTime.formatIso(yield* DateTime.now)
  const follow = Effect.fnUntraced(function* (estimate: string | null, requestedAt: string | null, by: string) {
    yield* remember(files, service, { restoreEstimation: estimate, requestTime: requestedAt, status: "pending" })
    yield* sayRequested(analysisId, estimate, by)
    return { requestedAt, estimate }
  })

  const stored = [...entriesOf(document, service.target, service.nameOf)].filter(
    ([, { requestTime, status, ...entry }]) =>
      entry.analysisId === analysisId && !(status === requesting && unmade.has(requestTime))
  )
  const entries = stored.map(([, entry]) => entry)
  const now = yield* Clock.currentTimeMillis
  const other = entries.find((entry) => !how.known.has(requestOf(entry)) && mayBeUnderWay(entry, now))
  if (other !== undefined) {
    return yield* follow(other.restoreEstimation, other.requestTime, "requested by another run meanwhile")
  }
  // Its run was killed or got no answer, and that may have been after the service took the request and this run listed the files.
  const begun = entries.find(({ status }) => status === requesting)
  if (begun !== undefined) {
    const seen = yield* lookFor(analysisId, files)
    if (seen !== null) return yield* follow(seen.estimate, begun.requestTime ?? requestTime, "requested before")
  }
  if (how.again !== undefined) {
    const keys = new Set(files.map((file) => keyOfFile(file, service)))
    const left = yield* how.again.left(stored.flatMap(([key, entry]) => (keys.has(key) ? [entry] : [])))
    if (left !== null) return left
  }

  const asked = { requestTime, ...(how.again === undefined ? {} : { askedAgain: requestTime }) }
  if (!(yield* stillOurs)) return null
  unmade.add(requestTime)
  yield* remember(files, service, { restoreEstimation: null, status: requesting, ...asked })
  const answer = yield* Effect.gen(function* () {
    if (!(yield* stillOurs)) return null
    yield* how.again?.begins ?? Effect.void
    return { estimate: yield* askFor(analysisId, files) }
  }).pipe(Effect.tapError((error) => how.failed(noAnswerOf(error), requestTime)))
  if (answer === null) return null
  yield* remember(files, service, { restoreEstimation: answer.estimate, status: "pending", ...asked })
  yield* sayRequested(analysisId, answer.estimate)
  return { requestedAt: requestTime, ...answer }
})

const keyOfFile = ({ analysisId, fileName, options }: Tracked, { target }: ServiceAddress) =>
  keyOf(target, { analysisId, fileName, optionsKey: optionsKeyOf(options) })

/** Says what the service answered; the estimate is in the file by then. */
const sayRequested = (analysisId: string, estimate: string | null, how = "requested") => {
  const expected = estimate === null ? "at a time the service does not tell" : `at ${estimate}`
  return Effect.logInfo(printable(`Restoration of analysis ${analysisId} ${how}, expected ${expected}`))
}

/**
 * Asks the service for an analysis; gives its estimate. After a "no" or a lost answer it looks: the restoration may be
 * under way all the same.
 */
const askFor = Effect.fn("svc.archive.askFor")(function* (
  analysisId: AnalysisId,
  files: ReadonlyArray<Tracked>
): Effect.fn.Return<string | null, ChangeError, ServiceClient> {
  const client = yield* ServiceClient
  const answered = Effect.map(client.requestRestore([analysisId]), (items) => {
    // One request asks for one analysis; an item of another one tells nothing of this.
    const item = items.find((item) => (item.analysisId ?? analysisId) === analysisId)
    return item?.restoreEstimation ?? null
  })
  return yield* Effect.catch(
    answered,
    Effect.fnUntraced(function* (error) {
      if (error.scope === "run") return yield* error
      const seen = yield* Effect.orElseSucceed(lookFor(analysisId, files), () => null)
      return seen === null ? yield* error : seen.estimate
    })
  )
})

/** The estimate that the listing tells, null where the files are back already; null without any sign of a restoration. */
const lookFor = Effect.fnUntraced(function* (analysisId: AnalysisId, files: ReadonlyArray<Tracked>) {
  const client = yield* ServiceClient
  const listing = yield* client.getFileDownloadLinks(analysisId)
  const { files: listed } = listedOf({ analysisId, named: false }, listing)
  const ours = listed.filter(({ fileName }) => files.some((file) => file.fileName === fileName))
  const estimates = ours.flatMap(({ estimatedRestoreTime }) => estimatedRestoreTime ?? [])
  if (estimates[0] !== undefined) return { estimate: estimates[0] }
  return ours.length > 0 && ours.every(({ archived }) => !archived) ? { estimate: null } : null
})
