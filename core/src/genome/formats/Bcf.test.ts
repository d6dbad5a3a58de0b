import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../../../platform/inflate/ZlibCodec.ts"
import { bgzf, concat, text } from "../../../../test/genome/Fixtures.ts"
import { fromBytes } from "../ByteReader.ts"
import { Codec } from "../bgzf/Codec.ts"
import { soleIndex } from "../IndexedFile.ts"
import { parseRange } from "../regions/RegionText.ts"
import { checkStructure } from "../Structure.ts"
import { planSlice } from "../slice/Slice.ts"
import { fileTypes, indexesOf, kindOfName } from "./FileNames.ts"

const header =
  "##fileformat=VCFv4.2\n##contig=<ID=chr1,length=100>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA\tB\n\0"

const bcfOf = (codec: Codec["Service"], content = header, claimed = content.length) => {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, claimed, true)
  return bgzf(codec, concat(text("BCF"), Uint8Array.of(2, 2), length, text(content)))
}

const provided = Effect.provide(ZlibCodec.layer)

describe("BCF", () => {
  it("is known by its suffix, and nobody asks the service for it", () => {
    assert.deepStrictEqual(kindOfName("a.BCF"), { kind: "bcf", type: "bcf", index: null, stem: "a" })
    assert.deepStrictEqual(kindOfName("a.bcf.csi"), { kind: "bcf.csi", type: "bcf", index: "csi", stem: "a" })
    assert.deepStrictEqual(indexesOf("bcf"), ["csi"])
    assert.notInclude(fileTypes.join(), "bcf")
  })

  it.effect("D16 is called by its name, under its own suffix and under that of a VCF", () =>
    Effect.gen(function* () {
      const bytes = bcfOf(yield* Codec)
      for (const name of ["a.bcf", "a.vcf.gz"]) {
        const { format, samples } = yield* checkStructure(name, fromBytes(bytes))
        assert.deepStrictEqual({ format, samples }, { format: "BCF", samples: 2 })
      }
    }).pipe(provided)
  )

  it.effect("D3 a header that is none ends typed", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const faultOf = (bytes: Uint8Array) => Effect.flip(checkStructure("a.bcf", fromBytes(bytes)))
      assert.strictEqual((yield* faultOf(bgzf(codec, text("##fileformat=VCFv4.2\n")))).fault, "BadHeader")
      assert.strictEqual((yield* faultOf(bgzf(codec, text("BCF\u0002")))).fault, "BadHeader")
      assert.strictEqual((yield* faultOf(bcfOf(codec, "##fileformat=VCFv4.2\n"))).fault, "BadHeader")
      assert.strictEqual((yield* faultOf(bcfOf(codec, header, 10_000))).fault, "Truncated")
      assert.strictEqual((yield* faultOf(bcfOf(codec, header, 0xffffffff))).fault, "BadHeader")
    }).pipe(provided)
  )

  it.effect("regions of it are refused in one sentence", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      const source = {
        name: "a.vcf.gz",
        reader: fromBytes(bcfOf(codec)),
        indexes: soleIndex("a.vcf.gz.tbi", fromBytes(bgzf(codec, text("CSI"))))
      }
      const wanted = yield* Effect.fromResult(parseRange("chr1"))
      const error = yield* Effect.flip(planSlice({ source, type: "vcf.gz", wanted, takeUnplaced: false }))
      assert.strictEqual(error.message, "a.vcf.gz: it is BCF, of which no regions can be cut out: download it whole")
    }).pipe(provided)
  )
})
