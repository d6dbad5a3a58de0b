import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { printable, printableJson } from "../text/Printable.ts"
import { collisionKey, dataFileOf, fileTypeOf, sampleOf, unsafeName } from "./FileName.ts"

describe("types and samples", () => {
  it("the longest suffix decides, in any case", () => {
    assert.strictEqual(fileTypeOf("S1.bam"), "bam")
    assert.strictEqual(fileTypeOf("S1.BAM.Bai"), "bam.bai")
    assert.strictEqual(fileTypeOf("S1.vcf.gz"), "vcf.gz")
    assert.strictEqual(fileTypeOf("S1.vcf.gz.tbi"), "vcf.gz.tbi")
    assert.strictEqual(fileTypeOf("S1.bai"), "bam.bai")
    assert.strictEqual(fileTypeOf("S1.vcf.tbi"), "vcf.gz.tbi")
    for (const other of ["S1.vcf", "S1.tbi", "bam", "bai", "S1bam", "S1.bam.md5", "S1.csi", ""])
      assert.isNull(fileTypeOf(other))
  })

  it("<sample> is the name without its type suffix", () => {
    assert.strictEqual(sampleOf("S1.sorted.BAM"), "S1.sorted")
    assert.strictEqual(sampleOf("S1.bam.bai"), "S1")
    assert.strictEqual(sampleOf("S1.vcf.gz.tbi"), "S1")
    assert.strictEqual(sampleOf("S1.sorted.bai"), "S1.sorted")
    assert.strictEqual(sampleOf("S1.vcf.tbi"), "S1")
    assert.strictEqual(sampleOf("notes.txt"), "notes.txt")
  })

  it("an index names its data file", () => {
    assert.strictEqual(dataFileOf("S1.bam.bai"), "S1.bam")
    assert.strictEqual(dataFileOf("S1.vcf.gz.tbi"), "S1.vcf.gz")
    assert.strictEqual(dataFileOf("S1.bai"), "S1.bam")
    assert.strictEqual(dataFileOf("S1.BAI"), "S1.BAM")
    assert.strictEqual(dataFileOf("S1.vcf.tbi"), "S1.vcf.gz")
    assert.isNull(dataFileOf("S1.bam"))
    assert.isNull(dataFileOf("S1.csi"))
  })
})

describe("Z1 names of the service", () => {
  it("refuses everything that is not a plain name", () => {
    const refused = [
      ...["../x.bam", "/etc/x.bam", "a/b.bam", "..", ".", "", "x\u0000.bam", "a\\b.bam", "C:x.bam", "-rf.bam"],
      ...["x.bam.", "x.bam ", " x.bam", "\u00a0x.bam", "CON", "con.bam", "LPT1.vcf.gz", "x\n.bam", "x.bam.part"],
      ...[
        ".x.bam.1a2b3c4d.part.json",
        "x.part.json",
        ".hidden.bam",
        `${"x".repeat(252)}.bam`,
        `${"ü".repeat(126)}.bam`
      ],
      ...[
        "x\u202emab.bam",
        "\ud800x.bam",
        "x\u001b[2Jy.bam",
        "x\u0085.bam",
        "x\ufeff.bam",
        "x\u200b.bam",
        "x\u00ad.bam"
      ]
    ]
    for (const name of refused) assert.isNotNull(unsafeName(name), JSON.stringify(name))
  })

  it("accepts the names of real files", () => {
    const accepted = ["S1.bam", "Müller (2).vcf.gz", "2024-11-03_run+7,a=b.bam", "конь.bam", "ab:c.bam", "x y.bam"]
    for (const name of [...accepted, `${"x".repeat(251)}.bam`, "console.bam"]) assert.isNull(unsafeName(name), name)
  })

  it.effect.prop("no accepted name leaves its folder or hides", [Schema.String], ([name]) =>
    Effect.sync(() => {
      if (unsafeName(name) !== null) return
      assert.notMatch(name, /[/\\\p{Cc}]|^\.|^-|^$/u)
      assert.isAtMost(new TextEncoder().encode(name).length, 255)
    })
  )

  it("Y4 the refusal shows the name harmless", () => {
    const error = unsafeName("x\u001b[2J\u202e.bam")
    assert.strictEqual(
      error?.message,
      'Refused file name "x\\u001b[2J\\u202e.bam": it holds a control or invisible character'
    )
  })
})

describe("K7 one key for names that may be one file", () => {
  it("ignores case and composition", () => {
    assert.strictEqual(collisionKey("S1.BAM"), collisionKey("s1.bam"))
    assert.strictEqual(collisionKey("Mu\u0308ller"), collisionKey("M\u00fcller"))
    assert.strictEqual(collisionKey("STRASSE"), collisionKey("straße"))
    assert.notStrictEqual(collisionKey("S1.bam"), collisionKey("S2.bam"))
  })
})

describe("Y4 output", () => {
  it.effect.prop("printable text has no control characters, JSON stays the same value", [Schema.String], ([text]) =>
    Effect.sync(() => {
      assert.notMatch(printable(text), /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u)
      assert.strictEqual(JSON.parse(printableJson({ text })).text, text)
      assert.notMatch(printableJson({ text }).replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e]/u)
    })
  )

  it("replaces each dangerous character", () => {
    assert.strictEqual(
      printable("a\u001b[31m\r\n\u009b\u202eé漢\ud800"),
      "a\\u001b[31m\\u000d\\u000a\\u009b\\u202eé漢\\ud800"
    )
    assert.strictEqual(printableJson("\u009b\u202e"), '"\\u009b\\u202e"')
  })
})
