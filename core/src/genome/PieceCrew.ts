/** Who makes the pieces of slices: this thread, or several others. */
import { Context, Data, Effect, type Scope } from "effect"
import type { Codec } from "./Codec.ts"
import type { PieceStretch, SliceJob, Window } from "./PieceOrder.ts"
import * as PieceScan from "./PieceScan.ts"

/** The thread that had the piece has ended: it has to be made again, by another. */
export class ThreadLost extends Data.TaggedError("ThreadLost")<{ readonly reason: string }> {}

export interface PieceTurn {
  readonly turn: PieceScan.Turn
  /** What was made since the last turn, in order; some of it lies in `rooms`. */
  readonly output: ReadonlyArray<Uint8Array>
  /** The rooms of windows that were used, which are free when the output is written. */
  readonly rooms: ReadonlyArray<Uint8Array>
  /** Memory of the output that is of no use when it is written. */
  readonly scrap: ReadonlyArray<Uint8Array>
}

/** One piece that is being made. */
export interface PieceWork {
  /** As `take` of `PieceScan`. The windows lie in one room, alone in its buffer: it is not to be used until it comes back. */
  readonly take: (windows: ReadonlyArray<Window>, isLast: boolean) => Effect.Effect<PieceTurn, ThreadLost>
}

/** Those who make the pieces of one slice. */
export interface SliceCrew {
  /** So many pieces may be made at the same time. */
  readonly width: number
  readonly begin: (stretches: ReadonlyArray<PieceStretch>) => PieceWork
}

/** In this thread. */
export const here = (codec: Codec["Service"], job: SliceJob): SliceCrew => ({
  width: 1,
  begin: (stretches) => {
    let output: Array<Uint8Array> = []
    let rooms: Array<Uint8Array> = []
    const scan = PieceScan.make(job, stretches, codec, (bytes) => output.push(bytes))
    return {
      take: (windows, isLast) =>
        Effect.sync(() => {
          rooms.push(...windows.slice(0, 1).map(({ room }) => room))
          const turn = scan.take(windows, isLast)
          if (turn._tag === "Needs") return { turn, output: [], rooms: [], scrap: [] }
          const made = { turn, output, rooms, scrap: [] }
          output = []
          rooms = []
          return made
        })
    }
  }
})

/** Others who make pieces. By default there is nobody. */
export interface PieceCrew {
  /** A crew for a slice that fetches so many bytes; null when it is made faster here. */
  readonly open: (job: SliceJob, bytes: number) => Effect.Effect<SliceCrew | null, never, Scope.Scope>
}

export const PieceCrew: Context.Reference<PieceCrew> = Context.Reference<PieceCrew>(
  "svc-steps/core/genome/PieceCrew/PieceCrew",
  { defaultValue: () => ({ open: () => Effect.succeed(null) }) }
)
