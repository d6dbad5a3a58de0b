/**
 * What is known of a run at any moment, in the order of its plan, so that the report of a run that was stopped names
 * every file as well.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { PlannedFile } from "./DownloadPlan.ts"
import { identity } from "./FetchFile.ts"
import { type FileResult, failureResult, stopped, type Throughput, untransferredResult } from "./FileResult.ts"
import type { RestorationStatus } from "./RestorationStatus.ts"
import type { Look } from "./ResumeMemory.ts"
import type { Awaited, RunObserver } from "./RunObserver.ts"
import { makeTraffic } from "./Traffic.ts"

/** An observer that keeps everything it receives. */
export interface RunRecord extends Omit<Required<RunObserver>, "begin"> {
  /** When the run began. */
  readonly startedAt: Date
  /** How long ago that was, by the clock that `throughput` counts with. */
  readonly milliseconds: Effect.Effect<number>
  /** What became of stored requests so far; replaces what was said of them before, and of files that waited for them. */
  readonly resumed: (look: Look) => Effect.Effect<void>
  readonly results: Effect.Effect<ReadonlyArray<FileResult>>
  readonly awaited: Effect.Effect<ReadonlyArray<Awaited>>
  readonly throughput: Effect.Effect<Throughput>
}

export const makeRunRecord: Effect.Effect<RunRecord> = Effect.gen(function* () {
  // Changed in place: with thousands of files a copy for each would be most of the work.
  const failures: Array<FileResult> = []
  const files = new Map<PlannedFile, FileResult | Unfinished>()
  // Transfers of stored requests, which no plan of this record names.
  const begunStored = new Map<string, Begun>()
  const traffic = makeTraffic<PlannedFile>()
  const startedAt = DateTime.toDate(yield* DateTime.now)
  const startedNanos = yield* Clock.monotonicTimeNanos
  const milliseconds = Effect.map(Clock.monotonicTimeNanos, (now) => Number(now - startedNanos) / 1e6)
  let stored: ReadonlyArray<FileResult> = []
  let awaited: ReadonlyArray<Awaited> = []
  return {
    startedAt,
    milliseconds,
    failed: ({ analysisId, error, reason = null }) =>
      Effect.sync(() => void failures.push(failureResult(analysisId, error, reason))),
    planned: (planned, destination) =>
      Effect.sync(() => {
        const unfinished = { destination, startedAt: null }
        for (const file of planned) files.set(file, unfinished)
      }),
    progress: Effect.fnUntraced(function* (file, event) {
      traffic.note(file, event, yield* milliseconds)
      if (event._tag !== "Started") return
      const known = files.get(file)
      if (known === undefined) return void begunStored.set(keyOfFile(file), file)
      if (known.startedAt !== null) return
      files.set(file, { ...known, startedAt: DateTime.toDate(yield* DateTime.now) })
    }),
    finished: (file, result) =>
      Effect.sync(() => {
        traffic.forget(file)
        files.set(file, result)
      }),
    resumed: (look) =>
      Effect.sync(() => {
        stored = resultsOf(look)
        awaited = awaitedIn(look)
      }),
    awaiting: (restorations) =>
      Effect.sync(() => {
        awaited = restorations
      }),
    results: Effect.sync(() => [
      ...failures,
      ...afterWaiting(Array.from(files, resultOf), stored.map(begunIn(begunStored)))
    ]),
    awaited: Effect.sync(() => awaited),
    throughput: Effect.sync(traffic.throughput)
  }
})

/** One name for a file, in a plan and in the restoration file. */
export const keyOfFile = ({ analysisId, fileName }: Pick<FileResult, "analysisId" | "fileName">): string =>
  JSON.stringify([analysisId, fileName])

/** A file that was left pending has the result of its request; one that was fetched before keeps its own. */
const afterWaiting = (planned: ReadonlyArray<FileResult>, stored: ReadonlyArray<FileResult>) => {
  if (stored.length === 0) return planned
  const waited = new Set(stored.map(keyOfFile))
  const known = planned.filter((result) => result.reason !== "pending" || !waited.has(keyOfFile(result)))
  const settled = new Set(known.map(keyOfFile))
  return [...known, ...stored.filter((result) => !settled.has(keyOfFile(result)))]
}

/** A planned file until it has a result; all that have not started share one. */
interface Unfinished {
  readonly destination: string
  readonly startedAt: Date | null
}

type Begun = Pick<PlannedFile, "slice">

const errorOfStop = ({ slice }: Begun) => (slice === null ? stopped.resumes : stopped.restarts)

/** A stored request does not know which of its unfinished files had begun. */
const begunIn =
  (begun: ReadonlyMap<string, Begun>) =>
  (result: FileResult): FileResult => {
    const file = result.error === stopped.begins ? begun.get(keyOfFile(result)) : undefined
    return file === undefined ? result : { ...result, error: errorOfStop(file) }
  }

/** An unfinished file has failed as stopped. */
const resultOf = ([file, known]: readonly [PlannedFile, FileResult | Unfinished]): FileResult => {
  if ("action" in known) return known
  const { startedAt } = known
  const error = startedAt === null ? stopped.begins : errorOfStop(file)
  return { ...untransferredResult(identity(file, known), { action: "failed", reason: null, error }), startedAt }
}

const resultsOf = ({ statuses, unusable }: Look): ReadonlyArray<FileResult> => [
  ...withoutRepeats(statuses.flatMap(({ results }) => results)),
  ...statuses.flatMap(entryFailure),
  ...unusable.map((error) => failureResult(null, error))
]

/** The files of a request are there, but its entry could not be taken out of the restoration file (fault T20). */
const entryFailure = ({ entry, results, state }: RestorationStatus): ReadonlyArray<FileResult> =>
  state._tag === "Failed" && results.every(({ error }) => error === null)
    ? [failureResult(entry.analysisId, state.error)]
    : []

/** The requests of a look that something is still awaited of. */
export const awaitedIn = ({ statuses }: Look): ReadonlyArray<Awaited> =>
  statuses.flatMap(({ state }) => (state._tag === "Requested" ? [state] : []))

/** An index with an entry of its own came with its data file: both entries have its result, which counts once. */
const withoutRepeats = (results: ReadonlyArray<FileResult>): ReadonlyArray<FileResult> => {
  const keyOf = ({ action, path, reason, startedAt }: FileResult) =>
    path === null ? null : JSON.stringify([path, action, reason, startedAt])
  return [...new Map(results.map((result) => [keyOf(result) ?? result, result])).values()]
}
