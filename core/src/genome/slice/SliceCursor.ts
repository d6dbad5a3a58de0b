/** Where a slice stands in the file, and the fetched bytes around it. */
import * as Bgzf from "../bgzf/Bgzf.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { isBefore } from "../bgzf/VirtualOffset.ts"
import type { Stretch, Stretches } from "./StretchPlan.ts"

/** Free bytes before a fetched range: the start of a block that ends in the range is put there. */
export const headroom = Bgzf.maxBlock

/** Blocks that were inflated ahead, in file order: `size` bytes from `offset` of the file, and where the content of each ends. */
export interface AheadBlocks {
  readonly offsets: ReadonlyArray<number>
  readonly sizes: ReadonlyArray<number>
  readonly content: Uint8Array
  readonly ends: ReadonlyArray<number>
}

/** Fetched bytes `[offset, offset + length)` of the file, which lie at `at` of `buffer` after `headroom` free bytes. */
export interface FetchedRange {
  readonly buffer: Uint8Array
  readonly at: number
  readonly offset: number
  readonly length: number
  /** Null where nothing was inflated, as nothing seemed needed or a block was damaged. */
  readonly ahead: AheadBlocks | null
}

/** The next record to look at lies at (`block`, `within`). */
export interface SliceCursor {
  block: number
  within: number
  readonly stretch: () => Stretch | undefined
  /** The stretch after that one. */
  readonly following: () => Stretch | undefined
  /** True when the walk through the stretch began before its end or at it, so that it comes there. */
  readonly comesThrough: () => boolean
  /** The stretch is done; the next one begins where the cursor stands, or later. */
  readonly nextStretch: () => void
  /** Adds the next fetched bytes; those of the range before are not used any more. */
  readonly push: (range: FetchedRange) => void
  /** The bytes that are left belong to the cursor now. */
  readonly keep: () => void
  /** Size of the block at the cursor; `missing` when its bytes are not here yet, `lost` when they never will be, `noBlock`. */
  readonly blockSize: () => number
  /** The bytes of the block at the cursor, which has `size`. */
  readonly raw: (size: number) => Uint8Array
  /** Its content, or what is wrong with it, as a phrase; it is inflated here where that was not done ahead. */
  readonly content: (size: number) => Uint8Array | string
}

export const missing = 0
export const noBlock = -1
export const lost = -2

export const make = (stretches: Stretches, codec: Codec["Service"]): SliceCursor => {
  let buffered: Uint8Array = new Uint8Array(0)
  let bufferedOffset = 0
  let ahead: AheadBlocks | null = null
  /** The blocks before this one of `ahead` lie before the cursor. */
  let next = 0
  let current = -1
  let stretch: Stretch | undefined
  let following: Stretch | undefined = stretches.at(0)
  let comesThrough = false

  const cursor: SliceCursor = {
    block: 0,
    within: 0,
    stretch: () => stretch,
    following: () => following,
    comesThrough: () => comesThrough,
    nextStretch: () => {
      current++
      stretch = following
      following = stretches.at(current + 1)
      if (stretch === undefined) return
      if (isBefore([cursor.block, cursor.within], stretch.begin)) [cursor.block, cursor.within] = stretch.begin
      comesThrough = !isBefore(stretch.end, [cursor.block, cursor.within])
    },
    push: (range) => {
      const { at, buffer, length, offset } = range
      const used = Math.max(0, cursor.block - bufferedOffset)
      // What is left of a range is less than a block while there is a stretch: all whole ones were taken.
      const goesOn = stretch !== undefined && bufferedOffset + buffered.length === offset
      const left = goesOn ? buffered.subarray(used) : buffered.subarray(0, 0)
      buffer.set(left, at - left.length)
      buffered = buffer.subarray(at - left.length, at + length)
      bufferedOffset = offset - left.length
      ahead = range.ahead
      next = 0
    },
    keep: () => {
      const used = Math.min(buffered.length, Math.max(0, cursor.block - bufferedOffset))
      buffered = buffered.slice(used)
      bufferedOffset += used
      ahead = null
    },
    blockSize: () => {
      const at = cursor.block - bufferedOffset
      if (at < 0) return lost
      if (at >= buffered.length) return missing
      const size = Bgzf.blockSize(buffered, at)
      if (size < 0) return noBlock
      return at + size > buffered.length ? missing : size
    },
    raw: (size) => buffered.subarray(cursor.block - bufferedOffset, cursor.block - bufferedOffset + size),
    content: (size) => {
      if (ahead !== null) {
        const { content, ends, offsets, sizes } = ahead
        while (next < offsets.length && offsets[next]! < cursor.block) next++
        if (offsets[next] === cursor.block && sizes[next] === size) {
          return content.subarray(next === 0 ? 0 : ends[next - 1], ends[next])
        }
      }
      return Bgzf.inflateBlock(codec, buffered, cursor.block - bufferedOffset, size)
    }
  }
  cursor.nextStretch()
  return cursor
}
