import { assert, describe, it } from "@effect/vitest"
import { AnalysisId } from "../contract/Ids.ts"
import type { PlanOutcome } from "../download/DownloadForms.ts"
import type { ForeseenFile } from "../download/DownloadPlan.ts"
import { NotFound } from "../Errors.ts"
import { planJson, planText } from "./PlanView.ts"

const file = (fileName: string, some: Partial<ForeseenFile> = {}): ForeseenFile => ({
  analysisId: AnalysisId.make("A1"),
  fileName,
  type: "bam",
  folder: "",
  size: 2048,
  archived: false,
  estimatedRestoreTime: null,
  slice: null,
  decision: { _tag: "Fetch" },
  ...some
})
const slice = (regions: string | null) => ({
  name: "S.ranged.bam",
  estimate: regions === null ? null : { bytes: 300, requests: 4, regions }
})
const disk: PlanOutcome["disk"] = { destination: "out", free: 1024 * 1024, bytes: 2048, unknown: 0 }
const planOf = (...files: ReadonlyArray<ForeseenFile>): PlanOutcome => ({
  subject: "run",
  plan: { files, failures: [], warnings: ["said"] },
  disk,
  failures: []
})
const lines = (plan: PlanOutcome, some: Partial<typeof disk> = {}) =>
  planText(
    { ...plan, disk: { ...disk, ...some } },
    (text) => text,
    ({ advice = null }) => (advice === null ? null : `advice ${advice}`)
  ).split("\n")

describe("a plan as text", () => {
  it("says of each file what becomes of it, and why", () => {
    const time = "2026-11-21T15:00:00Z"
    const restoration = (why: string, estimate: string | null = null) => ({ why, requestedAt: null, estimate })
    const plan = planOf(
      file("S.bam", { folder: "A1" }),
      file("R.bam", { decision: { _tag: "Restore", restoration: restoration("no question is asked first") } }),
      file("Q.bam", { decision: { _tag: "Ask", restoration: restoration("the run asks for this file", time) } }),
      file("E.bam", { decision: { _tag: "Skip", reason: "exists" } }),
      file("A.bam", {
        decision: { _tag: "Skip", reason: "archived", restoration: restoration("the restore mode is no", time) }
      }),
      file("P.bam", { decision: { _tag: "Skip", reason: "pending", restoration: restoration("before", time) } }),
      file("N.bam", { decision: { _tag: "Skip", reason: "no-reads" } }),
      file("bad\u001b.bam", { decision: { _tag: "Fail", error: new NotFound({ what: "link" }) } })
    )
    const size = "2048 bytes (2 KiB)"
    assert.deepStrictEqual(lines(plan).slice(0, -1), [
      `fetch   out/A1/S.bam  ${size}`,
      `restore out/R.bam  ${size}  (archived: no question is asked first)`,
      `ask     out/Q.bam  ${size}  (archived: the run asks for this file; one is under way, expected at ${time})`,
      `skip    out/E.bam  ${size}  (exists; advice overwrite)`,
      `skip    out/A.bam  ${size}  (archived: the restore mode is no; one is under way, expected at ${time})`,
      `skip    out/P.bam  ${size}  (archived: its restoration is pending, no new request, expected at ${time})`,
      `skip    out/N.bam  ${size}  (this file type has no unmapped reads)`,
      "fail    out/bad\\u001b.bam  (link: not found)",
      "",
      "1 to fetch, 1 to restore, 1 to ask about, 4 to skip, 1 refused"
    ])
  })

  it("of a step that only asks for restorations says nothing of fetching and of space", () => {
    const available = file("S.bam", { decision: { _tag: "Skip", reason: "available" } })
    assert.deepStrictEqual(lines({ ...planOf(available), subject: "restore" }), [
      "skip    out/S.bam  2048 bytes (2 KiB)  (available: nothing to restore)",
      "",
      "0 to restore, 1 to skip, 0 refused"
    ])
  })

  it("says what a slice fetches, a long list of regions cut short", () => {
    const long = Array.from({ length: 20 }, (_, i) => `chr${i}:1-100`).join(" ")
    const [short, cut, unknown] = lines(
      planOf(...["chr1:1-100", long, null].map((regions) => file("S.bam", { slice: slice(regions) })))
    )
    assert.match(
      short ?? "",
      /out\/S\.ranged\.bam.*to fetch of S\.bam in 4 requests, for chr1:1-100, with a fresh index/
    )
    assert.match(cut ?? "", /for chr0:1-100 .{40,60}\.\.\., with/)
    assert.notMatch(unknown ?? "", /requests/)
  })

  it("K2 says what is needed and what is free, and that it is not enough", () => {
    const sum = (some: Parameters<typeof lines>[1]) => lines(planOf(), some).at(-1)
    assert.strictEqual(sum({}), "Disk: 2048 bytes (2 KiB) needed, 1 MiB free in out")
    assert.strictEqual(sum({ unknown: 2 }), "Disk: 2048 bytes (2 KiB) needed and 2 of unknown size, 1 MiB free in out")
    assert.strictEqual(sum({ free: null }), "Disk: 2048 bytes (2 KiB) needed, free space unknown in out")
    assert.strictEqual(sum({ free: 1024 }), "Disk: 2048 bytes (2 KiB) needed, 1 KiB free in out: NOT ENOUGH")
  })
})

describe("a plan as JSON", () => {
  it("has the decision, its reason or error, and the estimate of a slice", () => {
    const error = new NotFound({ what: "link" })
    const plan = planOf(
      file("S.bam", { slice: slice("chr1:1-100") }),
      file("T.bam", { decision: { _tag: "Skip", reason: "exists" } }),
      file("R.bam", {
        decision: { _tag: "Restore", restoration: { why: "said", requestedAt: null, estimate: null } }
      }),
      file("U.bam", { decision: { _tag: "Fail", error } })
    )
    const document = planJson(
      { ...plan, disk: { ...disk, free: null }, failures: [{ analysisId: AnalysisId.make("A2"), error }] },
      () => null
    )
    assert.deepStrictEqual(document.disk, { neededBytes: 2048, filesOfUnknownSize: 0, freeBytes: null })
    assert.deepStrictEqual(
      document.files.map(({ action, error, path, reason, slice }) => [action, path, reason, error?.tag, slice?.bytes]),
      [
        ["fetch", "out/S.ranged.bam", null, undefined, 300],
        ["skip", "out/T.bam", "exists", undefined, undefined],
        ["restore", "out/R.bam", null, undefined, undefined],
        ["fail", "out/U.bam", null, "NotFound", undefined]
      ]
    )
    assert.deepStrictEqual(document.files[2]?.restoration, { why: "said", requestedAt: null, estimate: null })
    assert.deepStrictEqual(document.failures, [
      {
        analysisId: AnalysisId.make("A2"),
        fileName: null,
        error: { tag: "NotFound", message: "link: not found", advice: null }
      }
    ])
    assert.deepStrictEqual(document.warnings, ["said"])
  })
})
