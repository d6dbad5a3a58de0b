/** The workers that make the pieces of slices: this thread, or several others. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Codec } from "../bgzf/Codec.ts"
import type { FetchedRange, PieceStretch, SliceJob } from "./PieceJob.ts"
import * as OpenSlice from "./PieceJob.ts"
import * as PieceScan from "./PieceScan.ts"

/** The thread that had the piece has ended: it has to be made again, by another. */
export class ThreadLost extends Data.TaggedError("ThreadLost")<{ readonly reason: string }> {}

export interface PieceStep {
  readonly result: PieceScan.StepResult
  /** What was made since the last step, in order; some of it lies in `buffers`. */
  readonly output: ReadonlyArray<Uint8Array>
  /** The buffers of ranges that were used: they are free when the output is written. */
  readonly buffers: ReadonlyArray<Uint8Array>
  /** Memory of the output, to be freed when it is written. */
  readonly toFree: ReadonlyArray<Uint8Array>
}

/** One piece that is being made. */
export interface PieceWork {
  /** As `take` of `PieceScan`. The ranges lie in one array that has its `ArrayBuffer` to itself; it must not be used until it comes back. */
  readonly take: (ranges: ReadonlyArray<FetchedRange>, isLast: boolean) => Effect.Effect<PieceStep, ThreadLost>
}

/** The workers that make the pieces of one slice. */
export interface SliceWorkers {
  /** How many pieces may be made at the same time. */
  readonly width: number
  readonly begin: (stretches: ReadonlyArray<PieceStretch>) => PieceWork
}

/** In this thread. */
export const here = (codec: Codec["Service"], job: SliceJob): SliceWorkers => {
  const slice = OpenSlice.open(job)
  const begin: SliceWorkers["begin"] = (stretches) => {
    let output: Array<Uint8Array> = []
    let buffers: Array<Uint8Array> = []
    const scan = PieceScan.make(slice, stretches, codec, (bytes) => output.push(bytes))
    return {
      take: (ranges, isLast) =>
        Effect.sync(() => {
          buffers.push(...ranges.slice(0, 1).map(({ buffer }) => buffer))
          const result = scan.take(ranges, isLast)
          if (result._tag === "Needs") return { result, output: [], buffers: [], toFree: [] }
          const made = { result, output, buffers, toFree: [] }
          output = []
          buffers = []
          return made
        })
    }
  }
  return { width: 1, begin }
}

/** Other threads that make pieces. By default there are none. */
export interface PieceWorkers {
  /** A slice that fetches about `bytes` will be opened soon: threads may start while its index is read. */
  readonly expect: (bytes: number) => Effect.Effect<void>
  /** Workers for a slice that fetches `bytes`; null when it is made faster in this thread. */
  readonly open: (job: SliceJob, bytes: number) => Effect.Effect<SliceWorkers | null, never, Scope.Scope>
}

export const PieceWorkers: Context.Reference<PieceWorkers> = Context.Reference<PieceWorkers>(
  "svc-steps/core/genome/slice/PieceWorkers/PieceWorkers",
  { defaultValue: () => ({ expect: () => Effect.void, open: () => Effect.succeed(null) }) }
)
