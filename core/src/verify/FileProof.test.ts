import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { bamFile, bgzf, read, text } from "../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../test/genome/WithCodec.ts"
import { type ByteReader, fromBytes } from "../genome/ByteReader.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { vcfColumns } from "../genome/formats/Vcf.ts"
import * as IndexBuilder from "../genome/index/IndexBuilder.ts"
import type { TabixColumns } from "../genome/index/TabixIndex.ts"
import { makeIndex, proveFile } from "./FileProof.ts"

const reads = Array.from({ length: 200 }, (_, i) => read(`r${i}`, i < 150 ? 0 : 1, i * 40))
describe("a file proven while it arrives", () => {
  withCodec("is whole when its last byte is there, and not before", function* () {
    const { bai, bam } = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
    const arrived = yield* Deferred.make<void>()
    const whole = fromBytes(bam)
    const reader: ByteReader = {
      size: bam.length,
      read: (offset, length) =>
        Effect.andThen(offset + length < bam.length ? Effect.void : Deferred.await(arrived), whole.read(offset, length))
    }
    const index = { name: "a.bam.bai", reader: fromBytes(bai) }
    const fiber = yield* Effect.forkChild(proveFile({ name: "a.bam", reader }, index))
    yield* Effect.yieldNow
    assert.isUndefined(fiber.pollUnsafe())
    yield* Deferred.succeed(arrived, undefined)
    assert.strictEqual((yield* Fiber.join(fiber))?.records, 200)
  })

  withCodec("D2 D7 damage and an index of another file are named; other files are not looked at", function* () {
    const codec = yield* Codec
    const { bai, bam } = bamFile(codec, reads, { blockBytes: 2_000 })
    const other = bamFile(codec, reads.slice(0, 190), { blockBytes: 2_000 })
    const spoilt = bam.slice()
    const middle = spoilt.length >>> 1
    spoilt[middle] = (spoilt[middle] ?? 0) ^ 4
    const faultOf = (data: Uint8Array, index: Uint8Array) =>
      Effect.flip(
        proveFile({ name: "a.bam", reader: fromBytes(data) }, { name: "a.bam.bai", reader: fromBytes(index) })
      )
    assert.match((yield* faultOf(spoilt, bai)).message, /^a\.bam: .*block .*at byte \d+ /)
    assert.match((yield* faultOf(bam, other.bai)).message, /^a\.bam\.bai: it does not cover a\.bam: /)
    assert.isNull(yield* proveFile({ name: "a.txt", reader: fromBytes(bam) }, null))
  })

  withCodec("D7 an index whose columns are not those of a VCF is named", function* () {
    const codec = yield* Codec
    const header = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    const line = text("chr1\t5\t.\tA\tC\t.\t.\t.\n")
    const builder = IndexBuilder.make(14, 5)
    builder.add(0, 4, 5, true, 0, header.length)
    builder.close(0, header.length + line.length)
    const data = { name: "a.vcf.gz", reader: fromBytes(bgzf(codec, text(header), line)) }
    const proven = (columns: TabixColumns) =>
      proveFile(data, { name: "a.vcf.gz.tbi", reader: fromBytes(bgzf(codec, builder.tbi(columns))) })
    assert.strictEqual((yield* proven(vcfColumns(["chr1"])))?.records, 1)
    const { message } = yield* Effect.flip(proven({ ...vcfColumns(["chr1"]), format: 0 }))
    assert.match(message, /^a\.vcf\.gz\.tbi: it is not the index of a\.vcf\.gz: .*preset 0 /)
  })
})

const made = (name: string, bytes: Uint8Array) => makeIndex({ name, reader: fromBytes(bytes) })

const indexedReads = [
  ...Array.from({ length: 200 }, (_, i) => read(`r${i}`, i < 150 ? 0 : 1, i * 400, i % 9 === 4 ? [] : [[50, "M"]])),
  ...Array.from({ length: 5 }, (_, i) => read(`u${i}`, -1, -1, []))
]

const vcf = (codec: Codec["Service"], contig: string, ...places: ReadonlyArray<string>) =>
  bgzf(
    codec,
    text(`##fileformat=VCFv4.2\n##contig=<ID=${contig}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n`),
    ...places.map((place) => text(`${place}\t.\tA\tC\t.\t.\t.\n`))
  )

describe("the index that is made of a file", () => {
  withCodec("of a BAM is the one that was written with it", function* () {
    const { bai, bam } = bamFile(yield* Codec, indexedReads, { blockBytes: 2_000 })
    const index = yield* made("a.bam", bam)
    assert.strictEqual(index.suffix, "bai")
    assert.deepStrictEqual(Buffer.from(index.bytes), Buffer.from(bai))
  })

  withCodec("of a VCF leads to every line; a long reference has a CSI", function* () {
    const codec = yield* Codec
    const short = vcf(codec, "chr1", "chr2\t5", "chr2\t70000", "chr1\t1")
    const long = vcf(codec, "chr1,length=700000000", "chr1\t600000000")
    for (const [bytes, suffix, records] of [
      [short, "tbi", 3],
      [long, "csi", 1]
    ] as const) {
      const index = yield* made("a.vcf.gz", bytes)
      assert.strictEqual(index.suffix, suffix)
      const beside = { name: `a.vcf.gz.${suffix}`, reader: fromBytes(index.bytes) }
      const proven = yield* proveFile({ name: "a.vcf.gz", reader: fromBytes(bytes) }, beside)
      assert.strictEqual(proven?.records, records)
    }
  })

  withCodec("a read with a reference and no position is counted, and hides no other", function* () {
    const { bam } = bamFile(yield* Codec, [read("nowhere", 0, -1, []), read("first", 0, 0), read("last", 0, 90_000)])
    const index = { name: "a.bam.bai", reader: fromBytes((yield* made("a.bam", bam)).bytes) }
    assert.strictEqual((yield* proveFile({ name: "a.bam", reader: fromBytes(bam) }, index))?.records, 3)
  })

  withCodec(
    "D7 is refused where records are out of order, beyond all bins, damaged, or of a kind that has none of ours",
    function* () {
      const codec = yield* Codec
      const why = (name: string, bytes: Uint8Array) =>
        Effect.map(Effect.flip(made(name, bytes)), ({ advice, message }) =>
          advice === null ? message : `${message}; ${advice}`
        )
      const unsorted = vcf(codec, "chr1", "chr1\t9", "chr1\t5")
      assert.strictEqual(
        yield* why("a.vcf.gz", unsorted),
        "a.vcf.gz: no index can be made of it: its records are not in the order of their places"
      )
      assert.match(yield* why("a.vcf.gz", vcf(codec, "chr1", "chr1\t9").slice(0, -40)), /^a\.vcf\.gz: /)
      const beyond = vcf(codec, "chr1", "chr1\t9", `chr1\t${2 ** 38 + 1}`)
      assert.match(yield* why("a.vcf.gz", beyond), /the record at chr1:274877906945 ends where no index reaches/)
      const { bam } = bamFile(codec, indexedReads, { blockBytes: 2_000 })
      bam[bam.length >>> 1] = (bam[bam.length >>> 1] ?? 0) ^ 4
      assert.match(yield* why("a.bam", bam), /^a\.bam: .*block .*; overwrite$/)
      assert.strictEqual(yield* why("a.txt", unsorted), "a.txt: no index can be made of it: it is no BAM or VCF file")
    }
  )
})
