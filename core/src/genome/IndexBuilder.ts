/**
 * Builds BAI, TBI or CSI while records are written, in file order (SAM specification, sections 5.1-5.3). Virtual
 * offsets are kept as pairs of numbers here: this is the one place that touches every record.
 */

import { type Counts, firstOfLevel, metaBin, type ReferenceIndex } from "./BinIndex.ts"
import { binOf } from "./formats/BamRecord.ts"
import { IndexBytes } from "./IndexBytes.ts"
import { NumberRows } from "./NumberRows.ts"
import { type TabixColumns, vcfColumns } from "./TabixIndex.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

export interface IndexBuilder {
  /** Records must end at or before this position. */
  readonly limit: number
  /**
   * A record of reference `ref` that covers `[start, end)` (0-based) and begins in the file at (`block`, `within`). The
   * record before it ends there.
   */
  readonly add: (ref: number, start: number, end: number, mapped: boolean, block: number, within: number) => void
  /** The last record added ends at (`block`, `within`). Call it before anything without a place is written. */
  readonly close: (block: number, within: number) => void
  /**
   * A whole reference copied from a file whose index has `source`, with counts and linear index; `map` tells where an
   * offset of that file lies now.
   */
  readonly adopt: (
    ref: number,
    source: ReferenceIndex,
    counts: Counts,
    map: (offset: VirtualOffset.VirtualOffset) => readonly [block: number, within: number]
  ) => void
  /** Reads without a position, at the end of a BAM. */
  readonly addUnplaced: (count: number) => void
  /** The `.bai` of a BAM with `references` reference sequences. */
  readonly bai: (references: number) => Uint8Array
  /** The inflated `.csi` of a BAM with `references` reference sequences. */
  readonly csi: (references: number) => Uint8Array
  /** The inflated `.tbi` of a VCF; `names[i]` is reference `i`. */
  readonly tbi: (names: ReadonlyArray<string>) => Uint8Array
  /** The inflated `.csi` of a VCF. */
  readonly vcfCsi: (names: ReadonlyArray<string>) => Uint8Array
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

const columnsOf = (names: ReadonlyArray<string>): TabixColumns => ({ ...vcfColumns, names })

/** `minShift` 14 and `depth` 5 for BAI and TBI; a CSI of longer references takes more depth. */
export const make = (minShift: number, depth: number): IndexBuilder => {
  const references: Array<Reference | undefined> = []
  const window = 2 ** minShift
  let unplaced = 0

  /** Chunks of bins: bin, block, within, endBlock, endWithin. */
  const chunks = new NumberRows(5)
  /**
   * The first record that overlaps each smallest bin, or the next one behind it, as runs: the bin behind the run, block,
   * within. One record may claim to cover millions of bins.
   */
  const linear = new NumberRows(3)

  // The run of records that fall into one bin, whose chunk is not closed.
  let ref = -1
  let bin = -1
  let current: Reference | undefined
  let chunk = -1
  /** The last chunk of each bin of the current reference. */
  let latest = new Map<number, number>()
  /** The smallest bins before this one are covered by records of the current reference. */
  let covered = 0

  const begin = (next: number, first: readonly [number, number]): Reference => {
    const reference: Reference = {
      chunks: { from: chunks.length, to: chunks.length },
      linear: { from: linear.length, to: linear.length },
      first,
      last: [0, 0],
      mapped: 0,
      unmapped: 0
    }
    references[next] = reference
    ref = next
    current = reference
    latest = new Map()
    covered = 0
    return reference
  }

  const close: IndexBuilder["close"] = (block, within) => {
    if (current === undefined || chunk === -1) return
    chunks.setNumber(chunk, 3, block)
    chunks.setNumber(chunk, 4, within)
    current.last = [block, within]
    // What comes next does not follow it: it begins a chunk of its own.
    chunk = -1
  }

  /** Lets a record cover the smallest bins before `stop` that no record before it covers; records come sorted by start. */
  const extend = (target: Reference, stop: number, block: number, within: number) => {
    if (stop <= covered) return
    linear.add(stop, block, within)
    target.linear.to = linear.length
    covered = stop
  }

  const add: IndexBuilder["add"] = (next, start, end, mapped, block, within) => {
    if (next !== ref) close(block, within)
    const target = next === ref && current !== undefined ? current : begin(next, [block, within])
    if (mapped) target.mapped++
    else target.unmapped++
    extend(target, Math.floor((end - 1) / window) + 1, block, within)
    const id = binOf(start, end, minShift, depth)
    if (id !== bin || chunk === -1) {
      close(block, within)
      bin = id
      chunk = latest.get(id) ?? -1
      // A chunk that ends in the block where this one begins costs no further read: they become one.
      if (chunk === -1 || chunks.number(chunk, 3) !== block) {
        chunk = chunks.add(id, block, within)
        target.chunks.to = chunks.length
        latest.set(id, chunk)
      }
    }
  }

  const adopt: IndexBuilder["adopt"] = (next, source, counts, map) => {
    const target = begin(next, [0, 0])
    let first: readonly [number, number] | undefined
    let last: readonly [number, number] = [0, 0]
    const before = (a: readonly [number, number], b: readonly [number, number]) =>
      a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
    for (const bin of source.bins.values()) {
      for (const { begin, end } of bin.chunks) {
        const from = map(begin)
        const to = map(end)
        if (first === undefined || before(from, first)) first = from
        if (before(last, to)) last = to
        chunks.add(bin.id, ...from, ...to)
      }
    }
    for (const [i, offset] of source.linear.entries()) {
      // Zero stands for a window without records in indexes of other writers.
      if (offset !== 0n) extend(target, i + 1, ...map(VirtualOffset.fromBits(offset)))
    }
    target.chunks.to = chunks.length
    target.first = first ?? [0, 0]
    target.last = last
    target.mapped = counts.mapped
    target.unmapped = counts.unmapped
    current = undefined
    chunk = -1
    ref = -1
  }

  /**
   * Bins whose chunks all lie within 64 KiB of the file move into their parent, as htslib does: splitting them would
   * not save a read, and indexes of thin data shrink by an order of magnitude.
   */
  const compact = ({ from, to }: Rows): ReadonlyArray<readonly [number, ReadonlyArray<number>]> => {
    const result = new Map<number, Array<number>>()
    for (let row = from; row < to; row++) {
      const id = chunks.number(row, 0)
      const chunk = [1, 2, 3, 4].map((column) => chunks.number(row, column))
      const list = result.get(id)
      // Most bins have one chunk: a list that was never longer takes no room for more.
      if (list === undefined) result.set(id, chunk)
      else list.push(...chunk)
    }
    for (let level = depth; level > 0; level--) {
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
  const runOf = ({ from, to }: Rows, bin: number): number => {
    let low = from
    let high = to - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (linear.number(middle, 0) <= bin) low = middle + 1
      else high = middle
    }
    return low
  }

  const writeReferences = (out: IndexBytes, count: number, withLinear: boolean) => {
    for (let i = 0; i < count; i++) {
      const reference = references[i]
      if (reference === undefined) {
        out.u32(0)
        if (withLinear) out.u32(0)
        continue
      }
      const loffset = (id: number) => {
        if (withLinear) return
        let level = depth
        while (id < firstOfLevel(level)) level--
        const run = runOf(reference.linear, (id - firstOfLevel(level)) * 8 ** (depth - level))
        if (run < reference.linear.to) writeRun(out, run)
        else out.offset(0, 0)
      }
      const bins = compact(reference.chunks)
      out.u32(bins.length + 1)
      for (const [id, chunks] of bins) {
        out.u32(id)
        loffset(id)
        out.u32(chunks.length / 4)
        for (let at = 0; at < chunks.length; at += 2) out.offset(chunks[at]!, chunks[at + 1]!)
      }
      out.u32(metaBin(depth))
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
    const names = encoder.encode(columns.names.map((name) => `${name}\0`).join(""))
    const { begin, end, format, meta, name, skip } = columns
    for (const value of [format, name, begin, end, meta, skip, names.length]) out.u32(value)
    out.raw(names)
  }

  const csi = (count: number, columns: TabixColumns | null): Uint8Array => {
    const aux = new IndexBytes()
    if (columns !== null) writeColumns(aux, columns)
    const out = new IndexBytes()
    out.raw(encoder.encode("CSI\u0001"))
    for (const value of [minShift, depth, aux.done().length]) out.u32(value)
    out.raw(aux.done())
    out.u32(count)
    writeReferences(out, count, false)
    return out.done()
  }

  return {
    limit: window * 8 ** depth,
    add,
    close,
    adopt,
    addUnplaced: (count) => {
      unplaced += count
    },
    bai: (count) => {
      const out = new IndexBytes()
      out.raw(encoder.encode("BAI\u0001"))
      out.u32(count)
      writeReferences(out, count, true)
      return out.done()
    },
    csi: (count) => csi(count, null),
    tbi: (names) => {
      const out = new IndexBytes()
      out.raw(encoder.encode("TBI\u0001"))
      out.u32(names.length)
      writeColumns(out, columnsOf(names))
      writeReferences(out, names.length, true)
      return out.done()
    },
    vcfCsi: (names) => csi(names.length, columnsOf(names))
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
