/** Small files made in memory, and ways to spoil them. */
import { type Arbitrary, Effect, Schema } from "effect"
import * as A from "effect/Arbitrary"
import type { ByteReader } from "../../core/src/genome/ByteReader.ts"
import * as Bgzf from "../../core/src/genome/bgzf/Bgzf.ts"
import * as BgzfWriter from "../../core/src/genome/bgzf/BgzfWriter.ts"
import type { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as VirtualOffset from "../../core/src/genome/bgzf/VirtualOffset.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import * as BamRecord from "../../core/src/genome/formats/BamRecord.ts"
import * as IndexBuilder from "../../core/src/genome/index/IndexBuilder.ts"

export const text = (value: string): Uint8Array => new TextEncoder().encode(value)

export const concat = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => Uint8Array.from(Buffer.concat(parts))

/** A BGZF file of `contents`, one write each. */
export const bgzf = (codec: Codec["Service"], ...contents: ReadonlyArray<Uint8Array>): Uint8Array => {
  const blocks: Array<Uint8Array> = []
  const writer = BgzfWriter.make(codec, 1, (block) => blocks.push(block))
  for (const content of contents) writer.write(content)
  writer.finish()
  return concat(...blocks)
}

export const references = [
  { name: "chr1", length: 1_000_000 },
  { name: "chr2", length: 500_000 },
  { name: "chr3", length: 100_000 }
]

/** A mapped read, or an unmapped one without CIGAR. */
export const read = (
  name: string,
  refId: number,
  position: number,
  cigar: BamRecord.RecordFields["cigar"] = [[50, "M"]],
  flags = cigar.length === 0 ? BamRecord.Flag.unmapped : 0
): BamRecord.RecordFields => ({
  name,
  flags,
  refId,
  position,
  mapq: 60,
  cigar,
  mateRefId: -1,
  matePosition: -1,
  templateLength: 0,
  bases: "A".repeat(cigar.reduce((sum, [length, operation]) => sum + ("MIS=X".includes(operation) ? length : 0), 0)),
  qualities: [],
  tags: [["NM", 0]]
})

/** A read; with `standIn` its CIGAR is in the tag CG, and a soft clip of all bases is in its place, as ngmlr and minimap2 wrote it. */
export interface ReadFields extends BamRecord.RecordFields {
  readonly standIn?: boolean
}

const encodeRead = ({ standIn = false, ...fields }: ReadFields): Uint8Array => {
  if (!standIn || fields.cigar.length === 0) return BamRecord.encodeRecord(fields)
  const own = BamRecord.encodeRecord({ ...fields, cigar: [[fields.bases.length, "S"]] })
  const words = fields.cigar.map(([length, operation]) => (length << 4) | "MIDNSHP=XB".indexOf(operation))
  const record = concat(own, text("CGBI"), new Uint8Array(Uint32Array.of(words.length, ...words).buffer))
  new DataView(record.buffer).setUint32(0, record.length - 4, true)
  return record
}

export interface BamOptions {
  readonly references?: ReadonlyArray<{ readonly name: string; readonly length: number }>
  /** Levels of bins of the CSI; 5 unless references are longer than 2^29. */
  readonly depth?: number
  /** Bytes per block at most; records straddle when they do not fit. */
  readonly blockBytes?: number
  /** A record that does not fit into the rest of a block begins in the next one, as htslib does it. */
  readonly wholeRecords?: boolean
  /** How hard its blocks are compressed: 1 unless told, and 0 for large files. */
  readonly level?: number
}

export interface BamFile {
  readonly bam: Uint8Array
  readonly bai: Uint8Array
  readonly csi: Uint8Array
}

/** A BAM of `records` in the given order, with its index. */
export const bamFile = (
  codec: Codec["Service"],
  records: ReadonlyArray<ReadFields>,
  options: BamOptions = {}
): BamFile => {
  const own = options.references ?? references
  const blocks: Array<Uint8Array> = []
  const writer = BgzfWriter.make(codec, options.level ?? 1, (block) => blocks.push(block))
  const index = IndexBuilder.make(14, options.depth ?? 5)
  const header = `@HD\tVN:1.6\tSO:coordinate\n${own.map(({ length, name }) => `@SQ\tSN:${name}\tLN:${length}\n`).join("")}`
  writer.write(encodeBamHeader(text(header), own))
  writer.flush()
  let used = 0
  for (const fields of records) {
    const record = encodeRead(fields)
    const limit = options.blockBytes ?? 0xff00
    writer.reserve(record.length)
    if (options.wholeRecords === true && used > 0 && used + record.length > limit) {
      writer.flush()
      used = 0
    }
    const block = writer.block()
    const within = writer.within()
    for (let at = 0; at < record.length; ) {
      const take = Math.min(record.length - at, limit - used)
      writer.write(record.subarray(at, at + take))
      at += take
      used = (used + take) % limit
      if (used === 0) writer.flush()
    }
    if (options.blockBytes === undefined) used = 0
    if (fields.refId < 0) {
      index.close(block, within)
      index.addUnplaced(1)
    } else {
      const end = BamRecord.end(new DataView(record.buffer), 0)
      const mapped = (fields.flags & BamRecord.Flag.unmapped) === 0
      index.add(fields.refId, fields.position, end, mapped, block, within)
    }
  }
  writer.flush()
  index.close(writer.block(), 0)
  writer.finish()
  return { bam: concat(...blocks), bai: index.bai(own.length), csi: bgzf(codec, index.csi(own.length)) }
}

/** The index with its last chunk ending behind the end-of-file block, as older writers leave it; `size`: of the data. */
export const endingAtFileEnd = (index: Uint8Array, size: number): Uint8Array => {
  const planted = Buffer.from(index)
  const end = VirtualOffset.make(size - Bgzf.eofBlock.length, 0)
  const before = Buffer.alloc(8)
  before.writeBigUInt64LE(end)
  let found = 0
  for (let at = planted.indexOf(before); at !== -1; at = planted.indexOf(before, at + 8)) {
    planted.writeBigUInt64LE(VirtualOffset.make(size, 0), at)
    found++
  }
  if (found === 0) throw new Error("its last chunk does not end before the end-of-file block")
  return Uint8Array.from(planted)
}

/** Intervals of the references: number of the reference, 0-based start, and bases; of 0 bases is a whole reference. */
export const SomeIntervals = Schema.Array(
  Schema.Struct({
    ref: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
    start: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99_000 })),
    size: Schema.Literals([1, 40, 3_000, 60_000, 0])
  })
).check(Schema.isMinLength(1))

/** Bytes of content in each block: from less than a read to the most that a block holds. */
export const BlockBytes = Schema.Literals([40, 300, 5_000, 65_280])

/** Sorted reads over the references, some unmapped, some with long skips. */
export const someReads: Arbitrary.Arbitrary<ReadonlyArray<BamRecord.RecordFields>> = A.map(
  A.array(
    A.all({
      ref: A.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 }))),
      position: A.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90_000 }))),
      kind: A.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))
    }),
    { maxLength: 60 }
  ),
  (reads) =>
    reads
      .sort((a, b) => a.ref - b.ref || a.position - b.position)
      .map(({ kind, position, ref }, i) =>
        read(
          `r${i}`,
          ref,
          position,
          kind === 0
            ? []
            : kind === 1
              ? [
                  [20, "M"],
                  [30_000, "N"],
                  [20, "M"]
                ]
              : [[50, "M"]]
        )
      )
)

/** A reader that counts, to show that a check stays at head and tail. */
export const counting = (reader: ByteReader): ByteReader & { readonly bytesRead: () => number } => {
  let total = 0
  return {
    size: reader.size,
    read: (offset, length) =>
      Effect.tap(reader.read(offset, length), (bytes) =>
        Effect.sync(() => {
          total += bytes.length
        })
      ),
    bytesRead: () => total
  }
}

/** The content of a block that must be sound. */
export const sound = (inflated: Uint8Array | string): Uint8Array => {
  if (typeof inflated === "string") throw new Error(inflated)
  return inflated
}
