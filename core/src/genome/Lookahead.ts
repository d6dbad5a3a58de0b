/** Finds the blocks that a slice will come to in the bytes that are here, and puts them up on a board in file order. */
import * as Bgzf from "./Bgzf.ts"
import type { BlockBoard } from "./BlockBoard.ts"
import { type FetchedRange, headroom } from "./FetchedRange.ts"
import type { SliceCursor } from "./SliceCursor.ts"
import type { Stretches } from "./Stretches.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

export interface Lookahead {
  /** These bytes came, maybe before those in front of them; they stay where they are until they are passed. */
  readonly arrived: (range: FetchedRange) => void
  /** It is the turn of these bytes: the cursor may stand in a stretch that began in front of them. */
  readonly reached: (range: FetchedRange, cursor: SliceCursor) => void
  /** The content of the block at `offset`, if it was inflated ahead. Blocks are asked for in file order. */
  readonly take: (offset: number) => Uint8Array | null
}

/** Blocks that lie in one piece of memory and are not yet on the board. */
interface Run {
  readonly bytes: Uint8Array
  /** Byte offset in the file of `bytes[0]`. */
  readonly offset: number
  /** Start and size of each block in `bytes`, in turn. */
  readonly blocks: ReadonlyArray<number>
  next: number
}

export const make = (board: BlockBoard, stretches: Pick<Stretches, "at" | "length">): Lookahead => {
  let runs: Array<Run> = []

  /** Number of the first stretch that begins at `offset` or behind it. */
  const stretchFrom = (offset: number): number => {
    let low = 0
    let high = stretches.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (VirtualOffset.block(stretches.at(middle)!.begin) < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Lists the blocks in `bytes` of the stretches from number `first` up to `last`. */
  const list = (bytes: Uint8Array, offset: number, first: number, last: number) => {
    const blocks: Array<number> = []
    let at = 0
    for (let i = first; i < last; i++) {
      const stretch = stretches.at(i)!
      at = Math.max(at, VirtualOffset.block(stretch.begin) - offset)
      if (at >= bytes.length) break
      const last = VirtualOffset.block(stretch.end) - offset
      const stop = Math.min(bytes.length, stretch.likelyEnd - offset)
      while (at <= last) {
        const size = Bgzf.blockSize(bytes, at)
        // What ends behind the likely end may not be needed.
        if (size <= 0 || at + size > stop) break
        blocks.push(at, size)
        at += size
      }
    }
    if (blocks.length === 0) return
    runs.push({ bytes, offset, blocks, next: 0 })
    runs.sort((a, b) => a.offset - b.offset)
  }

  const fill = () => {
    for (const run of runs) {
      for (; run.next < run.blocks.length; run.next += 2) {
        const at = run.blocks[run.next]!
        if (!board.offer(run.offset + at, run.bytes, at, run.blocks[run.next + 1]!)) return
      }
    }
  }

  /** Forgets the blocks up to the one at `offset`: whoever comes there inflates it now. */
  const pass = (offset: number) => {
    for (const run of runs) {
      while (run.next < run.blocks.length && run.offset + run.blocks[run.next]! <= offset) run.next += 2
    }
    if (runs.some(({ blocks, next }) => next >= blocks.length)) {
      runs = runs.filter(({ blocks, next }) => next < blocks.length)
    }
  }

  return {
    arrived: ({ length, offset, room }) => {
      list(room.subarray(headroom, headroom + length), offset, stretchFrom(offset), stretches.length)
      fill()
    },
    reached: (range, cursor) => {
      // What begins in these bytes was listed when they came.
      const next = stretchFrom(range.offset)
      const bytes = cursor.ahead()
      const behind = stretches.at(next)
      const stop = behind === undefined ? bytes.length : VirtualOffset.block(behind.begin) - cursor.block
      list(bytes.subarray(0, Math.max(0, stop)), cursor.block, cursor.current(), next)
      fill()
    },
    take: (offset) => {
      pass(offset)
      const content = board.take(offset)
      fill()
      return content
    }
  }
}
