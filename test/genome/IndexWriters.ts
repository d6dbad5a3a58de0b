/**
 * Indexes as other programs write them, straight from the definitions and apart from what the product writes: by each of the rules that
 * are found in the field for the linear index, `loffset`, merged bins and counts.
 */
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import type { RecordListener } from "../../core/src/genome/bgzf/ContentCheck.ts"
import type { ContentPosition } from "../../core/src/genome/bgzf/ContentPosition.ts"
import * as VirtualOffset from "../../core/src/genome/bgzf/VirtualOffset.ts"
import { bamWalk } from "../../core/src/genome/formats/Bam.ts"
import { readBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { binOf, binStart, firstOfLevel, pseudoBin } from "../../core/src/genome/index/Bins.ts"

/** A placed record, and where it lies. */
export interface Placed {
  readonly ref: number
  readonly start: number
  readonly end: number
  readonly mapped: boolean
  readonly at: bigint
  /** Where it ends. */
  to: bigint
}

const offsetOf = ({ block, within }: ContentPosition) => VirtualOffset.make(block, within)

/** The placed records of a BAM. */
export const placesOf = Effect.fnUntraced(function* (bam: Uint8Array) {
  const codec = yield* Codec
  const placed: Array<Placed> = []
  let ref = -1
  const close = (to: bigint) => {
    const last = placed.at(-1)
    if (last !== undefined) last.to = to
  }
  const listener: RecordListener = {
    enter: (next) => {
      ref = next
    },
    record: (start, end, mapped, place) => {
      const at = offsetOf(place)
      if (placed.at(-1)?.ref === ref) close(at)
      placed.push({ ref, start, end, mapped, at, to: 0n })
    },
    leave: (place) => close(offsetOf(place))
  }
  const header = yield* readBamHeader("a.bam", fromBytes(bam))
  const walk = bamWalk(header, [listener])
  for (let at = 0; at < bam.length; ) {
    const size = Bgzf.blockSize(bam, at)
    const content = Bgzf.inflateBlock(codec, bam, at, size)
    if (typeof content === "string") throw new Error(content)
    walk.take(content.slice(), { offsets: [at, at + size], ends: [content.length] })
    at += size
  }
  walk.finish()
  return { placed, references: header.references.length }
})

/** What a program writes. */
export interface Writer {
  readonly name: string
  readonly format: "BAI" | "CSI"
  /** Bases of the smallest bins as a power of two, and levels below the root; those of BAI by default. */
  readonly shape?: readonly [minShift: number, depth: number]
  /**
   * `loffset`: `overlap` is the first record that overlaps the first window of the bin (htslib), `around` the first of the bin or of one
   * around it (noodles 0.58), `own` the first of the bin alone (older noodles), `parents` `own` for all but the smallest bins.
   */
  readonly loffset?: "overlap" | "around" | "own" | "parents" | "zero"
  /** What a window has where no record is. */
  readonly fills?: "next" | "previous" | "zero"
  /** Whether unmapped reads count for windows. */
  readonly unmappedToo?: boolean
  /** Bins whose chunks lie within so many bytes of the file move into the bin around them. */
  readonly merges?: number
  /** Chunks that meet become one. */
  readonly joins?: boolean
  readonly counts?: boolean
}

export const writers: ReadonlyArray<Writer> = [
  {
    name: "htslib's CSI",
    format: "CSI",
    loffset: "overlap",
    fills: "next",
    unmappedToo: true,
    joins: true,
    counts: true
  },
  {
    name: "htslib's CSI with merged bins",
    format: "CSI",
    loffset: "overlap",
    fills: "next",
    merges: 700,
    counts: true
  },
  { name: "noodles' CSI", format: "CSI", loffset: "around", joins: true, counts: true },
  { name: "older noodles' CSI", format: "CSI", loffset: "own", joins: true, counts: true },
  { name: "a CSI whose larger bins know themselves alone", format: "CSI", loffset: "parents", fills: "next" },
  { name: "the same with merged bins", format: "CSI", loffset: "parents", fills: "previous", merges: 500 },
  { name: "a CSI without loffset", format: "CSI", loffset: "zero" },
  { name: "a shallow CSI", format: "CSI", shape: [17, 1], loffset: "overlap", fills: "next", joins: true },
  { name: "a deep CSI", format: "CSI", shape: [12, 8], loffset: "overlap", fills: "next", joins: true },
  { name: "a deep CSI by noodles", format: "CSI", shape: [10, 7], loffset: "around" },
  { name: "htslib's BAI", format: "BAI", fills: "next", unmappedToo: true, joins: true, merges: 700, counts: true },
  { name: "old samtools' BAI", format: "BAI", fills: "previous", joins: true, merges: 700 },
  { name: "old samtools' BAI with counts", format: "BAI", fills: "next", joins: true, counts: true },
  { name: "htsjdk's BAI", format: "BAI", fills: "zero", counts: true },
  { name: "bamtools' BAI", format: "BAI", fills: "zero", unmappedToo: true }
]

interface Own {
  readonly chunks: ReadonlyMap<number, ReadonlyArray<readonly [bigint, bigint]>>
  readonly linear: ReadonlyArray<bigint>
}

const block = (offset: bigint) => Number(offset >> 16n)
const parentOf = (id: number) => (id - 1) >>> 3

const contentOf = (own: ReadonlyArray<Placed>, writer: Writer, minShift: number, depth: number): Own => {
  const chunks = new Map<number, Array<readonly [bigint, bigint]>>()
  for (const { at, end, start, to } of own) {
    const id = start < 0 ? 0 : binOf(start, end, minShift, depth)
    const list = chunks.get(id) ?? []
    chunks.set(id, list)
    const last = list.at(-1)
    if (writer.joins === true && last !== undefined && last[1] === at) list[list.length - 1] = [last[0], to]
    else list.push([at, to])
  }
  if (writer.merges !== undefined) {
    for (let level = depth; level > 0; level--) {
      for (const [id, list] of [...chunks]) {
        if (id < firstOfLevel(level) || id >= firstOfLevel(level + 1)) continue
        if (block(list.at(-1)?.[1] ?? 0n) - block(list[0]?.[0] ?? 0n) >= writer.merges) continue
        chunks.delete(id)
        const joined = [...(chunks.get(parentOf(id)) ?? []), ...list]
        chunks.set(
          parentOf(id),
          joined.sort((a, b) => (a[0] < b[0] ? -1 : 1))
        )
      }
    }
  }
  const counted = own.filter(({ mapped }) => mapped || writer.unmappedToo === true)
  const width = 2 ** minShift
  const linear: Array<bigint> = []
  const windows = Math.max(0, ...counted.map(({ end }) => Math.ceil(end / width)))
  for (let window = 0; window < windows; window++) {
    const over = counted.find(({ end, start }) => end > window * width && start < (window + 1) * width)
    const next = counted.find(({ end }) => end > window * width)
    linear.push(
      over?.at ??
        (writer.fills === "next" ? (next?.at ?? 0n) : writer.fills === "previous" ? (linear.at(-1) ?? 0n) : 0n)
    )
  }
  return { chunks, linear }
}

const loffsetOf = (
  { chunks, linear }: Own,
  { loffset }: Writer,
  id: number,
  minShift: number,
  depth: number
): bigint => {
  const first = (bin: number) => chunks.get(bin)?.[0]?.[0]
  if (loffset === "zero") return 0n
  if (loffset === "own" || (loffset === "parents" && id < firstOfLevel(depth))) return first(id) ?? 0n
  if (loffset !== "around") return linear[Math.floor(binStart(id, minShift, depth) / 2 ** minShift)] ?? 0n
  let least = first(id) ?? 0n
  for (let bin = id; bin > 0; ) {
    bin = parentOf(bin)
    const begin = first(bin)
    if (begin !== undefined && begin < least) least = begin
  }
  return least
}

/** The index that `writer` makes of the placed records of a BAM: of a CSI what is packed into BGZF. */
export const indexBy = (writer: Writer, placed: ReadonlyArray<Placed>, references: number): Uint8Array => {
  const [minShift, depth] = writer.shape ?? [14, 5]
  const csi = writer.format === "CSI"
  const parts: Array<Buffer> = []
  const u32 = (...values: ReadonlyArray<number>) => {
    for (const value of values) {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value)
      parts.push(bytes)
    }
  }
  const u64 = (...values: ReadonlyArray<bigint>) => {
    for (const value of values) {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(value)
      parts.push(bytes)
    }
  }
  parts.push(Buffer.from(`${writer.format}\u0001`))
  if (csi) u32(minShift, depth, 0)
  u32(references)
  for (let ref = 0; ref < references; ref++) {
    const records = placed.filter((it) => it.ref === ref)
    const own = contentOf(records, writer, minShift, depth)
    const counted = writer.counts === true && records.length > 0
    u32(own.chunks.size + (counted ? 1 : 0))
    for (const [id, list] of own.chunks) {
      u32(id)
      if (csi) u64(loffsetOf(own, writer, id, minShift, depth))
      u32(list.length)
      for (const pair of list) u64(...pair)
    }
    if (counted) {
      u32(pseudoBin(depth))
      if (csi) u64(0n)
      u32(2)
      const mapped = records.filter((it) => it.mapped).length
      u64(records[0]?.at ?? 0n, records.at(-1)?.to ?? 0n, BigInt(mapped), BigInt(records.length - mapped))
    }
    if (!csi) {
      u32(own.linear.length)
      u64(...own.linear)
    }
  }
  return Uint8Array.from(Buffer.concat(parts))
}
