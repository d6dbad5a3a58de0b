/**
 * What is known of a run at any moment, in the order of its plan, so that the report of a run that was stopped names
 * every file as well; and when how many bytes came.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { RunFile } from "../selection/RunFile.ts"
import type { TransferProgress } from "../transfer/TransferRequest.ts"
import { type FileResult, failedFile, failureResult, identity, stopped } from "./FileResult.ts"
import type { Look, RestorationStatus } from "./RestorationStatus.ts"
import type { AnalysisOwner, Awaited } from "./RunEvent.ts"
import type { RunListener } from "./RunEvents.ts"

/** Keeps everything that it is told. */
export interface RunRecord {
  readonly note: RunListener
  /** When the run began. */
  readonly startedAt: Date
  /** How long ago that was, by the clock that `throughput` counts with. */
  readonly milliseconds: Effect.Effect<number>
  /** What became of stored requests so far; replaces what was said of them before, and of files that waited for them. */
  readonly resumed: (look: Look) => Effect.Effect<void>
  readonly results: Effect.Effect<ReadonlyArray<FileResult>>
  readonly awaited: Effect.Effect<ReadonlyArray<Awaited>>
  /** Whose analyses they are. */
  readonly owners: Effect.Effect<ReadonlyMap<string, AnalysisOwner>>
  readonly throughput: Effect.Effect<Throughput>
}

/** An empty record; the run begins now. */
export const makeRunRecord: Effect.Effect<RunRecord> = Effect.gen(function* () {
  // Changed in place: with thousands of files a copy for each would be most of the work.
  const failures: Array<FileResult> = []
  const files = new Map<RunFile, FileResult | Unfinished>()
  // Transfers of stored requests, which no plan of this record names.
  const begunStored = new Map<string, Begun>()
  const owners = new Map<string, AnalysisOwner>()
  const traffic = makeTraffic<RunFile>()
  const startedAt = DateTime.toDate(yield* DateTime.now)
  const startedNanos = yield* Clock.monotonicTimeNanos
  const milliseconds = Effect.map(Clock.monotonicTimeNanos, (now) => Number(now - startedNanos) / 1e6)
  let stored: ReadonlyArray<FileResult> = []
  let awaited: ReadonlyArray<Awaited> = []
  return {
    startedAt,
    milliseconds,
    note: Effect.fnUntraced(function* (event) {
      switch (event._tag) {
        case "Failed":
          return void failures.push(event.result)
        case "Listed": {
          for (const [analysisId, owner] of event.owners) owners.set(analysisId, owner)
          return
        }
        case "Planned": {
          const unfinished = { destination: event.destination, startedAt: null }
          for (const file of event.files) files.set(file, unfinished)
          return
        }
        case "Awaiting":
          awaited = event.restorations
          return
        case "Begun":
          return
        case "Progress": {
          const { file, progress } = event
          traffic.note(file, progress, yield* milliseconds)
          if (progress._tag !== "Started") return
          const known = files.get(file)
          if (known === undefined) return void begunStored.set(keyOfFile(file), file)
          if ("_tag" in known || known.startedAt !== null) return
          return void files.set(file, { ...known, startedAt: DateTime.toDate(yield* DateTime.now) })
        }
        case "Finished":
          traffic.forget(event.file)
          return void files.set(event.file, event.result)
      }
    }),
    resumed: (look) =>
      Effect.sync(() => {
        stored = resultsOf(look)
        awaited = awaitedIn(look)
      }),
    results: Effect.sync(() => [
      ...failures,
      ...afterWaiting(Array.from(files, resultOf), stored.map(begunIn(begunStored)))
    ]),
    awaited: Effect.sync(() => awaited),
    owners: Effect.sync(() => owners),
    throughput: Effect.sync(traffic.throughput)
  }
})

/** One name for a file, in a plan and in the restoration file. */
export const keyOfFile = ({
  analysisId,
  fileName
}: {
  readonly analysisId: string | null
  readonly fileName: string | null
}): string => JSON.stringify([analysisId, fileName])

/** A file that was left pending has the result of its request; one that was fetched before keeps its own. */
const afterWaiting = (planned: ReadonlyArray<FileResult>, stored: ReadonlyArray<FileResult>) => {
  if (stored.length === 0) return planned
  const waited = new Set(stored.map(keyOfFile))
  const known = planned.filter((result) => result._tag !== "Pending" || !waited.has(keyOfFile(result)))
  const settled = new Set(known.map(keyOfFile))
  return [...known, ...stored.filter((result) => !settled.has(keyOfFile(result)))]
}

/** A planned file until it has a result; all that have not started share one. */
interface Unfinished {
  readonly destination: string
  readonly startedAt: Date | null
}

type Begun = Pick<RunFile, "slice">

const errorOfStop = ({ slice }: Begun) => (slice === null ? stopped.resumes : stopped.restarts)

/** A stored request does not know which of its unfinished files had begun. */
const begunIn =
  (begun: ReadonlyMap<string, Begun>) =>
  (result: FileResult): FileResult => {
    if (result._tag !== "Failed" || result.error !== stopped.begins) return result
    const file = begun.get(keyOfFile(result))
    return file === undefined ? result : { ...result, error: errorOfStop(file) }
  }

/** An unfinished file has failed as stopped. */
const resultOf = ([file, known]: readonly [RunFile, FileResult | Unfinished]): FileResult => {
  if ("_tag" in known) return known
  const { startedAt } = known
  const failed = failedFile(identity(file, known), startedAt === null ? stopped.begins : errorOfStop(file))
  const transfer = { attempts: 0, renewals: 0, seconds: 0, finishedAt: null }
  return startedAt === null ? failed : { ...failed, transfer: { ...transfer, startedAt } }
}

const resultsOf = ({ statuses, unusable }: Look): ReadonlyArray<FileResult> => [
  ...withoutRepeats(statuses.flatMap(({ results }) => results)),
  ...statuses.flatMap(entryFailure),
  ...unusable.map((error) => failureResult(null, error))
]

/** The files of a request are there, but its entry could not be taken out of the restoration file (fault T20). */
const entryFailure = ({ entry, results, state }: RestorationStatus): ReadonlyArray<FileResult> =>
  state._tag === "Failed" && results.every(({ _tag }) => _tag !== "Failed")
    ? [failureResult(entry.analysisId, state.error)]
    : []

/** The requests of a look that something is still awaited of. */
export const awaitedIn = ({ statuses }: Look): ReadonlyArray<Awaited> =>
  statuses.flatMap(({ state }) => (state._tag === "Requested" ? [state] : []))

/** An index with an entry of its own came with its data file: both entries have its result, which counts once. */
const withoutRepeats = (results: ReadonlyArray<FileResult>): ReadonlyArray<FileResult> => {
  const keyOf = (result: FileResult) => {
    const { _tag, path } = result
    const startedAt = "transfer" in result ? result.transfer?.startedAt : null
    return path === null ? null : JSON.stringify([path, _tag, "reason" in result ? result.reason : null, startedAt])
  }
  return [...new Map(results.map((result) => [keyOf(result) ?? result, result])).values()]
}

/** Bytes that came from link hosts, those of repeated and abandoned requests too, by equal intervals of the run. */
export interface Throughput {
  readonly intervalSeconds: number
  readonly bytes: ReadonlyArray<number>
}

/** The most intervals that a run of any length has; this many can be drawn on any screen. */
const mostIntervals = 240
/** Length of an interval at first, in ms; it doubles whenever the intervals run out. */
const shortest = 250

/** What came from link hosts in a run, and when: taken event by event, kept as a few equal intervals. */
export const makeTraffic = <File>() => {
  const present = new Map<File, number>()
  let bytes: Array<number> = []
  let interval = shortest
  const add = (count: number, now: number) => {
    while (now >= interval * mostIntervals) {
      interval *= 2
      bytes = Array.from({ length: Math.ceil(bytes.length / 2) }, (_, at) => at * 2).map(
        (at) => (bytes[at] ?? 0) + (bytes[at + 1] ?? 0)
      )
    }
    const at = Math.max(0, Math.floor(now / interval))
    while (bytes.length <= at) bytes.push(0)
    bytes[at] = (bytes[at] ?? 0) + count
  }
  return {
    /**
     * Takes an event of a transfer; returns the bytes that came with it.
     *
     * @param now - ms since the run began, of a clock that nobody sets
     */
    note: (file: File, event: TransferProgress, now: number): number => {
      const before = present.get(file) ?? 0
      switch (event._tag) {
        case "Started":
          // A slice has read its header by then, which is no progress of an earlier run.
          present.set(file, Math.max(before, event.resumedFrom))
          return 0
        case "Restarting":
          present.set(file, 0)
          return 0
        case "Bytes": {
          present.set(file, event.done)
          const more = Math.max(0, event.done - before)
          if (more > 0) add(more, now)
          return more
        }
        default:
          return 0
      }
    },
    /** The file is finished: no more events of it come. */
    forget: (file: File) => void present.delete(file),
    throughput: (): Throughput => ({ intervalSeconds: interval / 1000, bytes: [...bytes] })
  }
}
