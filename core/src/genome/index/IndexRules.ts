/**
 * The rules by which an index narrows what is read: this is the one place that says them. Slices, tickets, estimates and the proof of
 * an index ask here. Sections are those of the SAM specification; CSI is "CSIv1". A rule that two writers mean differently is believed
 * as far as both are right: a chunk too much costs a block, a chunk too little loses a record.
 */
import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { firstWhere } from "../Search.ts"
import { type Bin, type BinIndex, binsOver, type Chunk, type ReferenceIndex } from "./BinIndex.ts"
import { binStart, firstOfLevel } from "./Bins.ts"
import { isBeforeFirstBase } from "./Tiling.ts"

type Shape = Pick<BinIndex, "minShift" | "depth">
type Offset = VirtualOffset.VirtualOffset

/** Bases that the bins hold; what starts later cannot be in the index (5.3: 2^29 in BAI and TBI). htslib makes no such index. */
export const addressable = ({ depth, minShift }: Shape): number => 2 ** (minShift + 3 * depth)

const zero = VirtualOffset.fromBits(0n)
const isFirstChild = (bin: number): boolean => bin % 8 === 1
const parentOf = (bin: number): number => (bin - 1) >>> 3

/**
 * The bin that tells where readers of a smallest bin begin (CSIv1, `loffset`): itself; where the index does not have it, the nearest on
 * its left among those of one parent; then that parent, and so on. So do htslib (`hts_itr_query`) and htsjdk (`CSIIndex`); noodles goes to
 * the parent at once.
 */
const tellingBin = ({ bins }: ReferenceIndex, smallest: number): Bin | null => {
  for (let id = smallest; ; id = isFirstChild(id) ? parentOf(id) : id - 1) {
    const bin = bins.get(id)
    if (bin !== undefined) return bin
    if (id === 0) return null
  }
}

const beginOf = ({ chunks }: Bin): Offset | null => chunks[0]?.begin ?? null

/**
 * Whether the `loffset` of bins speaks of all records that reach into them. htslib and htsjdk write the first record that overlaps the
 * bin; noodles-csi 0.58 the first record of it or of one around it; older noodles the first record of the bin itself, as every chunk
 * says anyway, and before it may lie longer ones that are in larger bins. The smallest bins and the larger ones are judged apart.
 */
const tellsOfOthers = ({ bins }: ReferenceIndex, { depth }: Shape, smallest: boolean): boolean => {
  for (const bin of bins.values()) {
    if (bin.id >= firstOfLevel(depth) !== smallest || bin.loffset === zero) continue
    if (bin.loffset !== beginOf(bin)) return true
  }
  return false
}

/** What `tellsOfOthers` says of a reference: of its smallest bins, and of larger ones. */
interface Believed {
  readonly smallest: boolean
  readonly larger: boolean
}

/** By `loffset`. */
const floorByBins = (reference: ReferenceIndex, { depth }: Shape, believed: Believed, window: number): Offset => {
  const smallest = firstOfLevel(depth)
  const bin = tellingBin(reference, smallest + window)
  if (bin === null || bin.loffset === null) return zero
  if (!(bin.id >= smallest ? believed.smallest : believed.larger)) return zero
  // What is written of a bin must not skip its own records: older htslib did not count unmapped ones.
  const begin = beginOf(bin)
  return begin !== null && begin < bin.loffset ? begin : bin.loffset
}

/**
 * The same by the linear index of BAI and TBI (5.1.3, `ioffset`): the first record that overlaps the window of 16 kb. htslib, htsjdk and
 * noodles take it so; past its last window, the last one (htsjdk too). Older samtools did not count unmapped reads and filled windows
 * without reads from a neighbour; there the reads lie after what an earlier window says.
 */
const floorByWindows = ({ bins, counts, linear }: ReferenceIndex, { depth }: Shape, window: number): Offset => {
  const last = Math.min(window, linear.length - 1)
  const floor = VirtualOffset.fromBits(linear[last]!)
  if (counts?.unmapped === 0) return floor
  const own = bins.get(firstOfLevel(depth) + window)
  if (own !== undefined) {
    const begin = beginOf(own)
    return begin !== null && begin < floor ? begin : floor
  }
  for (let before = last - 1; before >= 0; before--) {
    if (linear[before]! < floor) return VirtualOffset.fromBits(linear[before]!)
  }
  return zero
}

/** Where the records of the bins of a reference begin, to find a place after which all records start at a position or later. */
export interface Starts {
  /** 0-based start of each bin, ascending. */
  readonly positions: Float64Array
  /** For each bin: where the first record of it and of all bins after it begins. */
  readonly offsets: BigUint64Array
}

/**
 * The chunks of bins that begin at a position or later hold records that start there, and the file is in order: what lies before the
 * first of them ends a search. htslib takes the next bin on the right (`max_off`); htsjdk and noodles use no such end.
 */
const startsOf = (reference: ReferenceIndex, shape: Shape): Starts => {
  const bins = [...reference.bins.values()]
    .flatMap((bin) => {
      const offset = isBeforeFirstBase(bin.id, shape) ? null : beginOf(bin)
      return offset === null ? [] : [{ position: binStart(bin.id, shape.minShift, shape.depth), offset }]
    })
    .sort((a, b) => a.position - b.position)
  const offsets = new BigUint64Array(bins.length)
  let least = 2n ** 64n - 1n
  for (let i = bins.length - 1; i >= 0; i--) {
    const { offset } = bins[i]!
    if (offset < least) least = offset
    offsets[i] = least
  }
  return { positions: Float64Array.from(bins, ({ position }) => position), offsets }
}

/** How one reference of an index is to be read. */
export interface ReferenceReading {
  readonly starts: Starts
  /**
   * The chunks that may hold records over `[start, end)` (0-based), by their begins, cut to where such records can lie; `ceiling` is
   * where records from `end` on begin, null when that is not known.
   */
  readonly chunksOver: (start: number, end: number, ceiling: Offset | null) => ReadonlyArray<Chunk>
}

/** @param isWhole - false when chunks of it are missing: what it says of where readers begin is then of no use */
export const readingOf = (reference: ReferenceIndex, shape: Shape, isWhole: boolean): ReferenceReading => {
  const believed = {
    smallest: tellsOfOthers(reference, shape, true),
    larger: tellsOfOthers(reference, shape, false)
  }

  /**
   * Before it lies no record of the bins around `position` (0-based) that reaches that position. Of other bins it says nothing: what
   * noodles writes speaks of the bins around one alone.
   */
  const floorAt = (position: number): Offset => {
    const window = Math.floor(position / 2 ** shape.minShift)
    if (!isWhole || window >= 8 ** shape.depth) return zero
    return reference.linear.length > 0
      ? floorByWindows(reference, shape, window)
      : floorByBins(reference, shape, believed, window)
  }

  return {
    starts: startsOf(reference, shape),
    chunksOver: (start, end, ceiling) => {
      const floor = floorAt(start)
      const found: Array<Chunk> = []
      for (const { chunks, id } of binsOver(reference, shape, start, Math.min(end, addressable(shape)))) {
        const isAround = binStart(id, shape.minShift, shape.depth) <= start
        for (const chunk of chunks) {
          const begin = isAround && chunk.begin < floor ? floor : chunk.begin
          const end = ceiling !== null && ceiling < chunk.end ? ceiling : chunk.end
          if (begin < end) found.push({ begin, end })
        }
      }
      return found.sort((a, b) => (a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : 0))
    }
  }
}

/**
 * The number of unplaced reads (4.2, `n_no_coor`), null when it is not known: bamtools counts nothing and writes 0. Where the pseudo-bin
 * is missing (5.2), which htsjdk and older samtools leave out, `counts` of a reference is null and nothing follows from it.
 */
export const unplacedOf = ({ unplaced }: BinIndex): number | null => (unplaced === 0 ? null : unplaced)

/** Unplaced reads follow the last chunk of all; without chunks they follow the header. htslib takes the last end of the pseudo-bins. */
export const unplacedFrom = ({ lastEnd }: BinIndex, firstRecord: Offset): Offset => lastEnd ?? firstRecord

/** Where a reader such as samtools begins that asks for a position: from `position` (0-based) up to that of the next one. */
export interface ReaderFloor {
  readonly position: number
  readonly offset: Offset
}

/**
 * What an index promises to all readers, by position: a record that reaches a position, and lies before what is said of it, is lost to
 * those that believe it. By the rules of htslib for CSI (`tellingBin`) and of all for the linear index.
 */
export const readerFloors = (reference: ReferenceIndex, shape: Shape): ReadonlyArray<ReaderFloor> => {
  const { bins, linear } = reference
  const width = 2 ** shape.minShift
  if (linear.length > 0) {
    return Array.from(linear, (offset, i) => ({ position: i * width, offset: VirtualOffset.fromBits(offset) }))
  }
  const withBins = new Set([0])
  for (const id of bins.keys()) {
    for (let around = id; !withBins.has(around); around = parentOf(around)) withBins.add(around)
  }
  const floors: Array<ReaderFloor> = []
  /** `inherited`: what is said where neither the bin nor one on its left is there. */
  const visit = (id: number, level: number, inherited: Offset) => {
    const own = bins.get(id)?.loffset ?? inherited
    if (level === shape.depth || !withBins.has(id)) {
      if (floors.at(-1)?.offset !== own) {
        floors.push({ position: binStart(id, shape.minShift, shape.depth), offset: own })
      }
      return own
    }
    let before = own
    for (let child = 8 * id + 1; child <= 8 * id + 8; child++) before = visit(child, level + 1, before)
    return own
  }
  if (bins.size > 0) visit(0, 0, zero)
  return floors
}

/** Byte offset of the first block after `end` that the windows of the reference know; infinite when none. */
export const nextKnownBlock = ({ linear }: ReferenceIndex, end: Offset): number => {
  const lastOfBlock = end | 0xffffn
  const found = linear[firstWhere(linear.length, (window) => linear[window]! > lastOfBlock)]
  return found === undefined ? Number.POSITIVE_INFINITY : VirtualOffset.block(VirtualOffset.fromBits(found))
}
