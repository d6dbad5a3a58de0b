import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisItem } from "../contract/Analyses.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import { Forbidden, LoginRefused, NotFound, type ServiceError, Unavailable } from "../Errors.ts"
import type { FileType } from "../selection/FileName.ts"
import { type CatalogItem, catalog, choose } from "./Catalog.ts"

const link = (name: string, seconds: number | null = null) =>
  seconds === null
    ? `https://files/${name}?sig=1`
    : `https://files/${name}?X-Amz-Date=19700101T000000Z&X-Amz-Expires=${seconds}`

const filesOf = (id: string, files: ReadonlyArray<object>) =>
  Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks: files })

/** A client that knows the two calls of a download and remembers them. */
const client = (
  links: (id: string, nth: number) => Effect.Effect<typeof AnalysisFiles.Type, ServiceError>,
  analyses: ReadonlyArray<object> = []
) => {
  const asked: Array<string> = []
  const service: Pick<ServiceClient["Service"], "getAnalyses" | "getFileDownloadLinks"> = {
    getAnalyses: (ids) =>
      Effect.sync(() => {
        asked.push(`analyses ${ids?.join() ?? "all"}`)
        return analyses.map((item) => Schema.decodeUnknownSync(AnalysisItem)(item))
      }),
    getFileDownloadLinks: (id) =>
      Effect.suspend(() => {
        asked.push(id)
        return links(id, asked.length)
      })
  }
  return { asked, layer: Layer.mock(ServiceClient, service) }
}

const named = (...ids: ReadonlyArray<string>) =>
  ids.map((id) => ({ analysisId: AnalysisId.make(id), named: true, older: [] }))
const entries = (items: ReadonlyArray<CatalogItem>) => items.flatMap((it) => (it._tag === "Listed" ? [it.entry] : []))
const shown = (items: ReadonlyArray<CatalogItem>) =>
  items.map((it) =>
    it._tag === "Listed" ? it.entry.listed.analysisId : `${it.failure.analysisId} ${it.failure.error._tag}`
  )

describe("choose", () => {
  const selection = {
    analysisIds: ["2", "1"].map((id) => AnalysisId.make(id)),
    sampleIds: [],
    limsIds: [],
    filters: [],
    latest: false
  }

  it.effect("asks for records only when they are needed", () => {
    const { asked, layer } = client(() => Effect.never, [{ id: 1, sampleId: "S" }, { id: 2 }])
    return Effect.gen(function* () {
      assert.strictEqual((yield* choose(selection)).analyses.length, 2)
      assert.deepStrictEqual(asked, [])
      yield* choose({ ...selection, latest: true })
      const bySample = yield* choose({ ...selection, analysisIds: [], sampleIds: [SampleId.make("S")] })
      assert.deepStrictEqual(bySample.analyses, [{ analysisId: AnalysisId.make("1"), named: false, older: [] }])
      assert.deepStrictEqual(asked, ["analyses 2,1", "analyses all"])
    }).pipe(Effect.provide(layer))
  })
})

describe("catalog", () => {
  const unavailable = new Unavailable({ host: "h", reason: "it answered 500", attempts: 7 })

  it.effect("a sample and a person without a name are none", () => {
    const { layer } = client((id) =>
      Effect.succeed({ ...filesOf(id, []), sampleId: SampleId.make(""), limsId: LimsId.make(" ") })
    )
    return Effect.gen(function* () {
      const [item] = yield* Stream.runCollect(catalog(named("A")))
      assert.deepInclude(item?._tag === "Listed" ? item.entry.listed : null, { sampleId: null, limsId: null })
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "S7 what was forbidden is asked for once more at the end, and comes last; what is not there stops no other",
    () => {
      const refusals: Record<string, number> = { A: 1, C: 2 }
      const { asked, layer } = client((id) =>
        id === "lost"
          ? Effect.fail(new NotFound({ what: id }))
          : (refusals[id] ?? 0) > 0
            ? Effect.suspend(() => {
                refusals[id] = (refusals[id] ?? 0) - 1
                return Effect.fail(new Forbidden({ what: id, status: 403 }))
              })
            : Effect.succeed(filesOf(id, []))
      )
      return Effect.gen(function* () {
        const items = yield* Stream.runCollect(catalog(named("A", "lost", "B", "C", "D")))
        assert.deepStrictEqual(shown(items), ["lost SvcNotFound", "B", "D", "A", "C SvcForbidden"])
        assert.deepStrictEqual(asked, ["A", "lost", "B", "C", "D", "A", "C"])
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect(
    "of a person the newest analysis with wanted files is taken, and only then are older ones asked for",
    () => {
      const files: Readonly<Record<string, ReadonlyArray<object>>> = {
        "9": [{ fileName: "S.vcf.gz" }],
        "8": [],
        "7": [{ fileName: "S.BAM" }],
        "6": [{ fileName: "S.bam" }]
      }
      const { asked, layer } = client((id) => Effect.succeed(filesOf(id, files[id] ?? [])))
      const of = (id: string, ...older: ReadonlyArray<string>) => [
        {
          analysisId: AnalysisId.make(id),
          named: false,
          older: older.map((id) => ({ analysisId: AnalysisId.make(id), named: false }))
        }
      ]
      return Effect.gen(function* () {
        const taken = (...[types, ids]: [types: ReadonlyArray<FileType>, ids: ReturnType<typeof of>]) =>
          Effect.map(Stream.runCollect(catalog(ids, types)), shown)
        assert.deepStrictEqual(yield* taken(["bam"], of("9", "8", "7", "6")), ["7"])
        assert.deepStrictEqual(asked.splice(0), ["9", "8", "7"])
        assert.deepStrictEqual(yield* taken(["vcf.gz"], of("9", "8")), ["9"])
        assert.deepStrictEqual(yield* taken(["bam"], of("9", "8")), ["9"], "none has it: the newest is what lacks it")
        assert.deepStrictEqual(entries(yield* Stream.runCollect(catalog(of("7", "6"))))[0]?.listed.analysisId, "7")
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("a service that is down is not asked for all the others", () => {
    const { asked, layer } = client((id) => (id === "A" ? Effect.succeed(filesOf(id, [])) : Effect.fail(unavailable)))
    return Effect.gen(function* () {
      const items = yield* Stream.runCollect(catalog(named("A", "B", "C", "D", "E", "F")))
      assert.deepStrictEqual(asked, ["A", "B", "C", "D"])
      assert.strictEqual(shown(items).at(-1), "F SvcUnavailable")
    }).pipe(Effect.provide(layer))
  })

  it.effect("a refused login ends it at once", () => {
    const { asked, layer } = client(() => Effect.fail(new LoginRefused({ user: "u", host: "h" })))
    return Effect.gen(function* () {
      assert.strictEqual((yield* Stream.runCollect(catalog(named("A", "B")))).length, 2)
      assert.deepStrictEqual(asked, ["A"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("every field of a file may be missing", () => {
    const files = [
      {},
      { fileName: "a.bam", downloadLink: link("a"), size: 5 },
      { fileName: "b.bam", downloadLink: null, currentlyArchived: true, size: -1 },
      { fileName: "c.bam", downloadLink: "", estimatedRestoreTime: "2026-11-22T00:00:00Z" },
      { fileName: "d.bam", downloadLink: link("d"), currentlyArchived: false, estimatedRestoreTime: "soon" }
    ]
    const { layer } = client((id) => Effect.succeed(filesOf(id, files)))
    return Effect.gen(function* () {
      const [entry] = entries(yield* Stream.runCollect(catalog(named("A"))))
      assert.deepStrictEqual(
        entry?.listed.files.map(({ archived, fileName, hasLink, size }) => [fileName, size, archived, hasLink]),
        [
          [null, null, false, false],
          ["a.bam", 5, false, true],
          ["b.bam", null, true, false],
          ["c.bam", null, true, false],
          ["d.bam", null, false, true]
        ]
      )
      const withLinks = ["a.bam", "b.bam", "c.bam", "d.bam"].filter((name) => entry?.links.get(name) !== undefined)
      assert.deepStrictEqual(withLinks, ["a.bam", "d.bam"])
    }).pipe(Effect.provide(layer))
  })
})
