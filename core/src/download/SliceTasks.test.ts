import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { plannedFile } from "../../../test/selection/ListedFiles.ts"
import { lending } from "../../../test/transfer/Engines.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { LinkForbidden, NotFound } from "../Errors.ts"
import { parseRange } from "../genome/regions/RegionText.ts"
import type { SliceTask, SliceWish } from "../transfer/SliceRequest.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import { entryOf } from "./Catalog.ts"
import type { DownloadPlan, PlannedFile } from "./DownloadPlan.ts"
import type { RunLinks } from "./RunLinks.ts"
import { estimatePlan, sliceTask, withEstimates } from "./SliceTasks.ts"

const regions: SliceWish = { wanted: Result.getOrThrow(parseRange("chr1:1-100")), unmapped: false }
const unplaced: SliceWish = { wanted: [], unmapped: true }

const link = (name: string, more: object = {}) => ({
  fileName: name,
  downloadLink: `https://files/${name}?sig=1`,
  size: 1000,
  ...more
})
const entry = (...links: ReadonlyArray<object>) =>
  entryOf(
    { analysisId: AnalysisId.make("A1"), named: true },
    Schema.decodeUnknownSync(AnalysisFiles)({ id: "A1", apiFileLinks: links }),
    0
  )

/** An engine that keeps what it was asked for, and says 300 bytes of everything but `bad.bam`. */
const engine = () => {
  const tasks: Array<SliceTask> = []
  const layer = Layer.mock(SliceTransfer, {
    estimate: (task) =>
      Effect.suspend(() => {
        tasks.push(task)
        return task.data.fileName === "bad.bam"
          ? Effect.fail(new LinkForbidden({ file: "bad.bam", host: "files", status: 403 }))
          : Effect.succeed({ bytes: 300, requests: 4, regions: "chr1:1-100" })
      })
  })
  return { tasks, layer }
}
const namesOf = (tasks: ReadonlyArray<SliceTask>) =>
  tasks.map(({ data, index }) => [data, index].map(({ fileName }) => fileName).join(" "))

describe("tasks", () => {
  it.effect("name both files, each with its own link and its own renewal, and the kind of the data", () =>
    Effect.gen(function* () {
      const files = {
        analysisId: AnalysisId.make("A1"),
        fileName: "S.vcf.gz",
        type: "vcf.gz" as const,
        indexFile: "S.vcf.gz.tbi"
      }
      const task = yield* sliceTask(files, regions, lending)
      assert.strictEqual(task.kind, "vcf.gz")
      for (const file of [task.data, task.index]) {
        assert.strictEqual(Redacted.value(file.link), `first ${file.fileName}`)
        assert.strictEqual(
          Redacted.value((yield* file.renewLink ?? Effect.die("no renewal")).link),
          `second ${file.fileName}`
        )
      }
      const bam = yield* sliceTask({ ...files, fileName: "S.bam", type: "bam" }, unplaced, lending)
      assert.strictEqual(bam.kind, "bam")
      assert.deepStrictEqual([bam.wanted, bam.unmapped], [[], true])
    })
  )

  it.effect("fail with what the links of either file fail with", () =>
    Effect.gen(function* () {
      const lost: RunLinks = {
        lend: (file) =>
          file.fileName.endsWith(".bai") ? Effect.fail(new NotFound({ what: file.fileName })) : lending.lend(file)
      }
      const files = {
        analysisId: AnalysisId.make("A1"),
        fileName: "S.bam",
        type: "bam" as const,
        indexFile: "S.bam.bai"
      }
      const error = yield* Effect.flip(sliceTask(files, regions, lost))
      assert.strictEqual(error.message, "S.bam.bai: not found")
    })
  )
})

describe("estimates of a listing", () => {
  it.effect("are asked for what can be sliced, and shown with its file; a failure stops no other", () => {
    const { layer, tasks } = engine()
    return Effect.gen(function* () {
      const found = entry(
        link("bad.bam"),
        link("bad.bam.bai"),
        link("S.bam"),
        link("S.bam.bai"),
        link("noindex.bam"),
        link("cold.bam", { downloadLink: null, currentlyArchived: true }),
        link("cold.bam.bai"),
        link("nolink.vcf.gz", { downloadLink: null }),
        link("nolink.vcf.gz.tbi"),
        { size: 1 }
      )
      const { analysis, refused } = yield* withEstimates(found.listed, found, regions, lending)
      assert.deepStrictEqual(namesOf(tasks), ["bad.bam bad.bam.bai", "S.bam S.bam.bai"])
      assert.deepStrictEqual(
        analysis.files.filter(({ ranged }) => ranged !== undefined).map(({ fileName, ranged }) => [fileName, ranged]),
        [["S.bam", { bytes: 300, requests: 4, regions: "chr1:1-100" }]]
      )
      assert.strictEqual(analysis.files.length, found.listed.files.length)
      assert.deepStrictEqual(
        refused.map(({ analysisId, error, fileName }) => [analysisId, fileName, error._tag]),
        [["A1", "bad.bam", "SvcLinkForbidden"]]
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("an index serves its data file also when only the data file is shown", () => {
    const { layer, tasks } = engine()
    return Effect.gen(function* () {
      const found = entry(link("S.bam"), link("S.bam.bai"), link("T.bam"), link("T.bam.bai"))
      const shown = { ...found.listed, files: found.listed.files.filter(({ fileName }) => fileName === "S.bam") }
      const { analysis } = yield* withEstimates(shown, found, regions, lending)
      assert.deepStrictEqual(namesOf(tasks), ["S.bam S.bam.bai"])
      assert.strictEqual(analysis.files[0]?.ranged?.bytes, 300)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a VCF has no unmapped reads to estimate, and without regions nothing is asked", () => {
    const { layer, tasks } = engine()
    return Effect.gen(function* () {
      const found = entry(link("S.vcf.gz"), link("S.vcf.gz.tbi"), link("S.bam"), link("S.bam.bai"))
      yield* withEstimates(found.listed, found, unplaced, lending)
      assert.deepStrictEqual(namesOf(tasks), ["S.bam S.bam.bai"])
      const untouched = yield* withEstimates(found.listed, found, null, lending)
      assert.deepStrictEqual(untouched, { analysis: found.listed, refused: [] })
      assert.strictEqual(tasks.length, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("estimates of a plan", () => {
  const slice = (indexFile: string | null) => ({
    name: "S.ranged.bam",
    indexFile,
    content: regions,
    estimate: null
  })
  const planned = (fileName: string, some: Partial<PlannedFile> = {}) =>
    plannedFile(fileName, { size: null, slice: slice(`${fileName}.bai`), ...some })

  it.effect(
    "become the sizes of the fetched slices; what cannot be made fails as in the run, the rest is as it was",
    () => {
      const { layer, tasks } = engine()
      return Effect.gen(function* () {
        const untouched = [
          planned("there.bam", { decision: { _tag: "Skip", reason: "exists" } }),
          planned("whole.bam", { slice: null, size: 7 }),
          planned("alone.bam", { slice: slice(null) })
        ]
        const before: DownloadPlan<PlannedFile> = {
          files: [planned("S.bam"), planned("bad.bam"), ...untouched],
          failures: [],
          warnings: ["said before"]
        }
        const { files, warnings } = yield* estimatePlan(before, lending)
        assert.deepStrictEqual(namesOf(tasks), ["S.bam S.bam.bai", "bad.bam bad.bam.bai"])
        assert.deepStrictEqual(warnings, ["said before"])
        const [good, bad, ...rest] = files
        assert.strictEqual(good?.size, 300)
        assert.strictEqual(good?.slice?.estimate?.requests, 4)
        assert.strictEqual(bad?.decision._tag === "Fail" ? bad.decision.error._tag : "", "SvcLinkForbidden")
        assert.deepStrictEqual(rest, untouched)
      }).pipe(Effect.provide(layer))
    }
  )
})
