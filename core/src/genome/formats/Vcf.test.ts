import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bgzf, concat, text } from "../../../../test/genome/Fixtures.ts"
import { fromBytes } from "../ByteReader.ts"
import { Codec } from "../bgzf/Codec.ts"
import { readVcfHeader } from "./VcfHeader.ts"
import { placeOf } from "./VcfRecord.ts"
import { vcfSliceText } from "./VcfSliceHeader.ts"

describe("the end of a VCF record", () => {
  it.each([
    ["END=200", 200],
    ["END=200\r", 200],
    ["DP=3;END=200\r", 200],
    ["END=200,300", 200],
    ["END=200 ;DP=3", 200],
    ["XEND=300;END=200", 200],
    ["END=.", 102],
    ["END=", 102],
    ["END=40", 102],
    [".", 102]
  ])("D15 with INFO %j it is %j, as tabix reads it", (info, end) => {
    const place = placeOf(text(`1\t100\t.\tACG\tC\t.\t.\t${info}`))
    assert.deepStrictEqual(place, { name: "1", start: 99, end })
  })
})

describe("contigs of a VCF header", () => {
  it.effect("D15 a length between quotes is none", () =>
    Effect.gen(function* () {
      const head = [
        "##fileformat=VCFv4.2",
        '##contig=<ID=1,Description="as of,ID=7,length=3",length=1000>',
        '##contig=<ID=2,Description="a \\",length=3",length=2000>',
        "##contig=<length=500,ID=3>",
        "##contig=<ID=4>",
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
      ].join("\n")
      const { contigs } = yield* readVcfHeader("x.vcf.gz", fromBytes(bgzf(yield* Codec, text(head))))
      assert.deepStrictEqual(contigs, [
        { name: "1", length: 1000 },
        { name: "2", length: 2000 },
        { name: "3", length: 500 },
        { name: "4", length: null }
      ])
    }).pipe(Effect.provide(ZlibCodec.layer))
  )
})

describe("the header of a VCF slice", () => {
  it("D15 keeps every byte of a text that is no UTF-8", () => {
    const before = concat(text("##fileformat=VCFv4.2\n##source=G"), Uint8Array.of(0xe9, 0xe9), text("nomique\n"))
    const columns = text("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
    const added = text('##svc-steps_regions=<Version="1",Regions="chr1:1-9">\n')
    const slice = vcfSliceText(concat(before, columns), { name: "svc-steps", version: "1" }, "chr1:1-9")
    assert.deepStrictEqual(slice, concat(before, added, columns))
  })
})
