import { assert, describe, it } from "@effect/vitest"
import type { DownloadPlan, PlannedFile } from "../download/DownloadPlan.ts"
import { NotFound } from "../Errors.ts"
import { planJson, planText } from "./PlanView.ts"

const file = (fileName: string, some: Partial<PlannedFile> = {}): PlannedFile => ({
  analysisId: "A1",
  fileName,
  type: "bam",
  folder: "",
  size: 2048,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: true,
  slice: null,
  decision: { _tag: "Fetch" },
  ...some
})
const slice = (regions: string | null) => ({
  name: "S.ranged.bam",
  indexFile: "S.bam.bai",
  content: { wanted: [], unmapped: false },
  estimate: regions === null ? null : { bytes: 300, requests: 4, regions }
})
const planOf = (...files: ReadonlyArray<PlannedFile>): DownloadPlan => ({ files, failures: [], warnings: ["said"] })
const disk = { destination: "out", free: 1024 * 1024, bytes: 2048, unknown: 0 }
const lines = (plan: DownloadPlan, some: Partial<typeof disk | { free: null }> = {}) =>
  planText(plan, [], { ...disk, ...some }, (text) => text).split("\n")

describe("a plan as text", () => {
  it("says of each file whether it is fetched, skipped or refused, and why", () => {
    const time = "2026-11-21T15:00:00Z"
    const skipped = (
      reason: "exists" | "archived" | "pending" | "no-reads",
      estimatedRestoreTime: string | null = null
    ) => file(`${reason}.bam`, { decision: { _tag: "Skip", reason }, estimatedRestoreTime })
    const plan = planOf(
      file("S.bam", { folder: "A1" }),
      skipped("exists"),
      skipped("archived"),
      skipped("pending", time),
      skipped("no-reads"),
      file("bad\u001b.bam", { decision: { _tag: "Fail", error: new NotFound({ what: "link" }) } })
    )
    const size = "2048 bytes (2 KiB)"
    assert.deepStrictEqual(lines(plan).slice(0, 6), [
      `fetch  out/A1/S.bam  ${size}`,
      `skip   out/exists.bam  ${size}  (exists: --overwrite replaces it)`,
      `skip   out/archived.bam  ${size}  (archived: a restoration would be needed)`,
      `skip   out/pending.bam  ${size}  (archived: its restoration is under way, expected at ${time})`,
      `skip   out/no-reads.bam  ${size}  (this file type has no unmapped reads)`,
      "fail   out/bad\\u001b.bam  (link: not found)"
    ])
    assert.include(lines(plan).join("\n"), "1 to fetch, 4 to skip, 1 refused")
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
      file("U.bam", { decision: { _tag: "Fail", error } })
    )
    const document = planJson(plan, [{ analysisId: "A2", fileName: null, error }], { ...disk, free: null })
    assert.deepStrictEqual(document.disk, { neededBytes: 2048, filesOfUnknownSize: 0, freeBytes: null })
    assert.deepStrictEqual(
      document.files.map(({ action, error, path, reason, slice }) => [action, path, reason, error?.tag, slice?.bytes]),
      [
        ["fetch", "out/S.ranged.bam", null, undefined, 300],
        ["skip", "out/T.bam", "exists", undefined, undefined],
        ["fail", "out/U.bam", null, "NotFound", undefined]
      ]
    )
    assert.deepStrictEqual(document.failures, [
      { analysisId: "A2", fileName: null, error: { tag: "NotFound", message: "link: not found" } }
    ])
    assert.deepStrictEqual(document.warnings, ["said"])
  })
})
