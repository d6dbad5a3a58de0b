/**
 * The part of an index that is made while records are written, in file order (SAM specification, sections 5.1-5.3).
 * Fragments of neighbouring parts of a file are joined by `IndexBuilder`. Virtual offsets are pairs of numbers here: this is
 * the one place that touches every record.
 */
import { binOf } from "./Bins.ts"

export interface IndexFragment {
  /** Records must end at or before this position. */
  readonly limit: number
  /**
   * A record of reference `ref` that covers `[start, end)` (0-based) and begins in the file at (`block`, `within`). The
   * record before it ends there.
   */
  readonly add: (ref: number, start: number, end: number, mapped: boolean, block: number, within: number) => void
  /** The last record added ends at (`block`, `within`). Call it before unplaced reads are written. */
  readonly close: (block: number, within: number) => void
  /** Counts unplaced reads (`n_no_coor`), which end a BAM. */
  readonly addUnplaced: (count: number) => void
  /** What was added so far, closed: plain data, which may go to another thread. */
  readonly done: () => FragmentData
}

export interface FragmentData {
  readonly references: ReadonlyArray<ReferenceFragment>
  readonly unplaced: number
}

/** Offsets count from the beginning of the part. */
export interface ReferenceFragment {
  readonly ref: number
  /** Chunks of bins, five numbers each: bin, block, within, endBlock, endWithin. */
  readonly chunks: Array<number>
  /**
   * The first record that overlaps each smallest bin, or the next one after it, as runs of three numbers: the bin after the
   * run, block, within. One record may claim to cover millions of bins.
   */
  readonly linear: Array<number>
  readonly first: readonly [block: number, within: number]
  last: readonly [block: number, within: number]
  mapped: number
  unmapped: number
}

export const make = (minShift: number, depth: number): IndexFragment => {
  const window = 2 ** minShift
  const references: Array<ReferenceFragment> = []
  let unplaced = 0

  // The run of records that fall into one bin, whose chunk is not closed.
  let bin = -1
  let current: ReferenceFragment | undefined
  let chunk = -1
  /** Where the last chunk of each bin of the current reference lies in its chunks. */
  let latest = new Map<number, number>()
  /** The smallest bins before this one are covered by records of the current reference. */
  let covered = 0

  const close: IndexFragment["close"] = (block, within) => {
    if (current === undefined || chunk === -1) return
    current.chunks[chunk + 3] = block
    current.chunks[chunk + 4] = within
    current.last = [block, within]
    // What comes next does not follow it: it begins a chunk of its own.
    chunk = -1
  }

  const begin = (ref: number, block: number, within: number): ReferenceFragment => {
    const reference: ReferenceFragment = {
      ref,
      chunks: [],
      linear: [],
      first: [block, within],
      last: [block, within],
      mapped: 0,
      unmapped: 0
    }
    references.push(reference)
    current = reference
    latest = new Map()
    covered = 0
    return reference
  }

  return {
    limit: window * 8 ** depth,
    add: (ref, start, end, mapped, block, within) => {
      if (ref !== current?.ref) close(block, within)
      const target = ref === current?.ref && current !== undefined ? current : begin(ref, block, within)
      if (mapped) target.mapped++
      else target.unmapped++
      const stop = Math.floor((end - 1) / window) + 1
      if (stop > covered) {
        target.linear.push(stop, block, within)
        covered = stop
      }
      const id = binOf(start, end, minShift, depth)
      if (id === bin && chunk !== -1) return
      close(block, within)
      bin = id
      chunk = latest.get(id) ?? -1
      // A chunk that ends in the block where this one begins costs no further read: they become one.
      if (chunk === -1 || target.chunks[chunk + 3] !== block) {
        chunk = target.chunks.length
        target.chunks.push(id, block, within, block, within)
        latest.set(id, chunk)
      }
    },
    close,
    addUnplaced: (count) => {
      unplaced += count
    },
    done: () => ({ references, unplaced })
  }
}
