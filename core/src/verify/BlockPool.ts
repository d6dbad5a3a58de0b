/** Who inflates the blocks of a file that is verified: this thread, or several others. */
import { Context, Effect, Layer } from "effect"
import { type BlockRun, type InflatedRun, inflateRun } from "../genome/BlockRun.ts"
import { Codec } from "../genome/Codec.ts"

export class BlockPool extends Context.Service<
  BlockPool,
  {
    /** So many runs may be under way at once. */
    readonly width: number
    readonly inflate: (run: BlockRun) => Effect.Effect<InflatedRun>
  }
>()("svc-steps/core/verify/BlockPool") {
  /** Inflates on this thread: best for small files. */
  static readonly layerHere: Layer.Layer<BlockPool, never, Codec> = Layer.effect(
    BlockPool,
    Effect.map(Codec, (codec) =>
      BlockPool.of({ width: 1, inflate: (run) => Effect.sync(() => inflateRun(codec, run)) })
    )
  )
}
