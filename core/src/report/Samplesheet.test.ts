import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { downloaded, failed, kept, pending, skipped, sliced } from "../../../test/Results.ts"
import { root } from "../../../test/Root.ts"
import { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import { type FileResult, failureResult } from "../download/FileResult.ts"
import { NotFound } from "../Errors.ts"
import type { FileType } from "../selection/FileName.ts"
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

const people = new Map([...owners, ["A4", { sampleId: SampleId.make("S4"), limsId: LimsId.make("P4") }] as const])

const word = { needed: true, pattern: /^\S+$/ }
const needed = (pattern: RegExp) => ({ needed: true, pattern })

/**
 * What the published sheets of pipelines that begin with BAM or VCF ask of a row (`assets/schema_input.json` of nf-core/sarek,
 * nf-core/bamtofastq and nf-core/variantbenchmarking, and what sarek says of its starts).
 */
const pipelines: ReadonlyArray<{
  readonly start: string
  readonly columns: string
  readonly files: ReadonlyArray<FileType>
  readonly rules: Readonly<Record<string, { readonly needed: boolean; readonly pattern: RegExp }>>
}> = [
  {
    start: "nf-core/sarek --step variant_calling",
    columns: 'patient=person,status="0",sample=sample,bam=bam,bai=bai',
    files: ["bam", "bam.bai"],
    rules: {
      patient: word,
      status: { needed: false, pattern: /^[01]$/ },
      sample: word,
      bam: needed(/^\S+\.bam$/),
      bai: needed(/^\S+\.bai$/)
    }
  },
  {
    start: "nf-core/sarek --step annotate",
    columns: "patient=person,sample=sample,vcf=vcf",
    files: ["vcf.gz"],
    rules: { patient: word, sample: word, vcf: needed(/^\S+\.vcf(\.gz)?$/) }
  },
  {
    start: "nf-core/bamtofastq",
    columns: 'sample_id=sample,mapped=bam,index=bai,file_type="bam"',
    files: ["bam", "bam.bai"],
    rules: {
      sample_id: word,
      mapped: needed(/^\S+\.(bam|cram)$/),
      index: { needed: false, pattern: /^\S+\.(bai|crai)$/ },
      file_type: needed(/^(bam|cram)$/)
    }
  },
  {
    start: "nf-core/variantbenchmarking",
    columns: 'id=analysis,test_vcf=vcf,caller="unknown",vartype="small"',
    files: ["vcf.gz"],
    rules: {
      id: word,
      test_vcf: needed(/\S+\.vcf(\.gz)?$/),
      caller: word,
      vartype: needed(/^(small|sv|snv|indel|cnv)$/)
    }
  }
]

const page = readFileSync(`${root}docs/pipelines.md`, "utf8")

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
    // A shell reads it at the tabs: a quote is part of a name.
    const tabs = samplesheetOf(results, owners, ["bam", "bam.bai"], { ...form, separator: "\t" })
    assert.strictEqual(linesOf(tabs)[1], 'A2\tS "2", left\t\t/data/S2.bam\t/data/S2.bam.bai\t\t')
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

  it("has a row for each sample where an analysis has several files of a type, and no two rows of one sample", () => {
    // Also where the service names one sample for all: a pipeline would take a tumor and its normal for the same, or refuse both.
    for (const [id, person] of [
      ["A3", ""],
      ["A1", "P1"]
    ] as const) {
      const sheet = samplesheetOf([...pair(id, "tumor"), ...pair(id, "normal")], owners, ["bam", "bam.bai"], form)
      assert.deepStrictEqual(linesOf(sheet), [
        `${id},tumor,${person},/data/tumor.bam,/data/tumor.bam.bai,,`,
        `${id},normal,${person},/data/normal.bam,/data/normal.bam.bai,,`
      ])
    }
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
    const constant = Result.getOrThrow(parseColumns('id=analysis, kind="bam",none="",said="a b"'))
    const said = samplesheetOf(pair("A1", "S1"), owners, [], { ...form, columns: constant })
    assert.strictEqual(said.text, "id,kind,none,said\nA1,bam,,a b\n")
    for (const wrong of [
      "",
      'a="bam',
      'a=b"am"',
      'a="b"c"',
      'a="b=c"',
      "patient",
      "patient=people",
      "a=bam,a=bai",
      "=bam",
      "a=bam=bai"
    ]) {
      assert.isTrue(Result.isFailure(parseColumns(wrong)), wrong)
    }
  })

  for (const { columns, files, rules, start } of pipelines) {
    it(`is what ${start} takes`, () => {
      assert.include(page, `-f ${files.join(",")} --samplesheetColumns '${columns}'`)
      const form: SamplesheetForm = {
        columns: Result.getOrThrow(parseColumns(columns)),
        separator: ",",
        partial: false
      }
      const results = ["A1", "A4"].flatMap((id) => files.map((type) => file(id, `${id}-x.${type}`)))
      const [header = [], ...rows] = samplesheetOf(results, people, files, form)
        .text.trimEnd()
        .split("\n")
        .map((line) => line.split(","))
      assert.lengthOf(rows, 2)
      for (const row of rows) {
        const cells = new Map(header.map((name, at) => [name, row[at] ?? ""]))
        for (const [name, { needed, pattern }] of Object.entries(rules)) {
          const cell = cells.get(name) ?? ""
          assert.isTrue(cell === "" ? !needed : pattern.test(cell), `${name}: ${cell}`)
          cells.delete(name)
        }
        assert.strictEqual(cells.size, 0, "columns that the pipeline does not know")
      }
    })
  }

  it("knows what is between the cells by the name of the file", () => {
    assert.deepStrictEqual(["a.csv", "a.TSV", "a.txt", "csv"].map(separatorOf), [",", "\t", null, null])
  })
})
