/** Slices of files whose records or headers are at the edge of what the formats allow, as samtools and tabix cut them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bamFile, bgzf, concat, read, text } from "../../../../test/genome/Fixtures.ts"
import { fromBytes } from "../ByteReader.ts"
import { inflatePrefix } from "../bgzf/Blocks.ts"
import { Codec } from "../bgzf/Codec.ts"
import { Flag } from "../formats/BamRecord.ts"
import type { OfferedDataType } from "../formats/FileNames.ts"
import { vcfColumns } from "../formats/Vcf.ts"
import * as IndexBuilder from "../index/IndexBuilder.ts"
import { IndexBytes } from "../index/IndexBytes.ts"
import { parseRange } from "../regions/RegionText.ts"
import { planSlice, writeSlice } from "./Slice.ts"

const provided = Effect.provide(ZlibCodec.layer)
const program = { name: "svc-steps", version: "0" }

/** The slice of `range`: its number of records, its index, and its inflated content. */
const cut = Effect.fnUntraced(function* (
  type: OfferedDataType,
  data: Uint8Array,
  index: Uint8Array,
  suffix: string,
  range: string
) {
  const parts: Array<Uint8Array> = []
  const name = `x.${type}`
  const source = { name, reader: fromBytes(data), indexName: `${name}.${suffix}`, index: fromBytes(index) }
  const wanted = yield* Effect.fromResult(parseRange(range))
  const plan = yield* planSlice({ type, source, wanted, takeUnplaced: false })
  const sink = { write: (bytes: Uint8Array) => Effect.sync(() => void parts.push(bytes.slice())) }
  const { indexSuffix, records } = yield* writeSlice(plan, sink, { program, level: 1 })
  const { bytes } = yield* inflatePrefix("s", fromBytes(concat(...parts)), 2 ** 20, 2 ** 20, "BadHeader")
  return { records, indexSuffix, key: plan.key, content: new TextDecoder().decode(bytes) }
})

describe("slices of BAM files", () => {
  it.effect("D15 a region up to the end of a reference has the reads that begin behind it", () =>
    Effect.gen(function* () {
      const references = [{ name: "chr1", length: 1_000 }]
      const reads = [read("last", 0, 980, [[40, "M"]]), read("after", 0, 1_000), read("far", 0, 20_000)]
      const { bai, bam } = bamFile(yield* Codec, reads, { references })
      const count = (range: string) => Effect.map(cut("bam", bam, bai, "bai", range), ({ records }) => records)
      assert.strictEqual(yield* count("chr1:991-"), 3)
      assert.strictEqual(yield* count("chr1:991-30,000"), 3)
      assert.strictEqual(yield* count("chr1"), 3)
      assert.strictEqual(yield* count("chr1:991-999"), 1)
      assert.strictEqual((yield* cut("bam", bam, bai, "bai", "chr1:991-")).key, "chr1:991-1000")
    }).pipe(provided)
  )

  it.effect("D15 a read that names a reference and no position is passed over", () =>
    Effect.gen(function* () {
      const reads = [read("nowhere", 0, -1, [], Flag.unmapped), read("a", 0, 100), read("b", 1, 5)]
      const { bai, bam } = bamFile(yield* Codec, reads)
      const count = (range: string) => Effect.map(cut("bam", bam, bai, "bai", range), ({ records }) => records)
      assert.strictEqual(yield* count("chr1"), 1)
      assert.strictEqual(yield* count("chr1:1-50"), 0)
      assert.strictEqual(yield* count("chr2"), 1)
    }).pipe(provided)
  )

  it.effect("D15 a read that goes past 2^29, which a CSI holds, is no damage", () =>
    Effect.gen(function* () {
      const references = [{ name: "chr1", length: 2 ** 29 - 100 }]
      const reads = [read("a", 0, 100), read("over", 0, 2 ** 29 - 120, [[200, "M"]])]
      const { bam, csi } = bamFile(yield* Codec, reads, { references, depth: 6 })
      const { indexSuffix, records } = yield* cut("bam", bam, csi, "csi", `chr1:${2 ** 29 - 110}-`)
      assert.deepStrictEqual({ indexSuffix, records }, { indexSuffix: "csi", records: 1 })
    }).pipe(provided)
  )

  it.effect("D13 a reference of length 0 has no reads", () =>
    Effect.gen(function* () {
      const references = [
        { name: "chr0", length: 0 },
        { name: "chr1", length: 1_000 }
      ]
      const { bai, bam } = bamFile(yield* Codec, [read("a", 1, 100)], { references })
      const { key, records } = yield* cut("bam", bam, bai, "bai", "chr0 chr1:5-")
      assert.deepStrictEqual({ key, records }, { key: "chr0 chr1:5-1000", records: 1 })
    }).pipe(provided)
  )
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

  it.effect("D15 a header that says length 0 says nothing, and one that says too little loses no line", () =>
    Effect.gen(function* () {
      for (const length of ["0", "1500"]) {
        const { data, tbi } = yield* fileOf(length, [100, 1_000, 2_000, 3_000])
        const { records } = yield* cut("vcf.gz", data, tbi, "tbi", "1:1000-3000")
        assert.strictEqual(records, 3, length)
      }
    }).pipe(provided)
  )

  it.effect("D15 an index that has POS 0 in the bin before all others, as older tabix wrote it, loses no line", () =>
    Effect.gen(function* () {
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
    }).pipe(provided)
  )
})
