import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Regions from "../regions/Regions.ts"
import { regionsKey, regionsOfKey } from "./SliceHeader.ts"
import { vcfRegions, vcfSliceText } from "./VcfHeader.ts"

const keyOf = (pieces: Iterable<string>) => regionsKey(pieces, crc32)

describe("regionsKey", () => {
  const Words = Schema.Array(Schema.Literals(["chr1:1-5", "{HLA-A*01:01}:7-", "chrUn", "ch\u00e4:1-2"])).check(
    Schema.isMinLength(1)
  )
  it.effect.prop(
    "P6 is that of the whole text, wherever it is cut into pieces",
    [Words, Schema.Literals([1, 100, 3_000]), Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000 }))],
    ([words, times, size]) =>
      Effect.sync(() => {
        const all = Array.from({ length: times }, () => words).flat()
        const text = all.join(" ")
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
          text.slice(i * size, (i + 1) * size)
        )
        const sum = crc32(Buffer.from(text)).toString(16).padStart(8, "0")
        assert.strictEqual(keyOf(pieces), text.length <= 4096 ? text : `${all.length} regions, CRC-32 ${sum}`)
      })
  )

  it("P6 no piece of the text grows with the number of regions, and together they are all of it", () => {
    const bounds = Uint32Array.from({ length: 200_000 }, (_, i) => 5 * i)
    const regions = [
      { ref: 0, name: "chr1", length: Number.POSITIVE_INFINITY, bounds, whole: false },
      { ref: 1, name: "a:b", length: 9, bounds: [0, Number.POSITIVE_INFINITY], whole: true },
      { ref: 2, name: "chr2", length: Number.POSITIVE_INFINITY, bounds: [0, Number.POSITIVE_INFINITY], whole: false }
    ]
    const pieces = [...Regions.formatRegions(regions, true)]
    assert.isAbove(pieces.length, 10)
    for (const piece of pieces) assert.isBelow(piece.length, 200_000)
    const all = Array.from({ length: 100_000 }, (_, i) => `chr1:${10 * i + 1}-${10 * i + 5}`)
    assert.strictEqual(pieces.join(""), [...all, "{a:b}", "chr2:1-", "*"].join(" "))
  })
})

describe("regionsOfKey", () => {
  it.each([[["chr1:1-5", "{HLA, DRB1}:7-", "*"]], [["{9 regions, CRC-32 0123abcd}"]]])(
    "%j are named one by one, whatever stands in a name",
    (regions) => {
      assert.deepStrictEqual(regionsOfKey(keyOf([regions.join(" ")])), regions)
    }
  )

  it("a long list is only counted", () => {
    const long = Array.from({ length: 1_000 }, (_, i) => `chr1:${10 * i + 1}-${10 * i + 5}`)
    assert.isNull(regionsOfKey(keyOf([long.join(" ")])))
  })
})

describe("what a VCF slice was made from", () => {
  it("stands before the regions, quotes escaped, and the regions are read as before", () => {
    const head = new TextEncoder().encode("##fileformat=VCFv4.2\n#CHROM\tPOS\n")
    const origin = { command: "svc-download --range 'chr1'", source: 'S1.vcf.gz, 7 bytes, ETag "a\\b"' }
    const program = { name: "svc-download", version: "1.2.3", origin }
    const text = vcfSliceText(head, program, "chr1")
    assert.strictEqual(
      new TextDecoder().decode(text).split("\n")[1],
      '##svc-download_regions=<Version="1.2.3",Command="svc-download --range \'chr1\'",' +
        'Source="S1.vcf.gz, 7 bytes, ETag \\"a\\\\b\\"",Regions="chr1">'
    )
    assert.strictEqual(vcfRegions(text, program), "chr1")
  })
})
