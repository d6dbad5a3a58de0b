import { assert, describe, it } from "@effect/vitest"
import type { PlanOutcome } from "../download/DownloadForms.ts"
import { plan } from "../download/DownloadPlan.ts"
import { NotFound } from "../Errors.ts"
import type { ListedAnalysis } from "../selection/ListedFiles.ts"
import { filterListing } from "../selection/WantedFiles.ts"
import { listingJson, listingText } from "./Listing.ts"
import { planJson, planText } from "./PlanView.ts"

const entry = { archived: false, estimatedRestoreTime: null, hasLink: true }
const analysis: ListedAnalysis = {
  id: "A1",
  named: true,
  sampleId: "S1",
  limsId: null,
  files: [
    { ...entry, fileName: "S1.bam", size: 123456 },
    { ...entry, fileName: "S1.bam.bai", size: 96 },
    { ...entry, fileName: "S1.vcf.gz", size: null },
    {
      ...entry,
      fileName: "old\u001b[2J.bam",
      size: 5000,
      archived: true,
      estimatedRestoreTime: "2026-11-22T00:00:00Z"
    },
    { ...entry, fileName: null, size: 0 }
  ]
}
const missing = { analysisId: "A9", fileName: null, error: new NotFound({ what: "analysis A9" }) }

describe("Listing", () => {
  it("text has the analysis line, names, sizes and the archive mark", () => {
    assert.strictEqual(
      listingText(analysis),
      [
        "Analysis ID: A1",
        "  S1.bam  123456 bytes (120.6 KiB)",
        "  S1.bam.bai  96 bytes",
        "  S1.vcf.gz  size unknown",
        "  old\\u001b[2J.bam  5000 bytes (4.9 KiB)  [ARCHIVED]",
        "  (no name)  0 bytes"
      ].join("\n")
    )
  })

  it("all types are shown unless some are named", () => {
    assert.strictEqual(filterListing(analysis, null).files.length, 5)
    assert.deepStrictEqual(
      filterListing(analysis, ["vcf.gz", "bam.bai"]).files.map(({ fileName }) => fileName),
      ["S1.bam.bai", "S1.vcf.gz"]
    )
  })

  it("json has the same facts", () => {
    const document = listingJson([filterListing(analysis, ["vcf.gz"])], [missing])
    assert.deepStrictEqual(document, {
      schema: "svc.list/1",
      analyses: [
        {
          analysisId: "A1",
          sampleId: "S1",
          limsId: null,
          files: [{ fileName: "S1.vcf.gz", type: "vcf.gz", size: null, archived: false, estimatedRestoreTime: null }]
        }
      ],
      failures: [{ analysisId: "A9", fileName: null, error: { tag: "NotFound", message: "analysis A9: not found" } }]
    })
  })
})

describe("PlanView", () => {
  const request = { filetypes: ["bam", "bam.bai"], layout: "flat", overwrite: false } as const
  const decided = plan([analysis], request, {
    slices: new Map(),
    occupants: new Map([["S1.bam.bai", { kind: "file", size: 96 }]])
  })
  const disk = { destination: "out/", bytes: 123456, unknown: 0, free: 1000 }
  const outcome: PlanOutcome = {
    subject: "run",
    plan: decided,
    disk,
    failures: [{ analysisId: "A9", error: new NotFound({ what: "analysis A9" }) }]
  }

  it("text shows what happens to each file and whether the disk has space", () => {
    assert.strictEqual(
      planText(outcome, (text) => text),
      [
        "fetch   out/S1.bam  123456 bytes (120.6 KiB)",
        "skip    out/S1.bam.bai  96 bytes  (exists: --overwrite replaces it)",
        'fail    out/old\\u001b[2J.bam  (Refused file name "old\\u001b[2J.bam": it holds a control or invisible character)',
        "fail    analysis A9: not found",
        "",
        "1 to fetch, 1 to skip, 1 refused",
        "Disk: 123456 bytes (120.6 KiB) needed, 1000 B free in out/: NOT ENOUGH"
      ].join("\n")
    )
  })

  it("Z9 a file of another size fails, with both sizes in text and in JSON", () => {
    const other = {
      ...outcome,
      failures: [],
      plan: plan([analysis], request, {
        slices: new Map(),
        occupants: new Map([["S1.bam", { kind: "file", size: 5000 }]])
      })
    }
    const says = "S1.bam exists with 5000 bytes, but 123456 are listed"
    assert.include(
      planText(other, (text) => text),
      `fail    out/S1.bam  (${says}`
    )
    const [file, index] = planJson(other).files
    assert.deepStrictEqual(
      [file?.action, file?.reason, file?.size, file?.existingBytes],
      ["fail", "differs", 123456, 5000]
    )
    // It could not be told whether it fits.
    assert.deepStrictEqual([index?.action, index?.reason, index?.existingBytes], ["fail", null, null])
  })

  it("json has paths, decisions and the disk", () => {
    const document = planJson(outcome)
    assert.deepStrictEqual(document.disk, { neededBytes: 123456, filesOfUnknownSize: 0, freeBytes: 1000 })
    assert.deepStrictEqual(
      document.files.map(({ path, action, reason, error }) => [path, action, reason, error?.tag ?? null]),
      [
        ["out/S1.bam", "fetch", null, null],
        ["out/S1.bam.bai", "skip", "exists", null],
        ["out/old\u001b[2J.bam", "fail", null, "UnsafeName"]
      ]
    )
  })
})
