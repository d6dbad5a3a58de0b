/** Who inflates the blocks of a file that is verified: this thread, or several others. */
import { Context, Effect, Layer, Result } from "effect"
import * as Bgzf from "../genome/Bgzf.ts"
import { Codec } from "../genome/Codec.ts"

/** Consecutive blocks: block `i` is `[starts[i], starts[i + 1])` of `bytes`. */
export interface BlockRun {
  /** Alone in its buffer, which may move to another thread: not to be used any more. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly starts: ReadonlyArray<number>
}

export interface InflatedRun {
  /** The content of the sound blocks, one after another, alone in its buffer. */
  readonly content: Uint8Array
  /** Where the content of each sound block ends in `content`; fewer than the run has when one is damaged. */
  readonly ends: ReadonlyArray<number>
  /** What is wrong with the block after those, as a phrase with the block as subject; null when all are sound. */
  readonly wrong: string | null
}

/** More blocks make no run, so that a run takes at most 2 MiB deflated and as much inflated. */
export const mostBlocks = 32

/** `run` inflated with the codec of this thread, up to the first damaged block. */
export const inflateRun = (codec: Codec["Service"], { bytes, starts }: BlockRun): InflatedRun => {
  const parts: Array<Uint8Array> = []
  const ends: Array<number> = []
  let length = 0
  let wrong: string | null = null
  for (let i = 0; i + 1 < starts.length && wrong === null; i++) {
    const inflated = Bgzf.inflateBlock(codec, bytes, starts[i]!, starts[i + 1]! - starts[i]!)
    if (Result.isFailure(inflated)) wrong = inflated.failure
    else {
      parts.push(inflated.success)
      length += inflated.success.length
      ends.push(length)
    }
  }
  const content = new Uint8Array(length)
  for (const [i, part] of parts.entries()) content.set(part, ends[i]! - part.length)
  return { content, ends, wrong }
}

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
