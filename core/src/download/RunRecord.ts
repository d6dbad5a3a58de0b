/**
 * What is known of a run at any moment, in the order of its plan, so that the report of a run that was stopped names
 * every file as well; and when how many bytes came.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { finalPath } from "../selection/OutputPath.ts"
import type { RunFile } from "../selection/RunFile.ts"
import type { TransferProgress } from "../transfer/TransferRequest.ts"
import { type FileResult, failedFile, identity, isWhole, stopped } from "./FileResult.ts"
import type { AnalysisOwner, Awaited, Decision } from "./RunEvent.ts"
import type { RunListener } from "./RunEvents.ts"

/** Keeps everything that it is told. */
export interface RunRecord {
  readonly note: RunListener
  /** When the run began. */
  readonly startedAt: Date
  /** How long ago that was, by the clock that `throughput` counts with. */
  readonly milliseconds: Effect.Effect<number>
  /** What became of each file so far: what is told of it last, but for a file that came and is found there afterwards. */
  readonly results: Effect.Effect<ReadonlyArray<FileResult>>
  readonly awaited: Effect.Effect<ReadonlyArray<Awaited>>
  /** Whose analyses they are. */
  readonly owners: Effect.Effect<ReadonlyMap<string, AnalysisOwner>>
  readonly throughput: Effect.Effect<Throughput>
}

/** A planned file, and what became of it. */
interface Row {
  file: RunFile & { readonly decision?: Decision }
  destination: string
  startedAt: Date | null
  result: FileResult | null
}

/** An empty record; the run begins now. */
export const makeRunRecord: Effect.Effect<RunRecord, never, Path.Path> = Effect.gen(function* () {
  const path = yield* Path.Path
  // Changed in place: with thousands of files a copy for each would be most of the work.
  const failures: Array<FileResult> = []
  const rows = new Set<Row>()
  const byFile = new Map<RunFile, Row>()
  // One file of a plan and of a stored request, whose paths may be written in other ways.
  const byPlace = new Map<string, Row>()
  const owners = new Map<string, AnalysisOwner>()
  const traffic = makeTraffic<RunFile>()
  const startedAt = DateTime.toDate(yield* DateTime.now)
  const startedNanos = yield* Clock.monotonicTimeNanos
  const milliseconds = Effect.map(Clock.monotonicTimeNanos, (now) => Number(now - startedNanos) / 1e6)
  let awaited: ReadonlyArray<Awaited> = []
  const placeOf = (file: RunFile, finalPath: string | null) =>
    JSON.stringify([file.analysisId, file.fileName, finalPath === null ? null : path.resolve(finalPath)])
  const rowAt = (place: string, file: RunFile, destination: string): Row => {
    const row = byPlace.get(place) ?? { file, destination, startedAt: null, result: null }
    rows.add(row)
    byFile.set(file, row)
    byPlace.set(place, row)
    return row
  }
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
          const { destination } = event
          const seen = new Set<string>()
          for (const file of event.files) {
            const place = placeOf(file, finalPath(destination, file))
            // Two files of one name are two rows; two requests wait for one file.
            if (seen.has(place) && !isAwaited(file)) byPlace.delete(place)
            seen.add(place)
            const row = rowAt(place, file, destination)
            if (row.result === null || !(isWhole(row.result) || isAwaited(file))) {
              Object.assign(row, { file, destination, startedAt: null, result: null })
            }
          }
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
          const row = byFile.get(file)
          if (progress._tag === "Started" && row !== undefined) {
            row.startedAt ??= DateTime.toDate(yield* DateTime.now)
          }
          return
        }
        case "Finished": {
          const { file, result } = event
          traffic.forget(file)
          const row = byFile.get(file) ?? rowAt(placeOf(file, result.path), file, "")
          if (result._tag !== "Kept" || row.result === null || !isWhole(row.result)) row.result = result
          return
        }
      }
    }),
    results: Effect.sync(() => [...failures, ...Array.from(rows, resultOf)]),
    awaited: Effect.sync(() => awaited),
    owners: Effect.sync(() => owners),
    throughput: Effect.sync(traffic.throughput)
  }
})

const isAwaited = ({ decision }: Row["file"]): boolean => decision?._tag === "Skip" && decision.reason === "pending"

/** A file that is waited for is pending until something else is told; any other unfinished file has failed as stopped. */
const resultOf = ({ destination, file, result, startedAt }: Row): FileResult => {
  if (result !== null) return result
  const place = identity(file, { destination })
  if (isAwaited(file)) return { _tag: "Pending", ...place }
  if (startedAt === null) return failedFile(place, stopped.begins)
  const transfer = { attempts: 0, renewals: 0, seconds: 0, finishedAt: null, startedAt }
  return { ...failedFile(place, file.slice === null ? stopped.resumes : stopped.restarts), transfer }
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
