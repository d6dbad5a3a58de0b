import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { pending } from "../../../test/Results.ts"
import { readEntry } from "../archive/TrackingEntry.ts"
import { AnalysisId, SampleId } from "../contract/Ids.ts"
import type { PlanOutcome } from "../download/DownloadForms.ts"
import { plan } from "../download/DownloadPlan.ts"
import type { RestorationStatus } from "../download/RestorationStatus.ts"
import { EntryUnusable, NotFound } from "../Errors.ts"
import { filterListing, type ListedAnalysis } from "../selection/WantedFiles.ts"
import { listingJson, listingText, restorationsJson, restorationsText } from "./Listing.ts"
import { planJson, planText } from "./PlanView.ts"

const asIs = (text: string) => text
const noAdvice = () => null

const entry = { archived: false, estimatedRestoreTime: null, hasLink: true }
const analysis: ListedAnalysis = {
  analysisId: AnalysisId.make("A1"),
  named: true,
  sampleId: SampleId.make("S1"),
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
const missing = { analysisId: AnalysisId.make("A9"), fileName: null, error: new NotFound({ what: "analysis A9" }) }

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

  it("names in it what a download does not know", () => {
    const reads = [{ ...entry, fileName: "S1.fastq.gz", size: 7 }]
    assert.match(listingText({ ...analysis, files: reads }), /\n {2}S1\.fastq\.gz {2}7 bytes {2}\[UNKNOWN TYPE\]$/)
  })

  it("all types are shown unless some are named", () => {
    assert.strictEqual(filterListing(analysis, null).files.length, 5)
    assert.deepStrictEqual(
      filterListing(analysis, ["vcf.gz", "bam.bai"]).files.map(({ fileName }) => fileName),
      ["S1.bam.bai", "S1.vcf.gz"]
    )
  })

  it("json has the same facts", () => {
    const document = listingJson([filterListing(analysis, ["vcf.gz"])], [missing], noAdvice)
    assert.deepStrictEqual(document, {
      schema: "svc.list/1",
      analyses: [
        {
          analysisId: AnalysisId.make("A1"),
          sampleId: SampleId.make("S1"),
          limsId: null,
          files: [{ fileName: "S1.vcf.gz", type: "vcf.gz", size: null, archived: false, estimatedRestoreTime: null }]
        }
      ],
      failures: [
        {
          analysisId: AnalysisId.make("A9"),
          fileName: null,
          error: { tag: "NotFound", message: "analysis A9: not found", advice: null }
        }
      ]
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
    failures: [{ analysisId: AnalysisId.make("A9"), error: new NotFound({ what: "analysis A9" }) }]
  }

  it("text shows what happens to each file and whether the disk has space", () => {
    assert.strictEqual(
      planText(outcome, asIs, noAdvice),
      [
        "fetch   out/S1.bam  123456 bytes (120.6 KiB)",
        "skip    out/S1.bam.bai  96 bytes  (exists)",
        'fail    out/old\\u001b[2J.bam  (Refused file name "old\\u001b[2J.bam": it holds a control or invisible character)',
        "fail    analysis A9: not found",
        "",
        "1 to fetch, 1 to skip, 2 refused",
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
    assert.include(planText(other, asIs, noAdvice), `fail    out/S1.bam  (${says}`)
    const [file, index] = planJson(other, noAdvice).files
    assert.deepStrictEqual(
      [file?.action, file?.reason, file?.size, file?.existingBytes],
      ["fail", "differs", 123456, 5000]
    )
    // It could not be told whether it fits.
    assert.deepStrictEqual([index?.action, index?.reason, index?.existingBytes], ["fail", null, null])
  })

  it("json has paths, decisions and the disk", () => {
    const document = planJson(outcome, noAdvice)
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

const status = (
  analysisId: string,
  fileName: string,
  state: RestorationStatus["state"],
  path?: string
): RestorationStatus => ({
  entry: Result.getOrThrow(readEntry({ analysisId, fileName })),
  state,
  results: path === undefined ? [] : [pending({ analysisId: AnalysisId.make(analysisId), fileName, path, bytes: null })]
})
const time = "2026-11-21T15:00:00Z"
const look = {
  statuses: [
    status("A1", "S.bam", { _tag: "Done" }, "out/S.bam"),
    status("A2", "T.bam", { _tag: "Requested", requestedAt: null, estimate: time, underWay: true }, "out/T.bam"),
    status("A1", "U.bam", { _tag: "Available" }),
    status("A2", "V.bam", { _tag: "Requested", requestedAt: null, estimate: null, underWay: false }),
    status("A2", "X.bam", { _tag: "NotRequested" }),
    status("A3", "W.bam", { _tag: "Failed", error: new NotFound({ what: "W.bam", detail: "gone\u001b[2J" }) })
  ],
  others: [
    Result.getOrThrow(
      readEntry({
        analysisId: AnalysisId.make("A9"),
        fileName: "Y.bam",
        target: "https://elsewhere/",
        status: "pending"
      })
    )
  ],
  unusable: [new EntryUnusable({ path: "r.json", position: 6, reason: "it is not an object" })]
}

describe("the list of restorations", () => {
  it("as text: by analysis, with the state of each file, and what cannot be used at the end", () => {
    const lines = restorationsText(look, asIs, noAdvice).split("\n")
    assert.deepStrictEqual(lines.slice(0, 9), [
      "Analysis ID: A1",
      "  S.bam  [DOWNLOADED]",
      "  U.bam  [AVAILABLE]",
      "Analysis ID: A2",
      `  T.bam  [ARCHIVED]  requested, expected at ${time}`,
      "  V.bam  [ARCHIVED]  requested, but no restoration is under way",
      "  X.bam  [ARCHIVED]  not requested: no restoration is under way",
      "Analysis ID: A3",
      "  W.bam  [FAILED]  W.bam: not found (gone\\u001b[2J)"
    ])
    assert.deepStrictEqual(lines.slice(9, 11), [
      "Of another target, not looked at: https://elsewhere/",
      "  Y.bam (analysis A9)"
    ])
    assert.match(lines[11] ?? "", /r\.json.*6.*it is not an object/)
    assert.strictEqual(lines.length, 12)
    assert.notInclude(lines.join(), "pending")
  })

  it("as one JSON document with the same facts", () => {
    const document = restorationsJson(look, noAdvice)
    assert.strictEqual(document.schema, "svc.restorations/1")
    assert.deepStrictEqual(document.restorations[1], {
      analysisId: AnalysisId.make("A2"),
      fileName: "T.bam",
      path: "out/T.bam",
      status: "requested",
      estimatedRestoreTime: time,
      error: null
    })
    assert.deepStrictEqual(
      document.restorations.map(({ path, status }) => [status, path]),
      [
        ["available", "out/S.bam"],
        ["requested", "out/T.bam"],
        ["available", null],
        ["requested", null],
        ["notRequested", null],
        ["failed", null]
      ]
    )
    assert.strictEqual(document.restorations[5]?.error?.tag, "NotFound")
    assert.deepStrictEqual(document.others, [
      { analysisId: AnalysisId.make("A9"), fileName: "Y.bam", target: "https://elsewhere/" }
    ])
    assert.strictEqual(document.failures.length, 1)
    assert.strictEqual(document.failures[0]?.error.tag, "EntryUnusable")
  })

  it("an empty list says that it is empty", () => {
    const nothing = { statuses: [], unusable: [], others: [] }
    assert.strictEqual(restorationsText(nothing, asIs, noAdvice), "No restorations")
    assert.deepStrictEqual(restorationsJson(nothing, noAdvice), {
      schema: "svc.restorations/1",
      restorations: [],
      others: [],
      failures: []
    })
    const broken = restorationsText({ ...nothing, unusable: look.unusable }, asIs, noAdvice)
    assert.match(broken, /it is not an object/)
    assert.notMatch(broken, /No restorations/)
  })
})
