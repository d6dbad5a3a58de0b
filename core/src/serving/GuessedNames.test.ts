import { assert, describe, it } from "@effect/vitest"
import { indexOf, listedName } from "./GuessedNames.ts"

const files = (...names: ReadonlyArray<string>) => names.map((fileName) => ({ fileName }))

describe("guessed names of indexes", () => {
  it("lead to the index under the name that the service lists", () => {
    const table = [
      ["S1.bam.bai", "S1.bam.bai", "S1.bam.bai"],
      ["S1.bai", "S1.bam.bai", "S1.bam.bai"],
      ["S1.bam.bai", "S1.bai", "S1.bai"],
      ["S1.csi", "S1.bam.csi", "S1.bam.csi"],
      ["S1.bam.csi", "S1.bam.bai", null],
      ["V.vcf.gz.tbi", "V.vcf.gz.tbi", "V.vcf.gz.tbi"],
      ["V.vcf.gz.tbi", "V.vcf.tbi", "V.vcf.tbi"],
      ["V.vcf.csi", "V.vcf.gz.csi", "V.vcf.gz.csi"],
      ["V.tbi", "V.vcf.gz.tbi", null],
      ["V.vcf.gz.csi", "V.vcf.gz.tbi", null],
      ["S1.bam", "S1.bam.bai", null]
    ] as const
    for (const [asked, listed, found] of table) assert.strictEqual(listedName(asked, files(listed)), found, asked)
  })

  it("a name that is listed means that file, whatever else would fit", () => {
    assert.strictEqual(listedName("S1.bai", files("S1.bam.bai", "S1.bai")), "S1.bai")
  })

  it("of a data file lead to its index, its own format first", () => {
    const indexFor = (data: string, ...names: ReadonlyArray<string>) => indexOf(data, files(...names))?.fileName ?? null
    assert.strictEqual(indexFor("S1.bam", "S1.bam", "S1.bam.csi", "S1.bam.bai"), "S1.bam.bai")
    assert.strictEqual(indexFor("S1.bam", "S1.bam", "S1.bam.csi"), "S1.bam.csi")
    assert.strictEqual(indexFor("S1.bam", "S1.bai"), "S1.bai")
    assert.strictEqual(indexFor("V.vcf.gz", "V.vcf.gz.tbi"), "V.vcf.gz.tbi")
    assert.isNull(indexFor("S1.bam", "S1.bam", "S2.bam.bai"))
    assert.isNull(indexFor("notes.txt", "notes.txt.bai"))
  })
})
