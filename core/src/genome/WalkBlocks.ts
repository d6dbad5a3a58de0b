/** Reads a whole BGZF file and checks every block. */
import { Effect } from "effect"
import type { FileDamaged } from "../Errors.ts"
import { inflateAt, readBlocks } from "./Blocks.ts"
import type { ByteReader } from "./ByteReader.ts"
import { Codec } from "./Codec.ts"
import { checkEnd } from "./Structure.ts"

/** How far a walk has come. */
export interface WalkProgress {
  /** Bytes of the file that are proven. */
  readonly offset: number
  readonly blocks: number
  /** Inflated bytes so far. */
  readonly inflated: number
}

/** Bytes read at once: large enough for a disk, small beside the memory budget. */
const windowSize = 0x100000

/**
 * Inflates every block and compares size and CRC-32, so that any flipped bit in content or trailer is found; `progress`
 * runs once per MiB. Fails with `FileDamaged` `NotBgzf`, `Truncated`, or `BadBlock` with the block's byte offset.
 */
export const walkBlocks = Effect.fn("walkBlocks")(function* <E>(
  file: string,
  reader: ByteReader<E>,
  progress: (progress: WalkProgress) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<WalkProgress, FileDamaged | E, Codec> {
  const codec = yield* Codec
  let offset = 0
  let blocks = 0
  let inflated = 0
  do {
    const window = yield* readBlocks(file, reader, offset, windowSize)
    for (let i = 0; i + 1 < window.starts.length; i++) {
      const block = yield* Effect.fromResult(inflateAt(file, codec, window, i))
      blocks++
      inflated += block.length
    }
    offset += window.starts[window.starts.length - 1]!
    yield* progress({ offset, blocks, inflated })
  } while (offset < reader.size)
  yield* checkEnd(file, reader)
  return { offset, blocks, inflated }
})
