/**
 * From regions and an index to the stretches of the file that have to be read. The index is taken as a hint where that is
 * possible: the scan judges every record itself, and a stretch may be read too far but never out of order.
 *
 * An index says where each window of 16 kb begins; a target in its middle needs half of it. Where the records of a position are
 * expected decides only how much is fetched at first, never what is kept.
 */

import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import type { BinIndex, Chunk, ReferenceIndex } from "../index/BinIndex.ts"
import { nextKnownBlock, type ReferenceReading, readingOf, type Starts, unplacedFrom } from "../index/IndexRules.ts"
import { type FileOrder, type Gap, gapsFor } from "../index/Tiling.ts"
import type { ReferenceRegions } from "../regions/Regions.ts"
import { firstWhere } from "../Search.ts"

/** A stretch `[begin, end)` of the file that holds wanted records. */
export interface Stretch {
  /** Number of the reference, -1 for the unplaced reads, and for what no chunk leads to: it may hold any records, or none. */
  readonly ref: number
  readonly begin: VirtualOffset.Pair
  readonly end: VirtualOffset.Pair
  /** Records that start here or later (0-based) are not what this stretch is read for. */
  readonly until: number
  /** Byte offset past which nothing has to be fetched. */
  readonly fetchEnd: number
  /** Byte offset up to which it is fetched at first; where its records go on past it, more is fetched. */
  readonly expectedEnd: number
  /** Byte offset up to which its blocks are inflated ahead. */
  readonly likelyEnd: number
  /** True when it is all of the reference: no record of it follows. */
  readonly whole: boolean
}

const columns = 10

/** Stretches in file order, as a table: a panel of a million regions has nearly as many. */
export class Stretches {
  readonly #numbers: Array<number> = []
  /** The rows in file order; null where they were added in it. */
  #order: Uint32Array | null = null

  get length(): number {
    return this.#numbers.length / columns
  }

  add({ begin, end, expectedEnd, fetchEnd, likelyEnd, ref, until, whole }: Stretch): void {
    this.#numbers.push(ref, ...begin, ...end, until, fetchEnd, expectedEnd, likelyEnd, whole ? 1 : 0)
  }

  /** Puts them in file order, all so far; those that begin at one place stay as they were added. */
  sort(): void {
    const numbers = this.#numbers
    const compare = (a: number, b: number) =>
      numbers[a * columns + 1]! - numbers[b * columns + 1]! || numbers[a * columns + 2]! - numbers[b * columns + 2]!
    for (let row = 1; row < this.length; row++) {
      if (compare(row - 1, row) <= 0) continue
      this.#order = Uint32Array.from({ length: this.length }, (_, i) => i).sort((a, b) => compare(a, b) || a - b)
      return
    }
  }

  /** Stretch number `i`; undefined past the last. */
  at(i: number): Stretch | undefined {
    if (i >= this.length) return undefined
    const from = (this.#order?.[i] ?? i) * columns
    const number = (column: number) => this.#numbers[from + column]!
    return {
      ref: number(0),
      begin: [number(1), number(2)],
      end: [number(3), number(4)],
      until: number(5),
      fetchEnd: number(6),
      expectedEnd: number(7),
      likelyEnd: number(8),
      whole: number(9) === 1
    }
  }
}

/** Records of `position` (0-based) lie near `offset` of the file, in bytes. */
interface Waypoint {
  readonly position: number
  readonly offset: number
}

/** The nearest waypoints at or before a position, and after it. */
type Bracket = readonly [before: Waypoint, after: Waypoint]

/**
 * The windows of a BAI or TBI around `position`; `null` when it knows no window after it. A window begins with the first
 * record that reaches into it, taken here as one that starts up to a window earlier.
 */
const windowsAround = ({ linear }: ReferenceIndex, position: number, minShift: number): Bracket | null => {
  const width = 2 ** minShift
  const waypoint = (i: number): Waypoint => ({
    position: (i - 1) * width,
    offset: VirtualOffset.block(VirtualOffset.fromBits(linear[i]!))
  })
  const window = Math.floor(position / width) + 1
  // One long record can be the first of several windows.
  for (let next = window + 1; next < linear.length; next++) {
    if (linear[next]! > linear[window]!) return [waypoint(window), waypoint(next)]
  }
  return null
}

/** Bytes for one block more than expected: the expectation may miss by a little. */
const oneBlock = 0x8000

/** Where the records that start before a position end in the file (bytes): likely, and almost always. */
const expectedEnds = ([before, after]: Bracket, position: number): readonly [likely: number, ample: number] => {
  const distance = after.offset - before.offset
  const share = Math.min(1, Math.max(0, (position - before.position) / (after.position - before.position)))
  // As if they were spread evenly between the waypoints, and an eighth of their distance and a block more.
  const likely = before.offset + distance * share
  return [likely, Math.ceil(likely + distance / 8) + oneBlock]
}

/** Most bytes of a block; as many are fetched for the last block where the index does not say where the next one begins. */
const longestBlock = 0x10000
/** Bytes that are fetched of the block after the last one, to look at one record; most blocks are shorter. */
const usualBlock = 0x8000

/**
 * Where the records around `position` lie; `null` when the index does not say. Bins are exact where they are small, but writers of
 * indexes merge bins with little in them into larger ones. Windows of the linear index are always small, but one names the first record
 * that reaches into it, which may start long before it.
 */
const bracketOf = (starts: Starts, next: number, reference: ReferenceIndex, minShift: number, position: number) => {
  const waypoint = (i: number) => ({
    position: starts.positions[i]!,
    offset: VirtualOffset.block(VirtualOffset.fromBits(starts.offsets[i]!))
  })
  if (next === 0 || next === starts.positions.length) return windowsAround(reference, position, minShift)
  const bins: Bracket = [waypoint(next - 1), waypoint(next)]
  const near = bins[1].position - bins[0].position <= 2 ** (minShift + 1)
  return near ? bins : (windowsAround(reference, position, minShift) ?? bins)
}

/** A wanted interval `[start, end)` (0-based) of a reference, with what its index says. */
interface Interval {
  readonly ref: number
  readonly reference: ReferenceIndex
  readonly reading: ReferenceReading
  readonly minShift: number
  readonly start: number
  readonly end: number
}

/** A stretch of the bins of an interval. */
interface Bounds {
  readonly begin: VirtualOffset.VirtualOffset
  readonly end: VirtualOffset.VirtualOffset
  readonly fetchEnd: number
}

/** The chunks that may hold records of an interval, merged where they meet; `ceiling` null: no end is known. */
const chunksOf = ({ end, reading, reference, start }: Interval, ceiling: VirtualOffset.VirtualOffset | null) => {
  const merged: Array<Bounds> = []
  for (const { begin, end: stop } of reading.chunksOver(start, end, ceiling)) {
    const last = merged[merged.length - 1]
    const fetchTo = blockEndOf(stop, nextKnownBlock(reference, stop))
    if (last === undefined || VirtualOffset.block(last.end) < VirtualOffset.block(begin)) {
      merged.push({ begin, end: stop, fetchEnd: fetchTo })
    } else if (stop > last.end) merged[merged.length - 1] = { begin: last.begin, end: stop, fetchEnd: fetchTo }
  }
  return merged
}

/** Stretches of one interval, merged where they meet. */
const intervalStretches = (interval: Interval): ReadonlyArray<Stretch> => {
  const { end, minShift, reading, ref, reference } = interval
  const { offsets, positions } = reading.starts
  /** The first bin that begins at the end or later. */
  const next = firstWhere(positions.length, (bin) => positions[bin]! >= end)
  /** A record that starts at the end or later, with all after it; `null` when the index knows none. */
  const ceiling = next < offsets.length ? VirtualOffset.fromBits(offsets[next]!) : null
  const chunks = chunksOf(interval, ceiling)
  const bracket = bracketOf(reading.starts, next, reference, minShift, end)
  const everywhere = Number.POSITIVE_INFINITY
  const [likely, ample] = bracket === null ? [everywhere, everywhere] : expectedEnds(bracket, end)
  return chunks.map((chunk, i) => {
    const begin = VirtualOffset.pairOf(chunk.begin)
    // Of the first chunk at least one block is read: it shows whether the records of the interval end there.
    const first = i === 0 ? begin[0] + longestBlock : 0
    return {
      ...{ ref, begin, until: end, whole: false },
      end: VirtualOffset.pairOf(chunk.end),
      likelyEnd: Math.min(Math.max(likely, i === 0 ? begin[0] + 1 : 0), chunk.fetchEnd),
      expectedEnd: Math.min(Math.max(ample, first), chunk.fetchEnd + usualBlock),
      fetchEnd: chunk.fetchEnd + 2 * longestBlock
    }
  })
}

/** Byte offset up to which bytes are needed to read the records before `end`; `next` is the byte offset of a later block. */
const blockEndOf = (end: VirtualOffset.VirtualOffset, next: number): number => {
  const block = VirtualOffset.block(end)
  return VirtualOffset.within(end) === 0 ? block : Math.min(next, block + longestBlock)
}

/** All of a reference, from its first record to its last. */
const wholeStretch = (ref: number, { begin, end }: Chunk, whole: boolean): Stretch => {
  // The block in which the reference ends is read, and one record of the next block, to see that no record of it follows.
  const last = VirtualOffset.block(end)
  const fetchEnd = last + 2 * longestBlock
  return {
    ...{ ref, whole, until: Number.POSITIVE_INFINITY },
    begin: VirtualOffset.pairOf(begin),
    end: VirtualOffset.pairOf(end),
    likelyEnd: last + 1,
    expectedEnd: fetchEnd,
    fetchEnd
  }
}

/** A gap of the index. */
const gapStretch = ({ begin, end }: Chunk): Stretch => {
  const fetchEnd = blockEndOf(end, Number.POSITIVE_INFINITY)
  return {
    ...{ ref: -1, until: Number.POSITIVE_INFINITY, whole: false, fetchEnd },
    begin: VirtualOffset.pairOf(begin),
    end: VirtualOffset.pairOf(end),
    likelyEnd: fetchEnd,
    expectedEnd: fetchEnd
  }
}

/** How to plan. */
export interface PlanOptions {
  readonly order: FileOrder
  readonly firstRecord: VirtualOffset.VirtualOffset
  /** Take the unplaced reads too, which lie after all others, up to this byte offset, where the data ends. Null: leave them. */
  readonly unplacedTo: number | null
}

/** What is read, in file order, and what of it the index does not lead to. */
export interface Planned {
  readonly stretches: Stretches
  readonly gaps: ReadonlyArray<Gap>
}

/** The stretches to read. References that the index has nothing about give none, unless it lacks a part where they may lie. */
export const planStretches = (
  regions: ReadonlyArray<ReferenceRegions>,
  index: BinIndex,
  { firstRecord, order, unplacedTo: dataEnd }: PlanOptions
): Planned => {
  const stretches = new Stretches()
  const gaps = gapsFor(index, order, firstRecord, regions)
  const extents = new Map(order.extents.map((extent) => [extent.ref, extent]))
  for (const { bounds, ref, whole } of regions) {
    const extent = extents.get(ref)
    if (extent === undefined) continue
    const isWhole = !gaps.some(({ after, before }) => after === ref || before?.ref === ref)
    if (whole) {
      stretches.add(wholeStretch(ref, extent, isWhole))
      continue
    }
    const reference = index.reference(ref)
    const reading = readingOf(reference, index, isWhole)
    const windowOf = (position: number) => Math.floor(position / 2 ** index.minShift)
    for (let i = 0; i < bounds.length; ) {
      const start = bounds[i]!
      let end = bounds[i + 1]!
      i += 2
      // Intervals that share a window are read in one go: the index says nothing of what lies between them.
      while (i < bounds.length && windowOf(bounds[i]!) === windowOf(end - 1)) {
        end = bounds[i + 1]!
        i += 2
      }
      for (const stretch of intervalStretches({ ref, reference, reading, minShift: index.minShift, start, end }))
        stretches.add(stretch)
    }
  }
  for (const gap of gaps) stretches.add(gapStretch(gap))
  stretches.sort()
  if (dataEnd !== null) {
    const begin = VirtualOffset.pairOf(unplacedFrom(index, firstRecord))
    if (begin[0] < dataEnd) {
      stretches.add({
        ...{ ref: -1, begin, end: [dataEnd, 0], until: Number.POSITIVE_INFINITY, whole: false },
        ...{ likelyEnd: dataEnd, expectedEnd: dataEnd, fetchEnd: dataEnd }
      })
    }
  }
  return { stretches, gaps }
}
