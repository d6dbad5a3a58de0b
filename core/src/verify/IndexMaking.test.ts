import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { bamFile, bgzf, read, text } from "../../../test/genome/Fixtures.ts"
import { fromBytes } from "../genome/ByteReader.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { makeIndex, proveFile } from "./FileProof.ts"

const provided = Effect.provide(ZlibCodec.layer)
const made = (name: string, bytes: Uint8Array) => makeIndex({ name, reader: fromBytes(bytes) })

const reads = [
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
  it.effect("of a BAM is the one that was written with it", () =>
    Effect.gen(function* () {
      const { bai, bam } = bamFile(yield* Codec, reads, { blockBytes: 2_000 })
      const index = yield* made("a.bam", bam)
      assert.strictEqual(index.suffix, "bai")
      assert.deepStrictEqual(Buffer.from(index.bytes), Buffer.from(bai))
    }).pipe(provided)
  )

  it.effect("of a VCF leads to every line; a long reference has a CSI", () =>
    Effect.gen(function* () {
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
    }).pipe(provided)
  )

  it.effect("a read with a reference and no position is counted, and hides no other", () =>
    Effect.gen(function* () {
      const { bam } = bamFile(yield* Codec, [read("nowhere", 0, -1, []), read("first", 0, 0), read("last", 0, 90_000)])
      const index = { name: "a.bam.bai", reader: fromBytes((yield* made("a.bam", bam)).bytes) }
      assert.strictEqual((yield* proveFile({ name: "a.bam", reader: fromBytes(bam) }, index))?.records, 3)
    }).pipe(provided)
  )

  it.effect("D7 is refused where records are out of order, damaged, or of a kind that has none of ours", () =>
    Effect.gen(function* () {
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
      const { bam } = bamFile(codec, reads, { blockBytes: 2_000 })
      bam[bam.length >>> 1] = (bam[bam.length >>> 1] ?? 0) ^ 4
      assert.match(yield* why("a.bam", bam), /^a\.bam: .*block .*; overwrite$/)
      assert.strictEqual(yield* why("a.txt", unsorted), "a.txt: no index can be made of it: it is no BAM or VCF file")
    }).pipe(provided)
  )
})
