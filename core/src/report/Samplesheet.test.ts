import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { downloaded, failed, kept, pending, skipped, sliced } from "../../../test/Results.ts"
import { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import { type FileResult, failureResult } from "../download/FileResult.ts"
import { NotFound } from "../Errors.ts"
import { parseColumns, type SamplesheetForm, samplesheetOf, separatorOf, usualColumns } from "./Samplesheet.ts"

const form: SamplesheetForm = { columns: usualColumns, separator: ",", partial: false }

const missing = new NotFound({ what: "analysis A1" })

type Outcome = (file: {
  readonly analysisId: AnalysisId
  readonly fileName: string
  readonly path: string
}) => FileResult

const file = (analysisId: string, fileName: string, outcome: Outcome = downloaded): FileResult =>
  outcome({ analysisId: AnalysisId.make(analysisId), fileName, path: `/data/${fileName}` })

const pair = (id: string, name: string, outcome?: Outcome) => [
  file(id, `${name}.bam`, outcome),
  file(id, `${name}.bam.bai`, outcome)
]

const owners = new Map([
  ["A1", { sampleId: SampleId.make("S1"), limsId: LimsId.make("P1") }],
  ["A2", { sampleId: SampleId.make('S "2", left'), limsId: null }]
])

const linesOf = ({ text }: { readonly text: string }) => text.split("\n").slice(1, -1)

describe("a samplesheet", () => {
  it("has a row for each analysis with what is there: fetched, or found as it is listed", () => {
    const results = [...pair("A1", "S1"), ...pair("A2", "S2", kept)]
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
      (file) => failed(missing, file),
      (file) => failed(missing, { ...file, reason: "differs" }),
      (file) => skipped("archived", file),
      pending
    ]
    for (const outcome of outcomes) {
      const results = [file("A1", "S1.bam", outcome), file("A1", "S1.bam.bai"), ...pair("A2", "S2")]
      const sheet = samplesheetOf(results, owners, ["bam", "bam.bai"], form)
      assert.lengthOf(linesOf(sheet), 1)
      assert.deepStrictEqual(sheet.incomplete, [{ analysisId: AnalysisId.make("A1"), lacks: "bam", kept: false }])
      const partial = samplesheetOf(results, owners, ["bam", "bam.bai"], { ...form, partial: true })
      assert.deepStrictEqual(linesOf(partial)[0], "A1,S1,P1,,/data/S1.bam.bai,,")
    }
  })

  it("misses a type that the service does not list", () => {
    const sheet = samplesheetOf(pair("A1", "S1"), owners, ["bam", "bam.bai", "vcf.gz"], form)
    assert.deepStrictEqual(sheet.incomplete, [{ analysisId: AnalysisId.make("A1"), lacks: "vcf.gz", kept: false }])
    assert.deepStrictEqual(linesOf(sheet), [])
  })

  it("names an analysis without any file, and no selection that failed as a whole", () => {
    const failures = [failureResult(AnalysisId.make("A1"), missing), failureResult(null, missing)]
    const sheet = samplesheetOf(failures, owners, [], { ...form, partial: true })
    assert.deepStrictEqual(
      [sheet.rows, sheet.incomplete],
      [0, [{ analysisId: AnalysisId.make("A1"), lacks: "all its files", kept: false }]]
    )
  })

  it("pairs Picard's index, and the index that a slice brings", () => {
    const picard = [file("A1", "S1.bam"), file("A1", "S1.bai")]
    assert.deepStrictEqual(linesOf(samplesheetOf(picard, owners, ["bam", "bam.bai"], form)), [
      "A1,S1,P1,/data/S1.bam,/data/S1.bai,,"
    ])
    const index = { path: "/data/S1.ranged.vcf.gz.tbi", bytes: 1, sha256: "" }
    const slice = sliced({ fileName: "S1.vcf.gz", path: "/data/S1.ranged.vcf.gz", index })
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
    const awaited = pair("A3", "normal", pending)
    for (const partial of [false, true]) {
      const sheet = samplesheetOf([...pair("A3", "tumor"), ...awaited], owners, ["bam", "bam.bai"], {
        ...form,
        partial
      })
      assert.strictEqual(sheet.rows, 1)
      assert.deepStrictEqual(sheet.incomplete, [
        { analysisId: AnalysisId.make("A3"), lacks: "bam, bam.bai of normal", kept: false }
      ])
    }
  })

  it("does not miss variants where only unplaced reads are wanted", () => {
    const nothing = file("A1", "S1.vcf.gz", (it) => skipped("no-reads", it))
    const index = { path: "/data/S1.unmapped.bam.bai", bytes: 1, sha256: null }
    const reads = sliced({ fileName: "S1.bam", path: "/data/S1.unmapped.bam", index })
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
