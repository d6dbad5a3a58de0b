/**
 * What is known of a run at any moment, in the order of its plan, so that the report of a run that was stopped names
 * every file as well.
 */
import { Clock, DateTime, Effect } from "effect"
import type { TransferProgress } from "../transfer/TransferRequest.ts"
import type { PlanFailure, PlannedFile } from "./DownloadPlan.ts"
import { identity } from "./DownloadRun.ts"
import { type FileResult, stopped, type Throughput, untouched } from "./Outcome.ts"
import { makeTraffic } from "./Traffic.ts"

/** A restoration that was asked for. */
export interface Awaited {
  /** As written; null when nobody knows. */
  readonly estimate: string | null
  /** As far as the service tells. */
  readonly underWay: boolean
}

export interface RunRecord {
  /** A selection or analysis that failed as a whole. */
  readonly failed: (failure: PlanFailure) => Effect.Effect<void>
  /** The files the run is about; each counts as stopped until it has a result. */
  readonly planned: (files: ReadonlyArray<PlannedFile>, destination: string) => Effect.Effect<void>
  readonly progress: (file: PlannedFile, event: TransferProgress) => Effect.Effect<void>
  readonly finished: (file: PlannedFile, result: FileResult) => Effect.Effect<void>
  /** What became of stored requests so far; replaces what was said of them before, and of files that waited for them. */
  readonly resumed: (results: ReadonlyArray<FileResult>) => Effect.Effect<void>
  /** The restorations that are awaited now; replaces those before. */
  readonly awaiting: (restorations: ReadonlyArray<Awaited>) => Effect.Effect<void>
  readonly results: Effect.Effect<ReadonlyArray<FileResult>>
  readonly awaited: Effect.Effect<ReadonlyArray<Awaited>>
  readonly throughput: Effect.Effect<Throughput>
}

export const makeRunRecord: Effect.Effect<RunRecord> = Effect.gen(function* () {
  // Changed in place: with thousands of files a copy for each would be most of the work.
  const failures: Array<FileResult> = []
  const files = new Map<PlannedFile, FileResult>()
  const traffic = makeTraffic<PlannedFile>()
  const begun = yield* Clock.monotonicTimeNanos
  let stored: ReadonlyArray<FileResult> = []
  let awaited: ReadonlyArray<Awaited> = []
  return {
    failed: ({ analysisId, error }) => Effect.sync(() => void failures.push(wholeFailed(analysisId, error))),
    planned: (planned, destination) =>
      Effect.sync(() => {
        for (const file of planned) files.set(file, unfinished(file, destination))
      }),
    progress: Effect.fnUntraced(function* (file, event) {
      traffic.note(file, event, Number(((yield* Clock.monotonicTimeNanos) - begun) / 1_000_000n))
      const known = files.get(file)
      if (event._tag !== "Started" || known === undefined || known.startedAt !== null) return
      files.set(file, { ...known, startedAt: DateTime.toDate(yield* DateTime.now) })
    }),
    finished: (file, result) => Effect.sync(() => void files.set(file, result)),
    resumed: (results) =>
      Effect.sync(() => {
        stored = results
      }),
    awaiting: (restorations) =>
      Effect.sync(() => {
        awaited = restorations
      }),
    results: Effect.sync(() => [...failures, ...afterWaiting([...files.values()], stored)]),
    awaited: Effect.sync(() => awaited),
    throughput: Effect.sync(traffic.throughput)
  }
})

/** One name for a file, in a plan and in the restoration file. */
export const keyOfFile = ({ analysisId, fileName }: Pick<FileResult, "analysisId" | "fileName">): string =>
  JSON.stringify([analysisId, fileName])

/** A file that was left pending has the result of its request; one that was fetched before keeps its own. */
const afterWaiting = (planned: ReadonlyArray<FileResult>, stored: ReadonlyArray<FileResult>) => {
  const waited = new Set(stored.map(keyOfFile))
  const known = planned.filter((result) => result.reason !== "pending" || !waited.has(keyOfFile(result)))
  const settled = new Set(known.map(keyOfFile))
  return [...known, ...stored.filter((result) => !settled.has(keyOfFile(result)))]
}

/** The result for a failure that is not of one file. */
export const wholeFailed = (analysisId: string | null, error: NonNullable<FileResult["error"]>): FileResult =>
  untouched({ analysisId, fileName: null, path: null, bytes: null }, { action: "failed", reason: null, error })

const unfinished = (file: PlannedFile, destination: string): FileResult =>
  untouched(identity(file, { destination }), { action: "failed", reason: null, error: stopped })
