/** Where a slice stands in the file, and the fetched bytes around it. */
import * as Bgzf from "./Bgzf.ts"
import { type FetchedRange, headroom } from "./FetchedRange.ts"
import type { Stretch, Stretches } from "./Stretches.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

/** The next record to look at lies at (`block`, `within`) in stretch `current`. */
export interface SliceCursor {
  block: number
  within: number
  readonly stretch: () => Stretch | undefined
  /** Number of the stretch. */
  readonly current: () => number
  /** The stretch is done; the next one begins where the cursor stands, or later. */
  readonly nextStretch: () => void
  /** Adds the next fetched bytes; those of the range before are not used any more. */
  readonly push: (range: FetchedRange) => void
  /** Size of the block at the cursor; `missing` when its bytes are not here yet, `lost` when they never will be, `noBlock`. */
  readonly blockSize: () => number
  /** The fetched bytes `[from, to)` of the file, which must be here. */
  readonly bytes: (from: number, to: number) => Uint8Array
  /** The fetched bytes from the cursor on; none when it stands elsewhere. */
  readonly ahead: () => Uint8Array
  /** The end of the last whole block that begins at the cursor or behind it and before `stop`; -1 where no block begins. */
  readonly blocksUntil: (stop: number) => number
}

export const missing = 0
export const noBlock = -1
export const lost = -2

export const make = (stretches: Pick<Stretches, "at">): SliceCursor => {
  let window: Uint8Array = new Uint8Array(0)
  let windowOffset = 0
  let current = 0
  const first = stretches.at(0)
  let stretch = first

  const cursor: SliceCursor = {
    block: first === undefined ? 0 : VirtualOffset.block(first.begin),
    within: first === undefined ? 0 : VirtualOffset.within(first.begin),
    stretch: () => stretch,
    current: () => current,
    nextStretch: () => {
      current++
      stretch = stretches.at(current)
      if (stretch === undefined) return
      const block = VirtualOffset.block(stretch.begin)
      if (block > cursor.block) {
        cursor.block = block
        cursor.within = VirtualOffset.within(stretch.begin)
      } else if (block === cursor.block) cursor.within = Math.max(cursor.within, VirtualOffset.within(stretch.begin))
    },
    push: ({ length, offset, room }) => {
      const used = Math.max(0, cursor.block - windowOffset)
      // What is left of a window is less than a block while there is a stretch: all whole ones were taken.
      const goesOn = stretch !== undefined && windowOffset + window.length === offset
      const left = goesOn ? window.subarray(used) : window.subarray(0, 0)
      const begin = headroom - left.length
      room.set(left, begin)
      window = room.subarray(begin, headroom + length)
      windowOffset = offset - left.length
    },
    blockSize: () => {
      const at = cursor.block - windowOffset
      if (at < 0) return lost
      if (at >= window.length) return missing
      const size = Bgzf.blockSize(window, at)
      if (size < 0) return noBlock
      return at + size > window.length ? missing : size
    },
    bytes: (from, to) => window.subarray(from - windowOffset, to - windowOffset),
    ahead: () => (cursor.block < windowOffset ? window.subarray(0, 0) : window.subarray(cursor.block - windowOffset)),
    blocksUntil: (stop) => {
      let at = cursor.block - windowOffset
      while (windowOffset + at < stop) {
        const size = Bgzf.blockSize(window, at)
        if (size < 0) return -1
        if (size === Bgzf.needMore || at + size > window.length) break
        at += size
      }
      return windowOffset + at
    }
  }
  return cursor
}
