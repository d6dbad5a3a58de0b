import { assert, describe, it } from "@effect/vitest"
import { words } from "../../../../test/Words.ts"
import {
  bam,
  dataOf,
  dataTypeOf,
  fileTypes,
  indexNamesOf,
  indexRank,
  kindOfName,
  partnerOf,
  typesOf
} from "./FileNames.ts"

describe("names of indexes", () => {
  it("D16 an index has the whole name of its data before its suffix, or its suffix in place of the last one", () => {
    assert.deepStrictEqual(indexNamesOf("d/S1.bam"), ["d/S1.bam.csi", "d/S1.csi", "d/S1.bam.bai", "d/S1.bai"])
    assert.deepStrictEqual(indexNamesOf("S1.vcf.gz"), ["S1.vcf.gz.csi", "S1.vcf.csi", "S1.vcf.gz.tbi", "S1.vcf.tbi"])
    for (const other of ["S1.bcf", "S1.bai", "S1.bam.bai", "S1.txt", "S1"])
      assert.deepStrictEqual(indexNamesOf(other), [])
  })

  it("each of these names says what it is the index of", () => {
    for (const data of ["d/S1.bam", "S1.vcf.gz", "S1.x.BAM"]) {
      for (const [rank, index] of indexNamesOf(data).entries()) {
        assert.strictEqual(dataOf(index).toLowerCase(), data.toLowerCase(), index)
        assert.strictEqual(indexRank(data)(index.toUpperCase()), rank)
        assert.strictEqual(kindOfName(index)?.stem, kindOfName(data)?.stem)
      }
    }
    assert.strictEqual(dataOf("S1.csi"), "S1.bam")
    assert.deepStrictEqual(kindOfName("S1.bai"), { kind: "bam.bai", type: "bam", index: "bai", stem: "S1" })
    assert.deepStrictEqual(kindOfName("S1.vcf.csi"), { kind: "vcf.gz.csi", type: "vcf.gz", index: "csi", stem: "S1" })
    assert.strictEqual(dataOf("S1.BAI"), "S1.BAM")
    assert.strictEqual(dataOf("S1.BAM.bai"), "S1.BAM")
    assert.strictEqual(dataOf("S1.bam"), "S1.bam")
  })

  it("indexes of other formats are none of ours", () => {
    for (const other of words`S1.bed.gz.csi S1.bed.gz.tbi S1.tbi S1.cram.crai S1.bcf S1.bcf.csi bai S1bai`) {
      assert.isNull(kindOfName(other), other)
    }
    assert.isNull(indexRank("S1.bam")("S2.bai"))
    assert.isNull(indexRank("S1.bam")("S1.tbi"))
    assert.isNull(indexRank("S1.vcf.gz")("S1.csi"))
  })
})

describe("types that can be asked for", () => {
  it("a format without an index has one type, any other that of its usual index too", () => {
    assert.deepStrictEqual(typesOf({ suffix: "bed.gz", indexes: [] }), ["bed.gz"])
    assert.deepStrictEqual(typesOf(bam), ["bam", "bam.bai"])
    assert.deepStrictEqual(fileTypes, ["bam", "bam.bai", "vcf.gz", "vcf.gz.tbi"])
  })

  it("data and its index stand beside each other", () => {
    assert.deepStrictEqual(fileTypes.map(partnerOf), ["bam.bai", "bam", "vcf.gz.tbi", "vcf.gz"])
    assert.deepStrictEqual(fileTypes.map(dataTypeOf), ["bam", "bam", "vcf.gz", "vcf.gz"])
  })
})
