/**
 * Builds BAI, TBI or CSI from the fragments of a file, in file order (SAM specification, sections 5.1-5.3).
 */
import { NumberRows } from "../NumberRows.ts"
import { encodeName } from "../ReferenceName.ts"
import { firstWhere } from "../Search.ts"
import { binAmong, firstOfLevel, levelOf, pseudoBin, usualDepth } from "./Bins.ts"
import * as IndexFragment from "./IndexFragment.ts"
import type { TabixColumns } from "./TabixIndex.ts"

export interface IndexBuilder {
  /** The fragment of the part of the file that begins at `offset` (bytes): `add` and `close` may do the same record by record. */
  readonly join: (fragment: IndexFragment.FragmentData, offset: number) => void
  readonly add: IndexFragment.IndexFragment["add"]
  readonly close: IndexFragment.IndexFragment["close"]
  readonly addUnplaced: IndexFragment.IndexFragment["addUnplaced"]
  /**
   * BAI or TBI where they hold references of `longest` bases and all records, else a CSI that does, with no more levels than it needs.
   */
  readonly fitting: (of: Indexed, longest: number) => Fitting
  /** The `.bai` of a BAM with `references` reference sequences. */
  readonly bai: (references: number) => Uint8Array
  /** The inflated `.csi`, with `levels` levels of bins. */
  readonly csi: (of: Indexed, levels?: number) => Uint8Array
  /** The inflated `.tbi` of a text file with these columns; `names[i]` is reference `i`. */
  readonly tbi: (columns: TabixColumns) => Uint8Array
}

/** The number of reference sequences of a BAM, or the columns of a text file. */
export type Indexed = number | TabixColumns

/** An index, inflated, and what kind it is. */
export interface Fitting {
  readonly suffix: "bai" | "csi" | "tbi"
  readonly bytes: Uint8Array
}

/** Rows `[from, to)` of a table. */
interface Rows {
  readonly from: number
  to: number
}

/** References fill the two tables one after the other. */
interface Reference {
  readonly chunks: Rows
  readonly linear: Rows
  first: readonly [number, number]
  last: readonly [number, number]
  mapped: number
  unmapped: number
}

const encoder = new TextEncoder()

/** `depth` is the most levels of bins that the index can be written with. */
export const make = (minShift: number, depth: number): IndexBuilder => {
  const references: Array<Reference | undefined> = []
  let unplaced = 0
  /** Up to here the bins of the records go (bases). */
  let reach = 0

  /** Chunks of bins: bin, block, within, endBlock, endWithin. */
  const chunks = new NumberRows(5)
  /** Runs of the smallest bins: the bin after the run, block, within. */
  const linear = new NumberRows(3)

  /** What was added record by record and is not joined. */
  let own = IndexFragment.make(minShift, depth)
  let current = -1
  /** The last chunk of each bin of the current reference. */
  let latest = new Map<number, number>()
  /** The smallest bins before this one are covered by records of the current reference. */
  let covered = 0

  const begin = (ref: number, first: readonly [number, number]): Reference => {
    const reference: Reference = {
      chunks: { from: chunks.length, to: chunks.length },
      linear: { from: linear.length, to: linear.length },
      first,
      last: first,
      mapped: 0,
      unmapped: 0
    }
    references[ref] = reference
    current = ref
    latest = new Map()
    covered = 0
    return reference
  }

  const joinReference = (part: IndexFragment.ReferenceFragment, offset: number) => {
    const { ref } = part
    const known = ref === current ? references[ref] : undefined
    const target = known ?? begin(ref, [part.first[0] + offset, part.first[1]])
    for (let at = 0; at < part.chunks.length; at += 5) {
      const id = part.chunks[at]!
      const block = part.chunks[at + 1]! + offset
      const end = part.chunks[at + 3]! + offset
      const before = latest.get(id) ?? -1
      // The first chunk of a part may go on with one of the part before.
      if (before !== -1 && chunks.number(before, 3) === block) {
        chunks.setNumber(before, 3, end)
        chunks.setNumber(before, 4, part.chunks[at + 4]!)
      } else latest.set(id, chunks.add(id, block, part.chunks[at + 2]!, end, part.chunks[at + 4]!))
    }
    for (let at = 0; at < part.linear.length; at += 3) {
      const stop = part.linear[at]!
      if (stop <= covered) continue
      linear.add(stop, part.linear[at + 1]! + offset, part.linear[at + 2]!)
      covered = stop
    }
    reach = Math.max(reach, covered * 2 ** minShift)
    target.chunks.to = chunks.length
    target.linear.to = linear.length
    target.last = [part.last[0] + offset, part.last[1]]
    target.mapped += part.mapped
    target.unmapped += part.unmapped
  }

  const join: IndexBuilder["join"] = (fragment, offset) => {
    for (const part of fragment.references) joinReference(part, offset)
    unplaced += fragment.unplaced
  }

  /** Joins what was added record by record. */
  const settle = () => {
    const fragment = own.done()
    own = IndexFragment.make(minShift, depth)
    join(fragment, 0)
  }

  /**
   * Bins whose chunks all lie within 64 KiB of the file move into their parent, as htslib does: splitting them would
   * not save a read, and indexes of thin data shrink by an order of magnitude.
   */
  const compact = ({ from, to }: Rows, levels: number): ReadonlyArray<readonly [number, ReadonlyArray<number>]> => {
    const result = new Map<number, Array<number>>()
    for (let row = from; row < to; row++) {
      const id = binAmong(levels, chunks.number(row, 0), depth)
      const chunk = [1, 2, 3, 4].map((column) => chunks.number(row, column))
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

  const writeRun = (out: IndexBytes, run: number) => out.offset(linear.number(run, 1), linear.number(run, 2))

  /** The run that holds a smallest bin, the last one when none does. */
  const runOf = ({ from, to }: Rows, bin: number): number =>
    from + firstWhere(to - 1 - from, (run) => linear.number(from + run, 0) > bin)

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
        const run = runOf(reference.linear, (id - firstOfLevel(level)) * 8 ** (levels - level))
        if (run < reference.linear.to) writeRun(out, run)
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
      const { from, to } = reference.linear
      out.u32(to === from ? 0 : linear.number(to - 1, 0))
      for (let run = from, bin = 0; run < to; run++) {
        for (; bin < linear.number(run, 0); bin++) writeRun(out, run)
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
    settle()
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
    settle()
    const out = new IndexBytes()
    out.raw(encoder.encode("BAI\u0001"))
    out.u32(count)
    writeReferences(out, count, usualDepth, true)
    return out.done()
  }

  const tbi = (columns: TabixColumns): Uint8Array => {
    settle()
    const out = new IndexBytes()
    out.raw(encoder.encode("TBI\u0001"))
    out.u32(columns.names.length)
    writeColumns(out, columns)
    writeReferences(out, columns.names.length, usualDepth, true)
    return out.done()
  }

  const fitting: IndexBuilder["fitting"] = (of, longest) => {
    settle()
    let levels = usualDepth
    while (levels < depth && Math.max(longest, reach) > 2 ** (minShift + 3 * levels)) levels++
    if (levels > usualDepth) return { suffix: "csi", bytes: csi(of, levels) }
    return typeof of === "number" ? { suffix: "bai", bytes: bai(of) } : { suffix: "tbi", bytes: tbi(of) }
  }

  return {
    join,
    add: (...record) => own.add(...record),
    close: (...end) => own.close(...end),
    addUnplaced: (count) => own.addUnplaced(count),
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
