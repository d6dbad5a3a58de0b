/** Headers that are read once, whatever they say, and content of another format under the name. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import { openFormat } from "../../core/src/genome/formats/Formats.ts"
import { bgzf, concat, counting, text } from "./Fixtures.ts"
import { withCodec } from "./WithCodec.ts"

describe("headers", () => {
  withCodec("D18 a reference that is twice in a BAM is refused", function* () {
    const [chr1, chr2] = [
      { name: "chr1", length: 1000 },
      { name: "chr2", length: 1000 }
    ]
    const opened = (...references: ReadonlyArray<{ readonly name: string; readonly length: number }>) =>
      Effect.flatMap(Codec, (codec) =>
        openFormat("x", fromBytes(bgzf(codec, encodeBamHeader(text(""), references))), "bam")
      )
    assert.strictEqual((yield* opened(chr1, chr2)).references, 2)
    const { message } = yield* Effect.flip(opened(chr1, chr2, chr1))
    assert.strictEqual(message, "x: its header has the reference chr1 twice")
  })

  withCodec("D16 a BCF under the name of a VCF is called by its name", function* () {
    const bcf = bgzf(yield* Codec, concat(text("BCF"), Uint8Array.of(2, 2, 9, 0, 0, 0), text("#CHROM\tPO")))
    const { fault, message } = yield* Effect.flip(openFormat("x.vcf.gz", fromBytes(bcf), "vcf.gz"))
    assert.strictEqual(fault, "BadHeader")
    assert.strictEqual(message, "x.vcf.gz: it does not begin with ##fileformat=VCF: it is a BCF file")
  })

  withCodec("a header of many references is fetched and inflated once, whatever it says of itself", function* () {
    const codec = yield* Codec
    const many = Array.from({ length: 30_000 }, (_, i) => ({ name: `contig_${i * 7_919}`, length: 1_000 + i }))
    const lines = many.map(({ length, name }) => `@SQ\tSN:${name}\tLN:${length}\n`).join("")
    const contigs = many.map(({ length, name }) => `##contig=<ID=${name},length=${length}>\n`).join("")
    const columns = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n"
    for (const [type, content] of [
      ["bam", encodeBamHeader(text(`@HD\tVN:1.6\tSO:coordinate\n${lines}`), many)],
      ["vcf.gz", text(`##fileformat=VCFv4.2\n${contigs}${columns}`)]
    ] as const) {
      const bytes = bgzf(codec, content)
      let inflated = 0
      const counted = {
        ...codec,
        inflateRaw: (...args: Parameters<Codec["Service"]["inflateRaw"]>) => {
          inflated++
          return codec.inflateRaw(...args)
        }
      }
      const reader = counting(fromBytes(bytes))
      yield* Effect.provideService(openFormat("x", reader, type), Codec, counted)
      assert.isBelow(reader.bytesRead(), bytes.length + 0x80000, type)
      assert.isBelow(inflated, content.length / 0xff00 + 4, type)
    }
  })
})
