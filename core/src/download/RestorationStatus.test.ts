import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { listedFile as file } from "../../../test/selection/ListedFiles.ts"
import { readEntry } from "../archive/TrackingEntry.ts"
import { AnalysisId } from "../contract/Ids.ts"
import type { ListedFile } from "../selection/WantedFiles.ts"
import { availabilityOf, formOf, wantedName } from "./RestorationStatus.ts"

const now = Date.parse("2026-11-21T12:00:00Z")

const entry = (options: object, more: object = {}) =>
  Result.getOrThrow(readEntry({ analysisId: AnalysisId.make("A1"), fileName: "S.bam", options, ...more }))

const cold = (fileName: string, estimatedRestoreTime: string | null = null) =>
  file(fileName, { archived: true, estimatedRestoreTime })

const said = (options: object, files: ReadonlyArray<ListedFile>, more: object = {}) => {
  const listed = { analysisId: AnalysisId.make("A1"), named: false, sampleId: null, limsId: null, files }
  const availability = availabilityOf(entry(options, more), listed, ["bam", "bam.bai"], now)
  switch (availability._tag) {
    case "Archived":
      return "Archived"
    case "Available":
      return `Available ${availability.files.map(({ fileName }) => fileName).join(" ")}`
    case "Restoring":
      return `Restoring ${availability.estimate}`
    case "Missing":
      return availability.error.message
  }
}

describe("availability", () => {
  it("ready is the file with the index that its entry asks for, and nothing else of the analysis", () => {
    const files = [file("S.bam"), file("S.bam.bai"), file("T.bam"), file("T.bam.bai"), file("S.vcf.gz"), file(null)]
    assert.strictEqual(said({ filetypes: ["bam"] }, files), "Available S.bam")
    assert.strictEqual(said({ filetypes: ["bam", "bam.bai"] }, files), "Available S.bam S.bam.bai")
    assert.strictEqual(said({}, files), "Available S.bam S.bam.bai")
  })

  it("L13 neither of a pair is ready while the other is archived", () => {
    const both = { filetypes: ["bam", "bam.bai"] }
    assert.strictEqual(said(both, [cold("S.bam"), file("S.bam.bai")]), "Archived")
    assert.strictEqual(said(both, [file("S.bam"), cold("S.bam.bai")]), "Archived")
    assert.strictEqual(said({ filetypes: ["bam"] }, [file("S.bam"), cold("S.bam.bai")]), "Available S.bam")
  })

  it("restoring is what the service says, else what the entry gives reason to believe", () => {
    const time = "2026-11-21T15:00:00Z"
    assert.strictEqual(
      said({}, [cold("S.bam", time)], { restoreEstimation: "2026-11-22T00:00:00Z" }),
      `Restoring ${time}`
    )
    assert.strictEqual(said({}, [cold("S.bam")], { restoreEstimation: time }), `Restoring ${time}`)
    assert.strictEqual(said({}, [cold("S.bam")], { requestTime: "2026-11-21T11:00:00Z" }), "Restoring null")
  })

  it("L11 an estimate that has passed proves nothing: the flag decides", () => {
    const past = { restoreEstimation: "2026-11-21T11:00:00Z" }
    assert.strictEqual(said({}, [cold("S.bam")], past), "Archived")
    assert.strictEqual(said({}, [file("S.bam")], { restoreEstimation: "2026-11-21T15:00:00Z" }), "Available S.bam")
  })

  it("a file that is not listed any more is not found", () => {
    assert.strictEqual(
      said({}, [file("T.bam"), file("S.bam.bai")]),
      "S.bam (analysis A1): not found (the service does not list the file any more)"
    )
  })
})

describe("availability of a slice", () => {
  const range = { range: "chr1:1-100", filetypes: ["bam"] }

  it("needs an index whatever types were asked for, and one of several is enough", () => {
    assert.strictEqual(said(range, [file("S.bam"), file("S.bai")]), "Available S.bam S.bai")
    assert.strictEqual(
      said(range, [file("S.bam"), cold("S.bam.bai"), file("S.bam.csi")]),
      "Available S.bam S.bam.bai S.bam.csi"
    )
    assert.strictEqual(said(range, [file("S.bam"), cold("S.bam.bai")]), "Archived")
    assert.strictEqual(said(range, [cold("S.bam"), cold("S.bam.bai"), file("S.bai")]), "Archived")
    const linkless = file("S.bai", { hasLink: false })
    assert.strictEqual(said(range, [file("S.bam"), cold("S.bam.bai"), linkless]), "Archived")
    // What nobody archived does not come back: the plan says that it has no link.
    assert.strictEqual(said(range, [file("S.bam"), linkless]), "Available S.bam S.bai")
  })

  it("is known by regions, a BED file or unmapped reads", () => {
    assert.deepStrictEqual(
      [{}, { range: null, bed: null, unmapped: false }, range, { bed: "a.bed" }, { unmapped: true }].map((options) =>
        formOf(entry(options))
      ),
      [null, null, "ranged", "ranged", "unmapped"]
    )
    // Another tool has an entry for the index too: its slice comes with a fresh one.
    assert.strictEqual(wantedName(entry(range, { fileName: "S.bam.bai" })), "S.bam")
    assert.strictEqual(wantedName(entry({}, { fileName: "S.bam.bai" })), "S.bam.bai")
  })
})
