import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { listedFile as file } from "../../../test/selection/ListedFiles.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { CannotCreate } from "../Errors.ts"
import { parseRange } from "../genome/regions/RegionText.ts"
import { pathOf } from "../selection/OutputPath.ts"
import { type ListedFile, wantedFiles } from "../selection/WantedFiles.ts"
import type { SliceState, SliceWish } from "../transfer/SliceRequest.ts"
import { type Destination, type PlanRequest, plan } from "./DownloadPlan.ts"

const listing = (...files: ReadonlyArray<ListedFile>) => [
  { analysisId: AnalysisId.make("A1"), named: true, sampleId: null, limsId: null, files }
]

const regions: SliceWish = { wanted: Result.getOrThrow(parseRange("chr1:1-100")), unmapped: false }
const unplaced: SliceWish = { wanted: [], unmapped: true }
const all = ["bam", "bam.bai", "vcf.gz", "vcf.gz.tbi"] as const
const asked = (slice: SliceWish, some: Partial<PlanRequest> = {}): PlanRequest => ({
  filetypes: all,
  layout: "flat",
  overwrite: false,
  slice,
  ...some
})
const empty: Destination = { occupants: new Map(), slices: new Map() }
const there = (name: string, state: SliceState): Destination => ({
  ...empty,
  occupants: new Map([[name, { kind: "file", size: 50 }]]),
  slices: new Map([[name, state]])
})

const decisions = (files: ReadonlyArray<ListedFile>, request: PlanRequest, destination = empty) =>
  plan(listing(...files), request, destination).files.map((it) => {
    const { decision } = it
    const why = decision._tag === "Fetch" ? "" : decision._tag === "Skip" ? decision.reason : decision.error.message
    return `${pathOf(it)} ${decision._tag} ${why}`.trimEnd()
  })

const pair = [file("S.bam"), file("S.bam.bai")]

describe("slices in a plan", () => {
  it("are made of data files only, under a name that says what they hold, of unknown size", () => {
    const files = [...pair, file("S.vcf.gz"), file("S.vcf.gz.tbi")]
    assert.deepStrictEqual(decisions(files, asked(regions)), ["S.ranged.bam Fetch", "S.ranged.vcf.gz Fetch"])
    assert.deepStrictEqual(decisions(files, asked(regions, { filetypes: ["vcf.gz"], layout: "analysis" })), [
      "A1/S.ranged.vcf.gz Fetch"
    ])
    const [bam] = plan(listing(...files), asked(regions), empty).files
    assert.isNull(bam?.size)
    assert.strictEqual(bam?.slice?.indexFile, "S.bam.bai")
  })

  it("an analysis with an index but without its data file has nothing to slice", () => {
    const { failures, files } = plan(listing(file("S.bam.bai")), asked(regions), empty)
    assert.deepStrictEqual(files, [])
    assert.deepStrictEqual(
      failures.map(({ error }) => error.message),
      ["bam, vcf.gz files of analysis A1: not found (there are bam.bai)"]
    )
  })

  it("unplaced reads: a file of its own for BAM, left out with its reason for VCF", () => {
    const files = [...pair, file("S.vcf.gz"), file("S.vcf.gz.tbi")]
    assert.deepStrictEqual(decisions(files, asked(unplaced)), [
      "S.unmapped.bam Fetch",
      "S.unmapped.vcf.gz Skip no-reads"
    ])
    assert.deepStrictEqual(decisions(files, asked({ ...regions, unmapped: true })), [
      "S.ranged.bam Fetch",
      "S.ranged.vcf.gz Fetch"
    ])
  })

  it("the best listed index is taken, and none in the archive or without a link beside one that is here", () => {
    const indexesOf = (...others: ReadonlyArray<ListedFile>) => {
      const [place] = wantedFiles(listing(file("S.bam"), file(null), ...others), asked(regions))
      return { index: place?.slice?.indexFile, archived: place?.archived, hasLink: place?.hasLink }
    }
    const here = { archived: false, hasLink: true }
    assert.deepStrictEqual(indexesOf(file("S.csi"), file("S.bai"), file("s.BAM.CSI"), file("s.BAM.CSI")), {
      index: "s.BAM.CSI",
      ...here
    })
    assert.deepStrictEqual(indexesOf(file("S.bam.csi", { archived: true, hasLink: true }), file("S.csi")), {
      index: "S.csi",
      ...here
    })
    assert.deepStrictEqual(indexesOf(file("S.bam.bai", { hasLink: false }), file("S.bai")), {
      index: "S.bai",
      ...here
    })
    assert.deepStrictEqual(indexesOf(file("T.bam.bai"), file("S.bam.bai", { hasLink: false })), {
      index: "S.bam.bai",
      archived: false,
      hasLink: false
    })
    assert.isNull(indexesOf(file("T.bam.bai"), file("S.bam.bai.txt")).index)
  })

  it("without a listed index they fail and say why; without a link too", () => {
    assert.deepStrictEqual(decisions([file("S.bam")], asked(regions)), [
      "S.ranged.bam Fail index of S.bam (analysis A1): not found " +
        "(regions cannot be found without one, and the service lists none)"
    ])
    assert.deepStrictEqual(decisions([file("S.bam"), file("S.bam.bai", { hasLink: false })], asked(regions)), [
      "S.ranged.bam Fail download link of S.bam (analysis A1): not found"
    ])
  })

  it("L13 an index in the archive keeps its data file waiting, with the estimate that there is", () => {
    const time = "2026-11-21T12:00:00Z"
    const files = [file("S.bam"), file("S.bam.bai", { archived: true, estimatedRestoreTime: time })]
    const [planned] = plan(listing(...files), asked(regions), empty).files
    assert.deepStrictEqual(planned?.decision, { _tag: "Skip", reason: "archived" })
    assert.isTrue(planned?.archived)
    assert.strictEqual(planned?.estimatedRestoreTime, time)
    const cold = [file("S.bam", { archived: true }), file("S.bam.bai")]
    assert.deepStrictEqual(decisions(cold, asked(regions)), ["S.ranged.bam Skip archived"])
  })

  it("the same slice is left, another file is refused, and an incomplete one is fetched again", () => {
    const name = "S.ranged.bam"
    const same = there(name, {
      _tag: "Same",
      bytes: 50,
      regions: "chr1:1-100",
      index: { name: `${name}.csi`, bytes: 7 }
    })
    const other = there(name, { _tag: "Other", error: new CannotCreate({ path: name, reason: "it is another" }) })
    const incomplete = there(name, { _tag: "Incomplete", regions: "chr1:1-100" })
    assert.deepStrictEqual(decisions(pair, asked(regions), same), [`${name} Skip exists`])
    assert.deepStrictEqual(decisions(pair, asked(regions), incomplete), [`${name} Fetch`])
    const [refused] = decisions(pair, asked(regions), other)
    assert.match(refused ?? "", /^S\.ranged\.bam Fail .*it is another/)
    for (const state of [same, other, incomplete]) {
      assert.deepStrictEqual(decisions(pair, asked(regions, { overwrite: true }), state), [`${name} Fetch`])
    }
  })

  it("Z1 a name that is only too long with what a slice adds is refused before anything is fetched", () => {
    const long = `${"n".repeat(245)}.bam`
    assert.deepStrictEqual(
      plan(listing(file(long), file(`${long}.bai`)), { ...asked(regions), slice: null }, empty).files.map(
        ({ decision }) => decision._tag
      ),
      ["Fetch", "Fetch"]
    )
    assert.match(decisions([file(long), file(`${long}.bai`)], asked(regions))[0] ?? "", / Fail .*longer than 255 bytes/)
  })

  it("D17 a slice collides with a listed file of its name", () => {
    const files = [...pair, file("S.ranged.bam"), file("s.bam"), file("s.bam.bai")]
    const kinds = plan(listing(...files), asked(regions), empty).files.map((it) => `${pathOf(it)} ${it.decision._tag}`)
    assert.deepStrictEqual(kinds, ["S.ranged.bam Fail", "S.ranged.ranged.bam Fail", "s.ranged.bam Fail"])
  })
})
