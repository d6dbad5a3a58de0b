import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bgzf, concat, text } from "../../../../test/genome/Fixtures.ts"
import { withCodec } from "../../../../test/genome/WithCodec.ts"
import { fromBytes } from "../ByteReader.ts"
import { Codec } from "../bgzf/Codec.ts"
import { readVcfHeader, vcfSliceText, withoutBlankLines } from "./VcfHeader.ts"
import { placeOf } from "./VcfRecord.ts"

describe("the end of a VCF record", () => {
  it.each([
    ["END=200", 200],
    ["END=200\r", 200],
    ["END=+200", 200],
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
    assert.deepInclude(place, { name: "1", start: 99, end, plainEnd: end })
  })
})

describe("how far a VCF record reaches by its lengths", () => {
  it.each([
    ["<DEL>", "SVLEN=-500", 600],
    ["<DEL>", "SVLEN=500", 600],
    ["<DEL>", "SVLEN=+500\r", 600],
    ["<DUP>", "DP=3;SVLEN=500;SVTYPE=DUP", 600],
    ["<INV>", "END=100;SVLEN=500", 600],
    ["<CNV:TR>", "SVLEN=500", 600],
    ["<DEL:ME:ALU>", "XSVLEN=900;SVLEN=500", 600],
    ["<DEL>", "END=1900;SVLEN=500", 1900],
    ["<DEL>", "END=300;SVLEN=500", 600],
    ["<INS>,<DEL>", "SVLEN=900,500", 600],
    ["<DEL>,<INS>", "SVLEN=500,900", 600],
    ["<DEL>,<DEL>", "SVLEN=500,700,900", 800],
    ["C,<DEL>", "SVLEN=.,500", 600],
    // The one value is that of the first allele.
    ["C,<DEL>", "SVLEN=500", 102],
    ["<INS>", "SVLEN=500", 102],
    ["<DELETION>", "SVLEN=500", 102],
    ["<CN0>", "SVLEN=500", 102],
    ["G]17:198982]", "SVLEN=500", 102],
    ["C", "SVLEN=500", 102],
    ["<DEL>", "SVLEN=.", 102],
    ["<DEL>", "SVLEN=0", 102],
    ["<DEL>", "SVLEN=1", 102],
    ["<DEL>", "SVLEN=", 102],
    ["<DEL>", "SVLEN", 102],
    ["<DEL>", "SVLEN=4294967295", 102],
    // A REF that goes further than END.
    ["C", "END=101", 102],
    ["<*>", "END=101\tGT:LEN\t0/0:500\t0/0:300", 599],
    ["C,<*>", ".\tLEN\t300\t500\r", 599],
    ["<NON_REF>", ".\tGT:LEN:DP\t0/0\t0/0:.:5\t0/0:500:1", 599],
    ["<*>", ".\tGT:LENGTH\t0/0:500", 102],
    ["<*>", ".\tGT\t0/0", 102],
    ["<*>", "SVLEN=500", 102],
    ["C", ".\tGT:LEN\t0/0:500", 102],
    ["<DEL>", ".\tGT:LEN\t0/0:500", 102]
  ])("D15 with ALT %j and %j it is %j, as bcftools 1.24 has it", (alternatives, rest, end) => {
    assert.strictEqual(placeOf(text(`1\t100\t.\tACG\t${alternatives}\t.\t.\t${rest}`))?.end, end)
  })
})

describe("contigs of a VCF header", () => {
  withCodec("D15 a length between quotes is none", function* () {
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
  })
})

describe("a VCF without a #CHROM line", () => {
  withCodec("D15 names the line at which its header ends", function* () {
    const reasonOf = (head: string) =>
      Effect.gen(function* () {
        const reader = fromBytes(bgzf(yield* Codec, text(head)))
        return (yield* Effect.flip(readVcfHeader("x.vcf.gz", reader))).reason
      })
    const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    const first = "##fileformat=VCFv4.2\n"
    assert.strictEqual(yield* reasonOf(first), "it has no #CHROM line")
    assert.strictEqual(
      yield* reasonOf(`${first} \n${columns}`),
      "it has no #CHROM line before line 2, which does not begin with #"
    )
  })
})

describe("a blank line in the header of a VCF", () => {
  withCodec("D15 belongs to the header before #CHROM, not after it, and a slice has none", function* () {
    const meta = "##fileformat=VCFv4.2\n"
    const contig = "##contig=<ID=1,length=9>\n"
    const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
    for (const blank of ["\n", "\r\n", "\n\n"]) {
      const lines = meta + blank + contig + blank + columns
      const reader = fromBytes(bgzf(yield* Codec, text(`${lines}\n1\t5\t.\tA\tC\t.\t.\t.\n`)))
      const header = yield* readVcfHeader("x.vcf.gz", reader)
      assert.deepStrictEqual(header.text, text(lines))
      assert.deepStrictEqual(header.contigs, [{ name: "1", length: 9 }])
      assert.deepStrictEqual(withoutBlankLines(header.text), text(meta + contig + columns))
    }
  })
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
