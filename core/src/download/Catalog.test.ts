import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisItem } from "../contract/Analyses.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { Forbidden, LoginRefused, NotFound, type ServiceError, Unavailable } from "../Errors.ts"
import type { FileType } from "../selection/FileName.ts"
import { wantedFiles } from "../selection/WantedFiles.ts"
import { type CatalogItem, catalog, choose } from "./Catalog.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import { makeLinkBook } from "./LinkBook.ts"

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

const named = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ id, named: true, older: [] }))
const entries = (items: ReadonlyArray<CatalogItem>) => items.flatMap((it) => (it._tag === "Listed" ? [it.entry] : []))
const shown = (items: ReadonlyArray<CatalogItem>) =>
  items.map((it) => (it._tag === "Listed" ? it.entry.listed.id : `${it.failure.analysisId} ${it.failure.error._tag}`))

describe("choose", () => {
  const selection = { analysisIds: ["2", "1"], sampleIds: [], limsIds: [], filters: [], latest: false }

  it.effect("asks for records only when they are needed", () => {
    const { asked, layer } = client(() => Effect.never, [{ id: 1, sampleId: "S" }, { id: 2 }])
    return Effect.gen(function* () {
      assert.strictEqual((yield* choose(selection)).analyses.length, 2)
      assert.deepStrictEqual(asked, [])
      yield* choose({ ...selection, latest: true })
      const bySample = yield* choose({ ...selection, analysisIds: [], sampleIds: ["S"] })
      assert.deepStrictEqual(bySample.analyses, [{ id: "1", named: false, older: [] }])
      assert.deepStrictEqual(asked, ["analyses 2,1", "analyses all"])
    }).pipe(Effect.provide(layer))
  })
})

describe("catalog", () => {
  const unavailable = new Unavailable({ host: "h", reason: "it answered 500", attempts: 7 })

  it.effect("one bad analysis stops no other", () => {
    const { layer } = client((id) =>
      id === "B" ? Effect.fail(new NotFound({ what: "B" })) : Effect.succeed(filesOf(id, []))
    )
    return Effect.gen(function* () {
      const items = yield* Stream.runCollect(catalog(named("A", "B", "C")))
      assert.deepStrictEqual(shown(items), ["A", "B SvcNotFound", "C"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("S7 what was forbidden is asked for once more at the end, and comes last", () => {
    const refusals: Record<string, number> = { A: 1, C: 2 }
    const { asked, layer } = client((id) =>
      (refusals[id] ?? 0) > 0
        ? Effect.suspend(() => {
            refusals[id] = (refusals[id] ?? 0) - 1
            return Effect.fail(new Forbidden({ what: id, status: 403 }))
          })
        : Effect.succeed(filesOf(id, []))
    )
    return Effect.gen(function* () {
      const items = yield* Stream.runCollect(catalog(named("A", "B", "C", "D")))
      assert.deepStrictEqual(shown(items), ["B", "D", "A", "C SvcForbidden"])
      assert.deepStrictEqual(asked, ["A", "B", "C", "D", "A", "C"])
    }).pipe(Effect.provide(layer))
  })

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
        { id, named: false, older: older.map((id) => ({ id, named: false })) }
      ]
      return Effect.gen(function* () {
        const taken = (...[types, ids]: [types: ReadonlyArray<FileType>, ids: ReturnType<typeof of>]) =>
          Effect.map(Stream.runCollect(catalog(ids, types)), shown)
        assert.deepStrictEqual(yield* taken(["bam"], of("9", "8", "7", "6")), ["7"])
        assert.deepStrictEqual(asked.splice(0), ["9", "8", "7"])
        assert.deepStrictEqual(yield* taken(["vcf.gz"], of("9", "8")), ["9"])
        assert.deepStrictEqual(yield* taken(["bam"], of("9", "8")), ["9"], "none has it: the newest is what lacks it")
        assert.deepStrictEqual(entries(yield* Stream.runCollect(catalog(of("7", "6"))))[0]?.listed.id, "7")
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

describe("LinkBook", () => {
  const book = Effect.gen(function* () {
    return yield* makeLinkBook(entries(yield* Stream.runCollect(catalog(named("A")))))
  })
  const names = ["a.bam", "b.bam", "c.bam"]
  const three = (seconds: number | null) =>
    client((id, nth) =>
      Effect.succeed(
        filesOf(
          id,
          names.map((fileName) => ({ fileName, downloadLink: `${link(fileName, seconds)}&nth=${nth}`, size: nth }))
        )
      )
    )
  const nth = ({ size }: { readonly size: number | null }) => size

  it.effect("a young link is used, an old one is asked for again just before its file starts", () => {
    const { asked, layer } = three(null)
    return Effect.gen(function* () {
      const links = yield* book
      assert.strictEqual(nth(yield* links.current("A", "a.bam")), 1)
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(nth(yield* links.current("A", "b.bam")), 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(nth(yield* links.current("A", "c.bam")), 2)
      assert.strictEqual(nth(yield* links.current("A", "a.bam")), 2)
      assert.strictEqual(asked.length, 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a link is given out once and not kept: a file that starts again gets a new one", () => {
    const { asked, layer } = three(null)
    return Effect.gen(function* () {
      const links = yield* book
      for (const expected of [1, 2, 3]) assert.strictEqual(nth(yield* links.current("A", "a.bam")), expected)
      assert.strictEqual(asked.length, 3)
      assert.strictEqual(nth(yield* links.current("A", "b.bam")), 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("of an analysis whose links were all given out nothing is kept, also when a file got a second one", () => {
    const { layer } = three(null)
    return Effect.gen(function* () {
      const links = yield* book
      yield* links.current("A", "a.bam")
      yield* links.current("A", "b.bam")
      assert.strictEqual(links.analysesLeft(), 1)
      yield* links.current("A", "c.bam")
      assert.strictEqual(links.analysesLeft(), 0)
      yield* links.renew("A", "a.bam")
      assert.strictEqual(links.analysesLeft(), 1)
      for (const name of ["b.bam", "c.bam"]) yield* links.current("A", name)
      assert.strictEqual(links.analysesLeft(), 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("only the links of files that will be fetched are kept, and of the indexes that their slices need", () => {
    const listed = ["a.bam", "a.csi", "A.BAM", "notes.txt"].map((fileName) => ({
      fileName,
      downloadLink: link(fileName)
    }))
    const { asked, layer } = client((id) => Effect.succeed(filesOf(id, listed)))
    return Effect.gen(function* () {
      const answers = entries(yield* Stream.runCollect(catalog(named("A", "B"))))
      const choice = { filetypes: ["bam"], layout: "flat", slice: { wanted: [], unmapped: true } } as const
      const fetched = wantedFiles(
        answers.slice(0, 1).map(({ listed }) => listed),
        choice
      ).map((file): PlannedFile => ({ ...file, decision: { _tag: "Fetch" } }))
      // One index serves both files.
      assert.deepStrictEqual(
        fetched.map(({ slice }) => slice?.indexFile),
        ["a.csi", "a.csi"]
      )
      const links = yield* makeLinkBook(answers, fetched)
      assert.strictEqual(links.analysesLeft(), 1)
      for (const name of ["a.bam", "a.csi", "A.BAM"]) {
        assert.strictEqual(Redacted.value((yield* links.current("A", name)).link), link(name))
      }
      assert.strictEqual(links.analysesLeft(), 0)
      assert.deepStrictEqual(asked, ["A", "B"])
    }).pipe(Effect.provide(layer))
  })

  it.effect("of an analysis that cannot be asked for nothing is kept", () => {
    const { layer } = client(() => Effect.fail(new NotFound({ what: "analysis B" })))
    return Effect.gen(function* () {
      const links = yield* makeLinkBook([])
      assert.strictEqual((yield* Effect.flip(links.renew("B", "b.bam")))._tag, "SvcNotFound")
      assert.strictEqual(links.analysesLeft(), 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("L1 a link that says it ends is not started on near its end", () => {
    const { layer } = three(100)
    return Effect.gen(function* () {
      const links = yield* book
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(nth(yield* links.current("A", "a.bam")), 1)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(nth(yield* links.current("A", "b.bam")), 2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("files of an analysis that start together ask once; a renewal always asks", () => {
    const { asked, layer } = three(null)
    return Effect.gen(function* () {
      const links = yield* book
      yield* TestClock.adjust("1 hour")
      yield* Effect.forEach(names, (name) => links.current("A", name), { concurrency: "unbounded" })
      assert.strictEqual(asked.length, 2)
      assert.strictEqual(nth(yield* links.renew("A", "a.bam")), 3)
    }).pipe(Effect.provide(layer))
  })

  it.effect("L6 a new list without the file, with two of it, or with it archived is an error of its own", () => {
    const later: Record<number, ReadonlyArray<object>> = {
      2: [{ fileName: "b.bam", downloadLink: link("b") }],
      3: [
        { fileName: "a.bam", downloadLink: link("a") },
        { fileName: "a.bam", downloadLink: link("a2") }
      ],
      4: [{ fileName: "a.bam", downloadLink: null, currentlyArchived: true }],
      5: [{ fileName: "a.bam" }]
    }
    const { layer } = client((id, nth) =>
      Effect.succeed(filesOf(id, later[nth] ?? [{ fileName: "a.bam", downloadLink: link("a") }]))
    )
    return Effect.gen(function* () {
      const links = yield* book
      const messages: Array<string> = []
      for (let i = 0; i < 4; i++) messages.push((yield* Effect.flip(links.renew("A", "a.bam"))).message)
      assert.deepStrictEqual(messages, [
        "download link of a.bam (analysis A): not found (the service does not list the file any more)",
        "download link of a.bam (analysis A): unreadable reply: two files of this name are listed",
        "download link of a.bam (analysis A): not found (the file has been archived meanwhile)",
        "download link of a.bam (analysis A): not found"
      ])
      assert.strictEqual(Redacted.value((yield* links.renew("A", "a.bam")).link), link("a"))
    }).pipe(Effect.provide(layer))
  })
})
