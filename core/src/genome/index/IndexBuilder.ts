/**
 * Builds BAI, TBI or CSI from the records of a file, in file order (SAM specification, sections 5.1-5.3). Virtual offsets are pairs of
 * numbers here: this is the one place that touches every record.
 */
import { compress } from "../bgzf/BgzfWriter.ts"
import type { Codec } from "../bgzf/Codec.ts"
import { encodeName } from "../ReferenceName.ts"
import { firstWhere } from "../Search.ts"
import {
  binAmong,
  binOf,
  firstOfLevel,
  lastBase,
  levelOf,
  newDepth,
  pseudoBin,
  usualDepth,
  usualShift
} from "./Bins.ts"
import type { TabixColumns } from "./TabixIndex.ts"

export interface IndexBuilder {
  /**
   * A record of reference `ref` that covers `[start, end)` (0-based) and begins in the file at (`block`, `within`). The
   * record before it ends there.
   */
  readonly add: (ref: number, start: number, end: number, mapped: boolean, block: number, within: number) => void
  /** The last record added ends at (`block`, `within`). Call it before unplaced reads are written, and at the end. */
  readonly close: (block: number, within: number) => void
  /** Counts unplaced reads (`n_no_coor`), which end a BAM. */
  readonly addUnplaced: (count: number) => void
  /**
   * BAI or TBI where they hold references of `longest` bases and all records, else a CSI that does, with no more levels than it needs.
   */
  readonly fitting: (codec: Codec["Service"], of: Indexed, longest: number) => Fitting
  /** The `.bai` of a BAM with `references` reference sequences. */
  readonly bai: (references: number) => Uint8Array
  /** The inflated `.csi`, with `levels` levels of bins. */
  readonly csi: (of: Indexed, levels?: number) => Uint8Array
  /** The inflated `.tbi` of a text file with these columns; `names[i]` is reference `i`. */
  readonly tbi: (columns: TabixColumns) => Uint8Array
}

/** The number of reference sequences of a BAM, or the columns of a text file. */
export type Indexed = number | TabixColumns

/** An index as it is written, and what its name adds to that of its data. */
export interface Fitting {
  readonly suffix: "bai" | "csi" | "tbi"
  readonly bytes: Uint8Array
}

interface Reference {
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

const encoder = new TextEncoder()

/** Records must end at or before this position to be in an index that is made with the most levels. */
export const limit = lastBase(usualShift, newDepth)

/** `depth` is the most levels of bins that the index can be written with. */
export const make = (minShift = usualShift, depth = newDepth): IndexBuilder => {
  const window = 2 ** minShift
  const references: Array<Reference | undefined> = []
  let unplaced = 0
  /** Up to here the bins of the records go (bases). */
  let reach = 0

  // The run of records that fall into one bin, whose chunk is not closed.
  let bin = -1
  let current: Reference | undefined
  let chunk = -1
  /** Where the last chunk of each bin of the current reference lies in its chunks. */
  let latest = new Map<number, number>()
  /** The smallest bins before this one are covered by records of the current reference. */
  let covered = 0

  const close: IndexBuilder["close"] = (block, within) => {
    if (current === undefined || chunk === -1) return
    current.chunks[chunk + 3] = block
    current.chunks[chunk + 4] = within
    current.last = [block, within]
    // What comes next does not follow it: it begins a chunk of its own.
    chunk = -1
  }

  const begin = (ref: number, block: number, within: number): Reference => {
    const place = [block, within] as const
    const reference = { ref, chunks: [], linear: [], first: place, last: place, mapped: 0, unmapped: 0 }
    references[ref] = reference
    current = reference
    latest = new Map()
    covered = 0
    return reference
  }

  const add: IndexBuilder["add"] = (ref, start, end, mapped, block, within) => {
    if (ref !== current?.ref) close(block, within)
    const target = ref === current?.ref && current !== undefined ? current : begin(ref, block, within)
    if (mapped) target.mapped++
    else target.unmapped++
    const stop = Math.floor((end - 1) / window) + 1
    if (stop > covered) {
      target.linear.push(stop, block, within)
      covered = stop
      if (stop * window > reach) reach = stop * window
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
  }

  /**
   * Bins whose chunks all lie within 64 KiB of the file move into their parent, as htslib does: splitting them would
   * not save a read, and indexes of thin data shrink by an order of magnitude.
   */
  const compact = (
    all: ReadonlyArray<number>,
    levels: number
  ): ReadonlyArray<readonly [number, ReadonlyArray<number>]> => {
    const result = new Map<number, Array<number>>()
    for (let at = 0; at < all.length; at += 5) {
      const id = binAmong(levels, all[at]!, depth)
      const chunk = all.slice(at + 1, at + 5)
      const list = result.get(id)
      // Most bins have one chunk: a list made with it alone reserves no memory for more.
      if (list === undefined) result.set(id, chunk)
      else list.push(...chunk)
    }
    for (let level = levels; level > 0; level--) {
      for (const [id, chunks] of [...result]) {
        if (id < firstOfLevel(level) || id >= firstOfLevel(level + 1)) continue
        if (chunks[chunks.length - 2]! - chunks[0]! >= 0x10000) continue
        const parent = (id - 1) >>> 3
        result.delete(id)
        result.set(parent, joinChunks(result.get(parent) ?? [], chunks))
      }
    }
    return [...result].sort((a, b) => a[0] - b[0])
  }

  const writeRun = (out: IndexBytes, linear: ReadonlyArray<number>, run: number) =>
    out.offset(linear[3 * run + 1]!, linear[3 * run + 2]!)

  /** The run that holds a smallest bin, the last one when none does. */
  const runOf = (linear: ReadonlyArray<number>, bin: number): number =>
    firstWhere(linear.length / 3 - 1, (run) => linear[3 * run]! > bin)

  const writeReferences = (out: IndexBytes, count: number, levels: number, withLinear: boolean) => {
    for (let i = 0; i < count; i++) {
      const reference = references[i]
      if (reference === undefined) {
        out.u32(0)
        if (withLinear) out.u32(0)
        continue
      }
      const loffset = (id: number) => {
        if (withLinear) return
        const level = levelOf(id, levels)
        const { linear } = reference
        if (linear.length > 0) writeRun(out, linear, runOf(linear, (id - firstOfLevel(level)) * 8 ** (levels - level)))
        else out.offset(0, 0)
      }
      const bins = compact(reference.chunks, levels)
      out.u32(bins.length + 1)
      for (const [id, chunks] of bins) {
        out.u32(id)
        loffset(id)
        out.u32(chunks.length / 4)
        for (let at = 0; at < chunks.length; at += 2) out.offset(chunks[at]!, chunks[at + 1]!)
      }
      out.u32(pseudoBin(levels))
      if (!withLinear) out.offset(0, 0)
      out.u32(2)
      out.offset(...reference.first)
      out.offset(...reference.last)
      out.u64(reference.mapped)
      out.u64(reference.unmapped)
      if (!withLinear) continue
      const { linear } = reference
      out.u32(linear.at(-3) ?? 0)
      for (let run = 0, bin = 0; 3 * run < linear.length; run++) {
        for (; bin < linear[3 * run]!; bin++) writeRun(out, linear, run)
      }
    }
    out.u64(unplaced)
  }

  const writeColumns = (out: IndexBytes, columns: TabixColumns) => {
    const names = encodeName(columns.names.map((name) => `${name}\0`).join(""))
    const { begin, end, format, meta, name, skip } = columns
    for (const value of [format, name, begin, end, meta, skip, names.length]) out.u32(value)
    out.raw(names)
  }

  const csi = (of: Indexed, levels = depth): Uint8Array => {
    const aux = new IndexBytes()
    if (typeof of !== "number") writeColumns(aux, of)
    const count = typeof of === "number" ? of : of.names.length
    const out = new IndexBytes()
    out.raw(encoder.encode("CSI\u0001"))
    for (const value of [minShift, levels, aux.done().length]) out.u32(value)
    out.raw(aux.done())
    out.u32(count)
    writeReferences(out, count, levels, false)
    return out.done()
  }

  const bai = (count: number): Uint8Array => {
    const out = new IndexBytes()
    out.raw(encoder.encode("BAI\u0001"))
    out.u32(count)
    writeReferences(out, count, usualDepth, true)
    return out.done()
  }

  const tbi = (columns: TabixColumns): Uint8Array => {
    const out = new IndexBytes()
    out.raw(encoder.encode("TBI\u0001"))
    out.u32(columns.names.length)
    writeColumns(out, columns)
    writeReferences(out, columns.names.length, usualDepth, true)
    return out.done()
  }

  const fitting: IndexBuilder["fitting"] = (codec, of, longest) => {
    const deflated = (bytes: Uint8Array) => compress(codec, bytes, 6)
    let levels = usualDepth
    while (levels < depth && Math.max(longest, reach) > 2 ** (minShift + 3 * levels)) levels++
    if (levels > usualDepth) return { suffix: "csi", bytes: deflated(csi(of, levels)) }
    return typeof of === "number" ? { suffix: "bai", bytes: bai(of) } : { suffix: "tbi", bytes: deflated(tbi(of)) }
  }

  return {
    add,
    close,
    addUnplaced: (count) => {
      unplaced += count
    },
    fitting,
    bai,
    csi,
    tbi
  }
}

/** Chunks of two bins in file order; those that meet in one block become one. */
const joinChunks = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): Array<number> => {
  const chunks: Array<readonly [number, number, number, number]> = []
  for (const list of [a, b]) {
    for (let i = 0; i < list.length; i += 4) chunks.push([list[i]!, list[i + 1]!, list[i + 2]!, list[i + 3]!])
  }
  chunks.sort((x, y) => x[0] - y[0] || x[1] - y[1])
  const joined: Array<number> = []
  for (const [block, within, endBlock, endWithin] of chunks) {
    const last = joined.length - 4
    if (last < 0 || block > joined[last + 2]!) {
      joined.push(block, within, endBlock, endWithin)
    } else if (endBlock > joined[last + 2]! || (endBlock === joined[last + 2] && endWithin > joined[last + 3]!)) {
      joined[last + 2] = endBlock
      joined[last + 3] = endWithin
    }
  }
  return joined
}

/** The bytes of an index file as they are written: little-endian numbers, in a buffer that grows. */
export class IndexBytes {
  #bytes = new Uint8Array(0x10000)
  #view = new DataView(this.#bytes.buffer)
  #length = 0
  #reserve(size: number): number {
    const at = this.#length
    this.#length += size
    if (this.#length > this.#bytes.length) {
      const bytes = new Uint8Array(this.#length * 2)
      bytes.set(this.#bytes)
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer)
    }
    return at
  }
  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }
  u32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setUint32(at, value, true)
  }
  u64(value: number): void {
    const at = this.#reserve(8)
    this.#view.setBigUint64(at, BigInt(value), true)
  }
  offset(block: number, within: number): void {
    const at = this.#reserve(8)
    this.#view.setUint16(at, within, true)
    this.#view.setUint16(at + 2, block % 0x10000, true)
    this.#view.setUint32(at + 4, Math.floor(block / 0x10000), true)
  }
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}
