import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type FileResult, untransferredResult } from "../download/FileResult.ts"
import { parseColumns, type SamplesheetForm, samplesheetOf, separatorOf, usualColumns } from "./Samplesheet.ts"

const form: SamplesheetForm = { columns: usualColumns, separator: ",", partial: false }

type Outcome = Pick<FileResult, "action" | "reason">
const here: Outcome = { action: "downloaded", reason: null }

const file = (analysisId: string, fileName: string, outcome: Outcome = here): FileResult =>
  untransferredResult({ analysisId, fileName, path: `/data/${fileName}`, bytes: 1 }, { ...outcome, error: null })

const pair = (id: string, name: string, outcome?: Outcome) => [
  file(id, `${name}.bam`, outcome),
  file(id, `${name}.bam.bai`, outcome)
]

const owners = new Map([
  ["A1", { sampleId: "S1", limsId: "P1" }],
  ["A2", { sampleId: 'S "2", left', limsId: null }]
])

const linesOf = ({ text }: { readonly text: string }) => text.split("\n").slice(1, -1)

describe("a samplesheet", () => {
  it("has a row for each analysis with what is there: fetched, or found as it is listed", () => {
    const results = [...pair("A1", "S1"), ...pair("A2", "S2", { action: "skipped", reason: "exists" })]
    const sheet = samplesheetOf(results, owners, ["bam", "bam.bai"], form)
    assert.strictEqual(
      sheet.text,
      "analysis,sample,person,bam,bai,vcf,tbi\n" +
        "A1,S1,P1,/data/S1.bam,/data/S1.bam.bai,,\n" +
        'A2,"S ""2"", left",,/data/S2.bam,/data/S2.bam.bai,,\n'
    )
    assert.deepStrictEqual(sheet.incomplete, [])
  })

  it("leaves out a row that lacks a wanted file, whatever became of it, and says so", () => {
    const outcomes: ReadonlyArray<Outcome> = [
      { action: "failed", reason: null },
      { action: "failed", reason: "differs" },
      { action: "skipped", reason: "archived" },
      { action: "skipped", reason: "pending" }
    ]
    for (const outcome of outcomes) {
      const results = [file("A1", "S1.bam", outcome), file("A1", "S1.bam.bai"), ...pair("A2", "S2")]
      const sheet = samplesheetOf(results, owners, ["bam", "bam.bai"], form)
      assert.lengthOf(linesOf(sheet), 1)
      assert.deepStrictEqual(sheet.incomplete, [{ analysisId: "A1", lacks: "bam", kept: false }])
      const partial = samplesheetOf(results, owners, ["bam", "bam.bai"], { ...form, partial: true })
      assert.deepStrictEqual(linesOf(partial)[0], "A1,S1,P1,,/data/S1.bam.bai,,")
    }
  })

  it("misses a type that the service does not list", () => {
    const sheet = samplesheetOf(pair("A1", "S1"), owners, ["bam", "bam.bai", "vcf.gz"], form)
    assert.deepStrictEqual(sheet.incomplete, [{ analysisId: "A1", lacks: "vcf.gz", kept: false }])
    assert.deepStrictEqual(linesOf(sheet), [])
  })

  it("names an analysis without any file, and no selection that failed as a whole", () => {
    const failed = { ...file("A1", "S1.bam", { action: "failed", reason: null }), fileName: null, path: null }
    const sheet = samplesheetOf([failed, { ...failed, analysisId: null }], owners, [], { ...form, partial: true })
    assert.deepStrictEqual(
      [sheet.rows, sheet.incomplete],
      [0, [{ analysisId: "A1", lacks: "all its files", kept: false }]]
    )
  })

  it("pairs Picard's index, and the index that a slice brings", () => {
    const picard = [file("A1", "S1.bam"), file("A1", "S1.bai")]
    assert.deepStrictEqual(linesOf(samplesheetOf(picard, owners, ["bam", "bam.bai"], form)), [
      "A1,S1,P1,/data/S1.bam,/data/S1.bai,,"
    ])
    const index = { path: "/data/S1.ranged.vcf.gz.tbi", bytes: 1, sha256: "" }
    const slice = { ...file("A1", "S1.vcf.gz"), path: "/data/S1.ranged.vcf.gz", index }
    assert.deepStrictEqual(linesOf(samplesheetOf([slice], owners, ["vcf.gz", "vcf.gz.tbi"], form)), [
      "A1,S1,P1,,,/data/S1.ranged.vcf.gz,/data/S1.ranged.vcf.gz.tbi"
    ])
  })

  it("has a row for each sample where an analysis has several files of a type", () => {
    const sheet = samplesheetOf([...pair("A3", "tumor"), ...pair("A3", "normal")], owners, ["bam", "bam.bai"], form)
    assert.deepStrictEqual(linesOf(sheet), [
      "A3,tumor,,/data/tumor.bam,/data/tumor.bam.bai,,",
      "A3,normal,,/data/normal.bam,/data/normal.bam.bai,,"
    ])
  })

  it("names the sample of an analysis of which nothing came, also beside one that is whole", () => {
    const failed = pair("A3", "normal", { action: "skipped", reason: "pending" })
    for (const partial of [false, true]) {
      const sheet = samplesheetOf([...pair("A3", "tumor"), ...failed], owners, ["bam", "bam.bai"], { ...form, partial })
      assert.strictEqual(sheet.rows, 1)
      assert.deepStrictEqual(sheet.incomplete, [{ analysisId: "A3", lacks: "bam, bam.bai of normal", kept: false }])
    }
  })

  it("does not miss variants where only unplaced reads are wanted", () => {
    const nothing = file("A1", "S1.vcf.gz", { action: "skipped", reason: "no-reads" })
    const index = { path: "/data/S1.unmapped.bam.bai", bytes: 1, sha256: null }
    const reads = { ...file("A1", "S1.bam"), path: "/data/S1.unmapped.bam", index }
    const sheet = samplesheetOf([reads, nothing], owners, ["bam", "bam.bai", "vcf.gz", "vcf.gz.tbi"], form)
    assert.deepStrictEqual(linesOf(sheet), ["A1,S1,P1,/data/S1.unmapped.bam,/data/S1.unmapped.bam.bai,,"])
    assert.deepStrictEqual(sheet.incomplete, [])
  })

  it("takes the columns that the next pipeline wants", () => {
    const columns = Result.getOrThrow(parseColumns("patient=person, sample=sample,bam=bam,bai=bai"))
    const sheet = samplesheetOf(pair("A1", "S1"), owners, ["bam", "bam.bai"], { ...form, columns, separator: "\t" })
    assert.strictEqual(sheet.text, "patient\tsample\tbam\tbai\nP1\tS1\t/data/S1.bam\t/data/S1.bam.bai\n")
    for (const wrong of ["", "patient", "patient=people", "a=bam,a=bai", "=bam", "a=bam=bai"]) {
      assert.isTrue(Result.isFailure(parseColumns(wrong)), wrong)
    }
  })

  it("knows what is between the cells by the name of the file", () => {
    assert.deepStrictEqual(["a.csv", "a.TSV", "a.txt", "csv"].map(separatorOf), [",", "\t", null, null])
  })
})
