/** Who inflates the blocks of a file that is verified: this thread, or several others. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type BlockRun, type InflatedRun, inflateRun, runRoom } from "../genome/bgzf/BlockRun.ts"
import { Codec } from "../genome/bgzf/Codec.ts"

export class BlockPool extends Context.Service<
  BlockPool,
  {
    /** Number of runs that may be under way at once. */
    readonly width: number
    /** The content stays valid until it is given back. */
    readonly inflate: (run: BlockRun) => Effect.Effect<InflatedRun>
    /** The content of a run is not used any more: another run may be inflated over it. */
    readonly giveBack: (run: InflatedRun) => void
  }
>()("svc-steps/core/verify/BlockPool") {
  /** Inflates on this thread: best for small files. */
  static readonly layerHere: Layer.Layer<BlockPool, never, Codec> = Layer.effect(
    BlockPool,
    Effect.map(Codec, (codec) => pool(1, (run, buffer) => Effect.sync(() => inflateRun(codec, run, buffer))))
  )
}

/**
 * A pool whose runs are inflated by `inflate` into an array that is alone in its `ArrayBuffer`. Buffers are used again: fresh ones cost
 * a third of what inflating costs, for their zeros and for the collector.
 */
export const pool = (
  width: number,
  inflate: (run: BlockRun, buffer: Uint8Array<ArrayBuffer>) => Effect.Effect<InflatedRun>
): BlockPool["Service"] => {
  const free: Array<Uint8Array<ArrayBuffer>> = []
  return BlockPool.of({
    width,
    inflate: (run) => Effect.suspend(() => inflate(run, free.pop() ?? runRoom())),
    giveBack: ({ content }) => void free.push(new Uint8Array(content.buffer))
  })
}
