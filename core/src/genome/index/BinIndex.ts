/**
 * The R-tree of bins that BAI, TBI and CSI share (SAM specification, sections 5.1-5.3; CSI and tabix specifications).
 * Parsing walks the bytes once, checks every count against the bytes that are left, and decodes a reference only when
 * it is asked for.
 */
import * as Result from "effect/Result"
import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { firstOfLevel, pseudoBin, usualDepth, usualShift } from "./Bins.ts"

/** A range `[begin, end)` of virtual offsets of the data file. */
export interface Chunk {
  readonly begin: VirtualOffset.VirtualOffset
  readonly end: VirtualOffset.VirtualOffset
}

/** Reads that the index says a reference has. */
export interface Counts {
  readonly mapped: number
  readonly unmapped: number
}

export interface Bin {
  readonly id: number
  /** CSI only (`loffset`): no record that overlaps the bin starts before. */
  readonly loffset: VirtualOffset.VirtualOffset | null
  readonly chunks: ReadonlyArray<Chunk>
}

/** What an index says about one reference. */
export interface ReferenceIndex {
  readonly bins: ReadonlyMap<number, Bin>
  /** The linear index of BAI and TBI (`ioffset`): for each window of 16 kb the first record that overlaps it; empty in CSI. */
  readonly linear: BigUint64Array
  readonly counts: Counts | null
}

export interface BinIndex {
  readonly format: "BAI" | "TBI" | "CSI"
  /** Bases of the smallest bins, as a power of two (`min_shift`); 14 in BAI and TBI. */
  readonly minShift: number
  /** Levels below the root; 5 in BAI and TBI. */
  readonly depth: number
  readonly references: number
  /**
   * Of each reference that has chunks, in the order of the index, a row of numbers: the reference, where the first of its chunks begins
   * (block, within), and where the last one ends. Some files have millions of references.
   */
  readonly extents: ReadonlyArray<number>
  /** Where the last chunk ends, `null` without chunks. */
  readonly lastEnd: VirtualOffset.VirtualOffset | null
  /** Number of unplaced reads (`n_no_coor`), where the index says so. */
  readonly unplaced: number | null
  /** Decodes reference `i`. */
  readonly reference: (i: number) => ReferenceIndex
}

/** All bins that `[start, end)` touches (`reg2bins` of the SAM specification, section 5.3), as far as the index has them. */
export const binsOver = (
  { bins }: Pick<ReferenceIndex, "bins">,
  { depth, minShift }: Pick<BinIndex, "minShift" | "depth">,
  start: number,
  end: number
): ReadonlyArray<Bin> => {
  const found: Array<Bin> = []
  const take = (id: number) => {
    const bin = bins.get(id)
    if (bin !== undefined) found.push(bin)
  }
  for (let level = 0; level <= depth; level++) {
    const size = 2 ** (minShift + 3 * (depth - level))
    const base = firstOfLevel(level)
    const first = base + Math.floor(start / size)
    const last = Math.min(base + Math.floor((end - 1) / size), base + 8 ** level - 1)
    if (last - first < bins.size) for (let id = first; id <= last; id++) take(id)
    else for (const id of bins.keys()) if (id >= first && id <= last) take(id)
  }
  return found
}

/** Numbers in a row of `extents`. */
export const extentColumns = 5

const emptyReference: ReferenceIndex = { bins: new Map(), linear: new BigUint64Array(0), counts: null }

/** Parses the references that begin at `at`; the failure is a phrase for a person. */
export const parseBins = (
  bytes: Uint8Array,
  at: number,
  format: BinIndex["format"],
  minShift: number,
  depth: number,
  references: number
): Result.Result<BinIndex, string> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const left = () => bytes.length - at
  const csi = format === "CSI"
  const pseudo = pseudoBin(depth)
  const perReference = csi ? 4 : 8
  if (references * perReference > left()) {
    return Result.fail(`it claims ${references} references, more than its ${bytes.length} bytes can hold`)
  }
  const places = new Float64Array(references)
  const extents: Array<number> = []
  for (let ref = 0; ref < references; ref++) {
    places[ref] = at
    let firstBlock = Number.POSITIVE_INFINITY
    let firstWithin = 0
    let lastBlock = -1
    let lastWithin = 0
    if (left() < perReference) return Result.fail(`it ends before reference ${ref + 1}`)
    const bins = view.getUint32(at, true)
    at += 4
    for (let bin = 0; bin < bins; bin++) {
      if (left() < (csi ? 16 : 8)) return Result.fail(`it ends inside the bins of reference ${ref + 1}`)
      const id = view.getUint32(at, true)
      at += csi ? 12 : 4
      const chunks = view.getUint32(at, true)
      at += 4
      if (chunks * 16 > left()) return Result.fail(`bin ${id} of reference ${ref + 1} claims ${chunks} chunks`)
      if (id > pseudo) return Result.fail(`reference ${ref + 1} has a bin ${id}, which does not exist`)
      if (id === pseudo) {
        at += chunks * 16
        continue
      }
      for (let chunk = 0; chunk < chunks; chunk++, at += 16) {
        const beginBlock = view.getUint32(at + 4, true) * 0x10000 + view.getUint16(at + 2, true)
        const beginWithin = view.getUint16(at, true)
        const endBlock = view.getUint32(at + 12, true) * 0x10000 + view.getUint16(at + 10, true)
        const endWithin = view.getUint16(at + 8, true)
        const reversed = beginBlock === endBlock ? beginWithin > endWithin : beginBlock > endBlock
        if (reversed) return Result.fail(`a chunk of bin ${id} of reference ${ref + 1} ends before it begins`)
        if (beginBlock < firstBlock || (beginBlock === firstBlock && beginWithin < firstWithin)) {
          firstBlock = beginBlock
          firstWithin = beginWithin
        }
        if (endBlock > lastBlock || (endBlock === lastBlock && endWithin > lastWithin)) {
          lastBlock = endBlock
          lastWithin = endWithin
        }
      }
    }
    if (lastBlock >= 0) extents.push(ref, firstBlock, firstWithin, lastBlock, lastWithin)
    if (csi) continue
    if (left() < 4) return Result.fail(`it ends inside reference ${ref + 1}`)
    const intervals = view.getUint32(at, true)
    at += 4
    if (intervals * 8 > left()) return Result.fail(`reference ${ref + 1} claims ${intervals} intervals`)
    at += intervals * 8
  }
  const wrongEnd = endFault(bytes, at, format)
  if (wrongEnd !== null) return Result.fail(wrongEnd)
  const unplaced = left() >= unplacedSize ? Number(view.getBigUint64(at, true)) : null
  return Result.succeed({
    format,
    minShift,
    depth,
    references,
    extents,
    lastEnd: lastEndOf(extents),
    unplaced,
    reference: (i) => {
      const place = places[i]
      return place === undefined ? emptyReference : decodeReference(view, place, csi, pseudo)
    }
  })
}

const lastEndOf = (extents: ReadonlyArray<number>): VirtualOffset.VirtualOffset | null => {
  let last: VirtualOffset.VirtualOffset | null = null
  for (let at = 0; at < extents.length; at += extentColumns) {
    const end = VirtualOffset.make(extents[at + 3]!, extents[at + 4]!)
    if (last === null || end > last) last = end
  }
  return last
}

/** Bytes of the number of unplaced reads (`n_no_coor`), which may end an index. */
const unplacedSize = 8

/** After its references, at `at`, an index has that number whole or nothing: what is wrong where it has neither, or null. */
const endFault = (bytes: Uint8Array, at: number, format: BinIndex["format"]): string | null => {
  const { length } = bytes
  const end = at + unplacedSize
  if (length === at || length === end) return null
  const content = format === "BAI" ? "" : " of its content"
  if (length < end) return `it ends at byte ${length}${content}, inside its last number, which begins at byte ${at}`
  // bamtools leaves zeros behind its indexes.
  if (format === "BAI" && bytes.subarray(end).every((byte) => byte === 0)) return null
  return `its end is at byte ${end}${content}, and it goes on to byte ${length}`
}

const offsetAt = (view: DataView, at: number) => VirtualOffset.fromBits(view.getBigUint64(at, true))

const decodeReference = (view: DataView, place: number, csi: boolean, pseudo: number): ReferenceIndex => {
  let at = place + 4
  const bins = new Map<number, Bin>()
  let counts: Counts | null = null
  for (let left = view.getUint32(place, true); left > 0; left--) {
    const id = view.getUint32(at, true)
    const loffset = csi ? offsetAt(view, at + 4) : null
    at += csi ? 12 : 4
    const size = view.getUint32(at, true)
    at += 4
    if (id === pseudo) {
      if (size === 2) {
        counts = {
          mapped: Number(view.getBigUint64(at + 16, true)),
          unmapped: Number(view.getBigUint64(at + 24, true))
        }
      }
      at += size * 16
      continue
    }
    const chunks: Array<Chunk> = []
    for (let i = 0; i < size; i++, at += 16) chunks.push({ begin: offsetAt(view, at), end: offsetAt(view, at + 8) })
    bins.set(id, { id, loffset, chunks })
  }
  if (csi) return { bins, linear: new BigUint64Array(0), counts }
  const linear = new BigUint64Array(view.getUint32(at, true))
  for (let i = 0; i < linear.length; i++) linear[i] = view.getBigUint64(at + 4 + i * 8, true)
  return { bins, linear, counts }
}

/** Parses a whole BAI, whose magic bytes were seen; fails with what is wrong, in words. */
export const parseBai = (bytes: Uint8Array): Result.Result<BinIndex, string> => {
  if (bytes.length < 8) return Result.fail("it ends inside its header")
  const references = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  return parseBins(bytes, 8, "BAI", usualShift, usualDepth, references)
}
