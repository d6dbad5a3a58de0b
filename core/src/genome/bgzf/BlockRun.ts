/** Blocks that are inflated together, on whichever thread. */
import * as Bgzf from "./Bgzf.ts"
import type { Codec } from "./Codec.ts"

/** Consecutive blocks: block `i` is `[starts[i], starts[i + 1])` of `bytes`. */
export interface BlockRun {
  /** Alone in its buffer, which may move to another thread: not to be used any more. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly starts: ReadonlyArray<number>
}

export interface InflatedRun {
  /** The content of the sound blocks, one after another, at the beginning of the buffer it was inflated into. */
  readonly content: Uint8Array<ArrayBuffer>
  /** Where the content of each sound block ends in `content`; fewer than the run has when one is damaged. */
  readonly ends: ReadonlyArray<number>
  /** What is wrong with the block after those, as a phrase with the block as subject; null when all are sound. */
  readonly wrong: string | null
  /** The bytes of the run, which are free again. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Most blocks of a run, so that it takes at most 2 MiB deflated and as much inflated. */
export const mostBlocks = 32

/** A buffer that the content of any run fits into. Pages of it that no content touches take no memory. */
export const runRoom = (): Uint8Array<ArrayBuffer> => new Uint8Array(mostBlocks * Bgzf.maxBlock)

/** `run` inflated into `buffer` with the codec of this thread, up to the first damaged block. */
export const inflateRun = (
  codec: Codec["Service"],
  { bytes, starts }: BlockRun,
  buffer: Uint8Array<ArrayBuffer>
): InflatedRun => {
  const ends: Array<number> = []
  let length = 0
  let wrong: string | null = null
  for (let i = 0; i + 1 < starts.length && wrong === null; i++) {
    const begin = starts[i]!
    const inflated = Bgzf.inflateBlock(codec, bytes, begin, starts[i + 1]! - begin, buffer.subarray(length))
    if (typeof inflated === "string") wrong = inflated
    else {
      length += inflated.length
      ends.push(length)
    }
  }
  return { content: buffer.subarray(0, length), ends, wrong, bytes }
}
