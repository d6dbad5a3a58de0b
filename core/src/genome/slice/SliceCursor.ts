/** Where a piece of a slice stands in the file, and the fetched bytes around it. */
import * as Bgzf from "../bgzf/Bgzf.ts"
import { type FetchedRange, isBefore, type PieceStretch } from "./PieceJob.ts"

/** The next record to look at lies at (`block`, `within`). */
export interface SliceCursor {
  block: number
  within: number
  readonly stretch: () => PieceStretch | undefined
  /** The stretch after that one. */
  readonly following: () => PieceStretch | undefined
  /** True when the walk through the stretch began before the place where a record must begin, so that it comes there. */
  readonly comesThrough: () => boolean
  /** The stretch is done; the next one begins where the cursor stands, or later. */
  readonly nextStretch: () => void
  /** Adds the next fetched bytes; those of the range before are not used any more. */
  readonly push: (range: FetchedRange) => void
  /** The bytes that are left belong to the cursor now. */
  readonly keep: () => void
  /** Size of the block at the cursor; `missing` when its bytes are not here yet, `lost` when they never will be, `noBlock`. */
  readonly blockSize: () => number
  /** The fetched bytes `[from, to)` of the file, which must be here. */
  readonly bytes: (from: number, to: number) => Uint8Array
}

export const missing = 0
export const noBlock = -1
export const lost = -2

export const make = (stretches: ReadonlyArray<PieceStretch>): SliceCursor => {
  let buffered: Uint8Array = new Uint8Array(0)
  let bufferedOffset = 0
  let current = -1
  let stretch: PieceStretch | undefined
  let comesThrough = false

  const cursor: SliceCursor = {
    block: 0,
    within: 0,
    stretch: () => stretch,
    following: () => stretches[current + 1],
    comesThrough: () => comesThrough,
    nextStretch: () => {
      current++
      stretch = stretches[current]
      if (stretch === undefined) return
      const here = [cursor.block, cursor.within] as const
      if (isBefore(here, stretch.from)) [cursor.block, cursor.within] = stretch.from
      comesThrough = !isBefore(stretch.through ?? stretch.end, [cursor.block, cursor.within])
    },
    push: ({ at, length, offset, buffer }) => {
      const used = Math.max(0, cursor.block - bufferedOffset)
      // What is left of a range is less than a block while there is a stretch: all whole ones were taken.
      const goesOn = stretch !== undefined && bufferedOffset + buffered.length === offset
      const left = goesOn ? buffered.subarray(used) : buffered.subarray(0, 0)
      buffer.set(left, at - left.length)
      buffered = buffer.subarray(at - left.length, at + length)
      bufferedOffset = offset - left.length
    },
    keep: () => {
      const used = Math.min(buffered.length, Math.max(0, cursor.block - bufferedOffset))
      buffered = buffered.slice(used)
      bufferedOffset += used
    },
    blockSize: () => {
      const at = cursor.block - bufferedOffset
      if (at < 0) return lost
      if (at >= buffered.length) return missing
      const size = Bgzf.blockSize(buffered, at)
      if (size < 0) return noBlock
      return at + size > buffered.length ? missing : size
    },
    bytes: (from, to) => buffered.subarray(from - bufferedOffset, to - bufferedOffset)
  }
  cursor.nextStretch()
  return cursor
}
