import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option, Path, Result, Schema } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { DownloadOptions, downloadRequest, parseRequest } from "./DownloadRequest.ts"

const problems = (options: DownloadOptions) =>
  Result.getOrThrow(Result.flip(parseRequest(options))).map(({ message }) => message)

describe("DownloadOptions", () => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(DownloadOptions), { onExcessProperty: "error" })

  it("of JSON are those of a program, and what is none is refused", () => {
    const options = Option.getOrThrow(
      decode('{ "analysisIds": ["A1"], "range": "chr1", "maxRestores": 2, "shows": null }')
    )
    assert.deepStrictEqual(options, {
      analysisIds: [AnalysisId.make("A1")],
      range: "chr1",
      maxRestores: 2,
      shows: null
    })
    assert.deepStrictEqual(Result.getOrThrow(parseRequest(options)).selection.analysisIds, [AnalysisId.make("A1")])
    assert.deepStrictEqual(decode("{}"), Option.some({}))
    for (const wrong of [
      '{ "analysisIds": [""] }',
      '{ "filetypes": [] }',
      '{ "check": "none" }',
      '{ "latest": null }',
      '{ "ranges": "chr1" }',
      "[]"
    ])
      assert.isTrue(Option.isNone(decode(wrong)), wrong)
  })
})

describe("parseRequest", () => {
  it("has the defaults of the settings for what is left out", () => {
    const { archive, regions, selection, ...rest } = Result.getOrThrow(parseRequest({ analysisIds: ["A1"] }))
    assert.deepStrictEqual(rest, {
      shows: null,
      wanted: [],
      filetypes: ["bam", "bam.bai"],
      destination: ".",
      layout: "flat",
      makeIndex: false,
      overwrite: false,
      requireAll: false,
      connections: 4,
      check: "content",
      checksums: null
    })
    assert.deepStrictEqual(selection, {
      analysisIds: [AnalysisId.make("A1")],
      sampleIds: [],
      limsIds: [],
      filters: [],
      latest: false
    })
    assert.deepStrictEqual([archive.mode, archive.maxRestores], ["ask", null])
    assert.deepStrictEqual(regions, { range: null, bed: null, unmapped: false })
  })

  it("a listing shows the types that are asked for, all types where it is told so, and else those of the download", () => {
    const shows = (options: DownloadOptions) => Result.getOrThrow(parseRequest(options)).shows
    assert.deepStrictEqual(shows({ filetypes: ["vcf.gz"] }), ["vcf.gz"])
    assert.isNull(shows({ filetypes: ["vcf.gz"], shows: null }))
  })

  it("tells everything that is wrong, not only the first", () => {
    const found = problems({ filters: ["nosuch = 1", "status"], range: "chr1:9-1", filetypes: ["bam.bai"] })
    assert.lengthOf(found, 4)
    assert.match(found[0] ?? "", /nosuch/)
    assert.match(found[1] ?? "", /status/)
    assert.match(found[2] ?? "", /chr1:9-1.*ends before it starts/)
    assert.match(found[3] ?? "", /^Regions are cut out of .*add one of them to filetypes/)
  })

  it("an index alone can be asked for, but no regions can be cut out of it", () => {
    assert.isTrue(Result.isSuccess(parseRequest({ filetypes: ["bam.bai"] })))
    for (const regions of [{ range: "chr1" }, { bed: "regions.bed" }, { unmapped: true }]) {
      assert.lengthOf(problems({ ...regions, filetypes: ["bam.bai"] }), 1)
      assert.isTrue(Result.isSuccess(parseRequest({ ...regions, filetypes: ["bam.bai", "vcf.gz"] })))
    }
  })
})

layer(Layer.merge(NodeServices.layer, ZlibCodec.layer))("downloadRequest", (it) => {
  const names = (regions: ReadonlyArray<{ readonly text: string }> | undefined) => regions?.map(({ text }) => text)

  it.effect("whole files have no slice; a range, a BED file and unmapped reads have one", () =>
    Effect.gen(function* () {
      const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
      const bed = path.join(yield* fs.makeTempDirectoryScoped(), "regions.bed")
      yield* fs.writeFileString(bed, "chr7\t0\t100\n")
      assert.isNull((yield* downloadRequest({})).slice)
      const { slice } = yield* downloadRequest({ range: "chr1:1-10 chr2", unmapped: true })
      assert.deepStrictEqual([names(slice?.wanted), slice?.unmapped], [["chr1:1-10", "chr2"], true])
      const read = (yield* downloadRequest({ bed })).slice
      assert.deepStrictEqual(
        read?.wanted.flatMap(({ readings }) => readings.map(({ name }) => name)),
        ["chr7"]
      )
      assert.deepStrictEqual((yield* downloadRequest({ unmapped: true })).slice, { wanted: [], unmapped: true })
    })
  )

  it.effect("options of another name or type are named, all of them, as a program in JavaScript gives them", () =>
    Effect.gen(function* () {
      const refused = (options: object) => Effect.flip(downloadRequest(options as DownloadOptions))
      const named = Effect.fnUntraced(function* (options: object) {
        const error = yield* refused(options)
        return error._tag === "SvcUsageError" ? error.options?.map(String) : error
      })
      for (const wrong of [
        { analysisIds: "A1" },
        { analysisIds: [1] },
        { sampleIds: [""] },
        { limsIds: {} },
        { filters: [null] },
        { latest: 1 },
        { filetypes: ["bamm"] },
        { filetypes: [] },
        { shows: "bam" },
        { destination: "" },
        { layout: "deep" },
        { overwrite: "yes" },
        { requireAll: 0 },
        { restoreArchived: "froce" },
        { maxRestores: "2" },
        { connections: Number.NaN },
        { check: "none" },
        { checksums: "sha1" },
        { range: 5 },
        { bed: [] },
        { unmapped: null }
      ]) {
        assert.deepStrictEqual(yield* named(wrong), Object.keys(wrong), JSON.stringify(wrong))
      }
      const several = yield* refused({ analysisId: ["A1"], layout: "deep", analysisIds: ["A1", 2] })
      assert.deepInclude(several, { options: ["analysisIds", "layout"] })
      assert.deepStrictEqual(several.message.split("\n"), [
        "Unknown option analysisId; did you mean analysisIds?",
        "analysisIds.1: expected string",
        'layout: expected "flat" | "analysis"'
      ])
      for (const [other, value] of [
        ["range", "chr1"],
        ["unmapped", true]
      ] as const) {
        const both = yield* refused({ bed: "regions.bed", [other]: value })
        assert.strictEqual(both.message, `bed and ${other} cannot be used together: give the regions as range`)
      }
      assert.strictEqual((yield* Effect.flip(downloadRequest(null as never))).message, "Options are an object")
      assert.isNull((yield* downloadRequest({ range: undefined, filetypes: undefined } as object)).slice)
    })
  )

  it.effect(
    "a wrong option is a usage error with all its sentences; a BED file that is not there, or no file, says so",
    () =>
      Effect.gen(function* () {
        const wrong = yield* Effect.flip(downloadRequest({ filters: ["nosuch = 1"], range: "chr1:9-1" }))
        assert.deepStrictEqual([wrong._tag, wrong.message.split("\n").length], ["SvcUsageError", 2])
        assert.deepInclude(wrong, { options: ["filters", "range"] })
        const none = yield* Effect.flip(downloadRequest({ connections: 0, maxRestores: -1, bed: "x.bed" }))
        assert.deepInclude(none, { options: ["connections", "maxRestores"] })
        const vcf = yield* Effect.flip(downloadRequest({ unmapped: true, filetypes: ["vcf.gz"] }))
        assert.deepInclude(vcf, { _tag: "SvcUsageError", options: ["filetypes"] })
        assert.match(vcf.message, /^unmapped and filetypes cannot be used together: /)
        const missing = yield* Effect.flip(downloadRequest({ bed: "nowhere.bed" }))
        assert.strictEqual(missing.message, "BED file nowhere.bed: not found")
        const folder = yield* Effect.flip(downloadRequest({ bed: "." }))
        assert.deepStrictEqual(
          [folder._tag, folder.message],
          ["SvcUsageError", "Invalid BED file: .: it is not a plain file"]
        )
      })
  )
})
