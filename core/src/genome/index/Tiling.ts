/**
 * The law of an index: **its chunks tile the file**. By where they begin they cover it without a gap, from the first record to the end that
 * `checkLastEnd` proves, the record where a chunk begins starts inside the bin that names it, and where a window begins a bin that reaches
 * it has a chunk. All programs that write indexes keep it,
 * whatever their bins, windows and floors are (docs/dev/adr/0029-the-chunks-of-an-index-tile-the-file.md). What an index lacks is a gap,
 * and lies between its neighbours, as the file is in order: there it is read, so that nothing is lost.
 */
import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { firstWhere } from "../Search.ts"
import { type Bin, type BinIndex, binsOver, type Chunk, extentColumns, type ReferenceIndex } from "./BinIndex.ts"
import { binStart, firstOfLevel, levelOf } from "./Bins.ts"

type Shape = Pick<BinIndex, "minShift" | "depth">

/** A part of the file to which no chunk leads. */
export interface Gap extends Chunk {
  /** The reference before it, of which its records start at `position` (0-based) or later; null where the records begin. */
  readonly before: { readonly ref: number; readonly position: number } | null
  /** The reference behind it. */
  readonly after: number
}

/** A reference, from the first of its chunks to the end of the last one. */
export interface Extent extends Chunk {
  readonly ref: number
}

const byBegin = (a: Chunk, b: Chunk): number => (a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : 0)

/** Where the references stand in a file: in the order of the header, seldom in another, but each in one piece. */
export interface FileOrder {
  /** Of the references that have chunks. */
  readonly extents: ReadonlyArray<Extent>
  /** Of two references, the one of the lower rank stands before the other; NaN for one that the index does not place. */
  readonly rank: (ref: number) => number
}

export const fileOrder = ({ extents: numbers, references }: BinIndex): FileOrder => {
  const extents = Array.from({ length: numbers.length / extentColumns }, (_, i): Extent => {
    const at = i * extentColumns
    const begin = VirtualOffset.make(numbers[at + 1]!, numbers[at + 2]!)
    return { ref: numbers[at]!, begin, end: VirtualOffset.make(numbers[at + 3]!, numbers[at + 4]!) }
  }).sort(byBegin)
  if (extents.every(({ ref }, i) => i === 0 || ref > extents[i - 1]!.ref)) {
    return { extents, rank: (ref) => (ref < references ? ref : Number.NaN) }
  }
  const ranks = new Map(extents.map(({ ref }, i) => [ref, i]))
  return { extents, rank: (ref) => ranks.get(ref) ?? Number.NaN }
}

/** Older writers put what stands before the first base (POS 0) into the bin of that number, which begins near 2^29. */
export const isBeforeFirstBase = (bin: number, { depth }: Shape): boolean =>
  bin === firstOfLevel(depth) - 1 && depth > 0

const startOf = (bin: number, shape: Shape): number =>
  isBeforeFirstBase(bin, shape) ? 0 : binStart(bin, shape.minShift, shape.depth)

/**
 * Whether each place where a window begins lies in a chunk of a bin that reaches the window. Writers join chunks of a bin that share a
 * block: a bin that is lost may lie below them, and no gap shows it.
 */
const areWindowsInBins = ({ bins, linear }: ReferenceIndex, shape: Shape): boolean => {
  const width = 2 ** shape.minShift
  const first = bins.get(firstOfLevel(shape.depth) - 1)
  for (let from = 0, to = 0; from < linear.length; from = to) {
    const at = linear[from]!
    // Of windows that have one place some are empty, or a long record reaches into all.
    while (to < linear.length && linear[to] === at) to++
    const reaching = binsOver({ bins }, shape, from * width, to * width)
    const holds = ({ chunks }: Bin) => {
      const next = firstWhere(chunks.length, (i) => chunks[i]!.begin > at)
      return next > 0 && at <= chunks[next - 1]!.end
    }
    if (at !== 0n && !reaching.some(holds) && !(from === 0 && first !== undefined && holds(first))) return false
  }
  return true
}

/** The gaps between the chunks of one reference; all of it where a lost bin may be below others. */
const gapsInside = ({ begin, end, ref }: Extent, reference: ReferenceIndex, shape: Shape): ReadonlyArray<Gap> => {
  if (!areWindowsInBins(reference, shape)) return [{ begin, end, before: { ref, position: 0 }, after: ref }]
  const chunks = Array.from(reference.bins.values(), (bin) => bin.chunks).flat()
  // As many have ended there as have begun: none of them lies over it.
  const begins = BigUint64Array.from(chunks, ({ begin }) => begin).sort()
  const ends = BigUint64Array.from(chunks, ({ end }) => end).sort()
  const gaps: Array<Chunk> = []
  for (let i = 1; i < begins.length; i++) {
    if (ends[i - 1]! >= begins[i]!) continue
    gaps.push({ begin: VirtualOffset.fromBits(ends[i - 1]!), end: VirtualOffset.fromBits(begins[i]!) })
  }
  if (gaps.length === 0) return []
  const starts = [...reference.bins.values()]
    .flatMap(({ chunks, id }) => chunks.map((chunk) => ({ ...chunk, position: startOf(id, shape) })))
    .sort(byBegin)
  let next = 0
  let position = 0
  return gaps.map((gap): Gap => {
    for (; next < starts.length && starts[next]!.begin < gap.end; next++) {
      position = Math.max(position, starts[next]!.position)
    }
    return { ...gap, before: { ref, position }, after: ref }
  })
}

/** The gaps before, between, and inside those references of which `isLookedAt` says so, in the order of the file. */
export function* gapsOf(
  index: BinIndex,
  { extents }: FileOrder,
  firstRecord: VirtualOffset.VirtualOffset,
  isLookedAt: (ref: number) => boolean = () => true
): Generator<Gap> {
  let end = firstRecord
  let last: number | null = null
  for (const extent of extents) {
    if (extent.begin > end) {
      const before = last === null ? null : { ref: last, position: lastStart(index.reference(last), index) }
      yield { begin: end, end: extent.begin, before, after: extent.ref }
    }
    if (isLookedAt(extent.ref)) yield* gapsInside(extent, index.reference(extent.ref), index)
    if (extent.end > end) end = extent.end
    last = extent.ref
  }
}

/** No record behind the chunks of a reference starts before that (0-based). */
const lastStart = ({ bins }: ReferenceIndex, shape: Shape): number => {
  let last = 0
  for (const { chunks, id } of bins.values()) if (chunks.length > 0) last = Math.max(last, startOf(id, shape))
  return last
}

/** What is wanted of a reference: starts and ends in turn, sorted. */
interface Wanted {
  readonly ref: number
  readonly bounds: ArrayLike<number>
}

/** The gaps that may hold wanted records; how far those in them reach nothing says. */
export const gapsFor = (
  index: BinIndex,
  order: FileOrder,
  firstRecord: VirtualOffset.VirtualOffset,
  wanted: ReadonlyArray<Wanted>
): ReadonlyArray<Gap> => {
  const { rank } = order
  const refs = new Set(wanted.map(({ ref }) => ref))
  const touches =
    ({ after, before }: Gap) =>
    ({ bounds, ref }: Wanted) => {
      if (ref === before?.ref) return (bounds[bounds.length - 1] ?? 0) > before.position
      if (ref === after) return true
      // Where a reference would stand that the index does not place, nothing says.
      return before?.ref !== after && !(before !== null && rank(ref) < rank(before.ref)) && !(rank(ref) > rank(after))
    }
  return Array.from(gapsOf(index, order, firstRecord, (ref) => refs.has(ref))).filter((gap) =>
    wanted.some(touches(gap))
  )
}

/** Bytes of the file that gaps take, blocks that they share with chunks not counted. */
export const bytesOf = (gaps: ReadonlyArray<Chunk>): number =>
  gaps.reduce((sum, { begin, end }) => sum + VirtualOffset.block(end) - VirtualOffset.block(begin), 0)

/** A place of the file to which an index leads, and bounds of where the record there starts (0-based). */
type Lead = readonly [at: VirtualOffset.VirtualOffset, least: number, most: number]

/** Where bins begin, and where readers of a window or of a bin may begin: with the first record that reaches into it, or a later one. */
const leadsOf = ({ bins, linear }: ReferenceIndex, shape: Shape): ReadonlyArray<Lead> => {
  const leads: Array<Lead> = []
  for (const { chunks, id, loffset } of bins.values()) {
    if (isBeforeFirstBase(id, shape)) continue
    const start = startOf(id, shape)
    const end = start + 2 ** (shape.minShift + 3 * (shape.depth - levelOf(id, shape.depth)))
    const begin = chunks[0]?.begin
    if (begin === undefined) continue
    leads.push([begin, start, end])
    // A bin to which no mapped record reaches has the place of the next one, which starts behind the bin.
    if (loffset !== null && loffset < begin) leads.push([loffset, 0, end])
  }
  // Of several windows that have one place the others are empty, or it is that of a long record; where none follows, nothing is sure.
  for (let i = 0; i + 1 < linear.length; i++) {
    if (linear[i]! >= linear[i + 1]!) continue
    leads.push([VirtualOffset.fromBits(linear[i]!), 0, (i + 1) * 2 ** shape.minShift])
  }
  return leads.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** The places of the file to which the index of wanted references leads. They are asked in the order of the file. */
export class Leads {
  /** Rows of numbers: block, within, reference, and the bounds. */
  readonly #numbers: Float64Array
  #next = 0

  constructor(numbers: Float64Array) {
    this.#numbers = numbers
  }

  static readonly none = new Leads(new Float64Array(0))

  static of(index: BinIndex, { extents }: FileOrder, wanted: ReadonlyArray<Pick<Wanted, "ref">>): Leads {
    const refs = new Set(wanted.map(({ ref }) => ref))
    const rows = extents
      .filter(({ ref }) => refs.has(ref))
      .flatMap(({ ref }) =>
        leadsOf(index.reference(ref), index).map(([at, ...bounds]) => [...VirtualOffset.pairOf(at), ref, ...bounds])
      )
    return new Leads(Float64Array.from(rows.flat()))
  }

  /** False when it leads to (`block`, `within`) for other records than the one there, which starts at `start` (0-based) of `ref`. */
  allow(block: number, within: number, ref: number, start: number): boolean {
    const numbers = this.#numbers
    let at = this.#next
    while (numbers[at]! < block || (numbers[at] === block && numbers[at + 1]! < within)) at += leadColumns
    let holds = true
    for (; numbers[at] === block && numbers[at + 1] === within; at += leadColumns) {
      // What stands before the first base is in the first bin, or in that of all.
      const position = Math.max(0, start)
      if (ref !== numbers[at + 2] || position < numbers[at + 3]! || position >= numbers[at + 4]!) holds = false
    }
    this.#next = at
    return holds
  }
}

const leadColumns = 5
