/** Slices of files whose records or headers are at the edge of what the formats allow, as samtools and tabix cut them. */

import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { bamFile, bgzf, read, text } from "../../../../test/genome/Fixtures.ts"
import { indexBy, placesOf } from "../../../../test/genome/IndexWriters.ts"
import { contentOf, sliceOf, sourceOf } from "../../../../test/genome/Slicing.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import * as Bgzf from "../bgzf/Bgzf.ts"
import { Codec } from "../bgzf/Codec.ts"
import { encodeRecord, Flag } from "../formats/BamRecord.ts"
import type { OfferedDataType } from "../formats/FileNames.ts"
import { vcfColumns } from "../formats/Vcf.ts"
import * as IndexBuilder from "../index/IndexBuilder.ts"
import { IndexBytes } from "../index/IndexBuilder.ts"

/** The slice of `range`: what is said of it, its bytes, and its inflated content. */
const cut = Effect.fnUntraced(function* (
  type: OfferedDataType,
  data: Uint8Array,
  index: Uint8Array,
  suffix: string,
  range: string,
  unmapped = false
) {
  const source = sourceOf(fromBytes(data), fromBytes(index), `${type}.${suffix}`)
  const { bytes, plan, result } = yield* sliceOf(source, range, { unmapped })
  return { ...result, bytes, key: plan.key, content: new TextDecoder().decode(contentOf(bytes)) }
})

describe("slices of BAM files", () => {
  withCodec("D15 a region ends where it ends, also where the header says that its reference does", function* () {
    const references = [{ name: "chr1", length: 1_000 }]
    const reads = [read("last", 0, 980, [[40, "M"]]), read("after", 0, 1_000), read("far", 0, 20_000)]
    const { bai, bam } = bamFile(yield* Codec, reads, { references })
    const found: Record<string, number> = {}
    // As samtools view has them, of regions and of BED files.
    const wanted = {
      ...{ "chr1:991-": 3, "chr1:991-30,000": 3, chr1: 3, "chr1:1-": 3 },
      ...{ "chr1:991-999": 1, "chr1:991-1000": 1, "chr1:1-1000": 1, "chr1:-1000": 1, "chr1:991-1001": 2 }
    }
    const keys = new Set<string>()
    for (const range of Object.keys(wanted)) {
      const { key, records } = yield* cut("bam", bam, bai, "bai", range)
      found[range] = records
      keys.add(key)
    }
    assert.deepStrictEqual(found, wanted)
    // Regions of other records have other names in the header.
    assert.deepStrictEqual(
      [...keys],
      ["chr1:991-", "chr1:991-30000", "chr1", "chr1:991-999", "chr1:991-1000", "chr1:1-1000", "chr1:991-1001"]
    )
  })

  withCodec("D15 a read that names a reference and no position is passed over", function* () {
    const reads = [read("nowhere", 0, -1, [], Flag.unmapped), read("a", 0, 100), read("b", 1, 5)]
    const { bai, bam } = bamFile(yield* Codec, reads)
    const count = (range: string) => Effect.map(cut("bam", bam, bai, "bai", range), ({ records }) => records)
    assert.strictEqual(yield* count("chr1"), 1)
    assert.strictEqual(yield* count("chr1:1-50"), 0)
    assert.strictEqual(yield* count("chr2"), 1)
  })

  withCodec(
    "D15 a read that goes past 2^29, which a CSI holds, is no damage: the slice gets a CSI that holds it",
    function* () {
      const references = [{ name: "chr1", length: 2 ** 29 - 100 }]
      const reads = [read("a", 0, 100), read("over", 0, 2 ** 29 - 120, [[200, "M"]]), read("far", 0, 2 ** 30 + 77)]
      const { bam, csi } = bamFile(yield* Codec, reads, { references, depth: 6 })
      const { indexSuffix, records } = yield* cut("bam", bam, csi, "csi", `chr1:${2 ** 29 - 110}-`)
      assert.deepStrictEqual({ indexSuffix, records }, { indexSuffix: "csi", records: 2 })
      const whole = yield* cut("bam", bam, csi, "csi", "chr1")
      const again = yield* cut("bam", whole.bytes, whole.index, "csi", "chr1:536870800-1073741902")
      assert.strictEqual(again.records, 2)
      assert.strictEqual((yield* cut("bam", bam, csi, "csi", "chr1:50-150")).indexSuffix, "bai")
    }
  )

  const withoutEnd = (bytes: Uint8Array) => bytes.slice(0, -Bgzf.eofBlock.length)

  withCodec(
    "D1 without its end-of-file block a file is sliced, and it is said; with a part of its data missing, it is not",
    function* () {
      const codec = yield* Codec
      const unplaced = ["u1", "u2", "u3"].map((name) => read(name, -1, -1, []))
      const reads = Array.from({ length: 40 }, (_, i) => read(`r${i}`, 0, i * 100))
      for (const all of [reads, [...reads, ...unplaced]]) {
        const { bai, bam } = bamFile(codec, all, { blockBytes: 400, wholeRecords: true })
        const cutOff = withoutEnd(bam)
        for (const [range, unmapped] of [
          ["chr1", false],
          ["chr1:1000-2000", false],
          ["chr1:3000-", true],
          ["", true]
        ] as const) {
          const sound = yield* cut("bam", bam, bai, "bai", range, unmapped)
          const made = yield* cut("bam", cutOff, bai, "bai", range, unmapped)
          assert.deepStrictEqual(made.bytes, sound.bytes, range)
          assert.deepStrictEqual(sound.warnings, [])
          assert.deepStrictEqual(made.warnings, [
            "x.bam: it does not end with the BGZF end-of-file block: the slice has the wanted records of what is there, and more may be missing"
          ])
        }
        for (const missing of [30, 60, 500]) {
          const error = yield* Effect.flip(cut("bam", cutOff.slice(0, -missing), bai, "bai", "chr1:3000-", true))
          assert.match(
            error.message,
            /^x\.bam: (it does not end with the BGZF end-of-file block, so its end may be missing: |ends inside the BGZF block at byte )/
          )
        }
      }
      // A whole block of unplaced reads is gone: only their number shows it.
      const many = Array.from({ length: 30 }, (_, i) => read(`u${i}`, -1, -1, []))
      const { bai, bam } = bamFile(codec, [...reads, ...many], { blockBytes: 400, wholeRecords: true })
      const starts = [0]
      for (let at = 0; at < bam.length; starts.push(at)) at += Bgzf.blockSize(bam, at)
      const short = bam.slice(0, starts.at(-3))
      const error = yield* Effect.flip(cut("bam", short, bai, "bai", "", true))
      assert.match(
        error.message,
        /end-of-file block, so its end may be missing: .*it counts 30 unplaced reads, and there are/
      )
    }
  )

  withCodec(
    "D7 what an index lacks at the end of a reference is read all the same, also where each read goes on in a later block",
    function* () {
      const codec = yield* Codec
      const long = (name: string, ref: number, position: number, bases: number) =>
        read(name, ref, position, [[bases, "M"]])
      const ofChr1 = [80_000, 80_000, 80_000, 400_000].map((bases, i) => long(`a${i}`, 0, i * 1000, bases))
      const reads = [...ofChr1, long("b", 1, 50, 80_000)]
      const ofOne = encodeRecord(reads[0]!).length
      // With the last of these, the read that the index leaves out begins less than 8 bytes before the end of a block.
      const limit = Array.from({ length: 30_000 }, (_, i) => 65_280 - i).find((size) => (3 * ofOne) % size > size - 8)
      assert.isDefined(limit)
      for (const blockBytes of [65_280, 60_001, limit!]) {
        const { bam } = bamFile(codec, reads, { blockBytes })
        const { placed } = yield* placesOf(bam)
        const indexOf = (missing: number) => {
          const own = [...placed.slice(0, 4 - missing), ...placed.slice(4)]
          return indexBy({ name: "BAI", format: "BAI", joins: true }, own, 3)
        }
        for (const range of ["chr1", "chr1 chr2"]) {
          const { records } = yield* cut("bam", bam, indexOf(0), "bai", range)
          assert.strictEqual(records, range === "chr1" ? 4 : 5)
          for (const missing of [1, 2]) {
            const made = yield* cut("bam", bam, indexOf(missing), "bai", range)
            assert.strictEqual(made.records, records, `${range}, ${missing} missing, in blocks of ${blockBytes}`)
          }
        }
      }
    }
  )

  withCodec("D7 also where an index that ends too early does so at the end of a block", function* () {
    const positions = [10, 20, 30]
    const reads = [...positions.map((at) => read(`a${at}`, 0, at)), read("b", 1, 50)]
    const { bam } = bamFile(yield* Codec, reads, { blockBytes: 150, wholeRecords: true })
    const { placed } = yield* placesOf(bam)
    const [first, second, , other] = placed
    // Each read has a block of its own; the end of one is the beginning of the next.
    const size = BigInt(encodeRecord(reads[0]!).length)
    for (const to of [second!.at, first!.at + size]) {
      const short = indexBy({ name: "BAI", format: "BAI" }, [{ ...first!, to }, other!], 3)
      assert.strictEqual((yield* cut("bam", bam, short, "bai", "chr1")).records, 3)
    }
  })

  withCodec("D13 a reference of length 0 has no reads", function* () {
    const references = [
      { name: "chr0", length: 0 },
      { name: "chr1", length: 1_000 }
    ]
    const { bai, bam } = bamFile(yield* Codec, [read("a", 1, 100)], { references })
    const { key, records } = yield* cut("bam", bam, bai, "bai", "chr0 chr1:5-")
    assert.deepStrictEqual({ key, records }, { key: "chr0 chr1:5-", records: 1 })
  })
})

describe("slices of VCF files", () => {
  const head = (length: string) =>
    `##fileformat=VCFv4.2\n##contig=<ID=1,length=${length}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n`
  const line = (position: number) => `1\t${position}\t.\tA\tC\t.\t.\t.\n`

  const fileOf = Effect.fnUntraced(function* (length: string, positions: ReadonlyArray<number>) {
    const codec = yield* Codec
    const header = head(length)
    const builder = IndexBuilder.make(14, 5)
    let at = header.length
    for (const position of positions) {
      builder.add(0, Math.max(0, position - 1), Math.max(1, position), true, 0, at)
      at += line(position).length
    }
    builder.close(0, at)
    const tbi = bgzf(codec, builder.tbi(vcfColumns(["1"])))
    return { data: bgzf(codec, text(header + positions.map(line).join(""))), tbi }
  })

  withCodec("D15 a header that says length 0 says nothing, and one that says too little loses no line", function* () {
    for (const length of ["0", "1500"]) {
      const { data, tbi } = yield* fileOf(length, [100, 1_000, 2_000, 3_000])
      const { records } = yield* cut("vcf.gz", data, tbi, "tbi", "1:1000-3000")
      assert.strictEqual(records, 3, length)
    }
  })

  withCodec(
    "D15 a record that spans past 2^29 is in a slice with a CSI; one that no index holds is refused",
    function* () {
      const codec = yield* Codec
      const header = head("1000000")
      const cutOf = (info: string) => {
        const content = `${header}1\t100\t.\tA\t<INV>\t.\t.\t${info}\n`
        const builder = IndexBuilder.make(14, 5)
        builder.add(0, 99, 100, true, 0, header.length)
        builder.close(0, content.length)
        return cut("vcf.gz", bgzf(codec, text(content)), bgzf(codec, builder.tbi(vcfColumns(["1"]))), "tbi", "1")
      }
      assert.strictEqual((yield* cutOf("SVLEN=300")).indexSuffix, "tbi")
      // The version of the file does not count it, but a reader may.
      assert.strictEqual((yield* cutOf("SVLEN=1073741926")).indexSuffix, "csi")
      assert.strictEqual((yield* cutOf(`END=${2 ** 38}`)).indexSuffix, "csi")
      const error = yield* Effect.flip(cutOf(`END=${2 ** 38 + 1}`))
      assert.include(error.message, "claims to end at base 274877906945, which no index can hold")
    }
  )

  withCodec(
    "D15 an index that has POS 0 in the bin before all others, as older tabix wrote it, loses no line",
    function* () {
      const positions = [0, 1, 100]
      const { data } = yield* fileOf("1000000", positions)
      const begin = head("1000000").length
      const first = begin + line(0).length
      const index = new IndexBytes()
      const u32 = (...values: ReadonlyArray<number>) => values.forEach((value) => void index.u32(value))
      index.raw(text("TBI\u0001"))
      u32(1, 2, 1, 2, 0, 0x23, 0, 2)
      index.raw(text("1\0"))
      u32(2, 4680, 1)
      index.offset(0, begin)
      index.offset(0, first)
      u32(4681, 1)
      index.offset(0, first)
      index.offset(0, begin + positions.map(line).join("").length)
      u32(1)
      index.offset(0, begin)
      const tbi = bgzf(yield* Codec, index.done())
      const { content } = yield* cut("vcf.gz", data, tbi, "tbi", "1:50-200")
      assert.isTrue(content.endsWith(line(100)), content)
    }
  )
})
