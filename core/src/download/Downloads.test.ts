import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Path, References, Runtime, Schema, Stream } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { memoryFile } from "../../../test/tracking/MemoryFile.ts"
import { came, engines } from "../../../test/transfer/Engines.ts"
import { TrackingFile } from "../archive/TrackingFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { NotFound } from "../Errors.ts"
import { rowOf } from "../report/Report.ts"
import { Operator } from "../settings/Operator.ts"
import { FileStreams } from "../transfer/FileStreams.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import type { TransferRequest } from "../transfer/TransferRequest.ts"
import type { RunOutcome } from "./DownloadForms.ts"
import type { DownloadOptions } from "./DownloadRequest.ts"
import { Downloads } from "./Downloads.ts"
import { errorsOf, type FileResult, totalsOf } from "./FileResult.ts"
import type { RunEvent } from "./RunEvent.ts"
import { type Ended, Listener } from "./RunEvents.ts"
import { makeRunRecord } from "./RunRecord.ts"

const target = "https://lab/"
const url = (name: string) => `https://files/${name}?sig=1`
const here = (...names: ReadonlyArray<string>) =>
  names.map((fileName) => ({ fileName, downloadLink: url(fileName), size: 100 }))
const cold = (...names: ReadonlyArray<string>) =>
  names.map((fileName) => ({ fileName, currentlyArchived: true, size: 100 }))

/** A service with these analyses, a link host whose files all come, and a folder `out`. */
const world = Effect.fnUntraced(function* (
  analyses: Readonly<Record<string, ReadonlyArray<object>>>,
  operator = Operator.absent
) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const root = yield* fs.makeTempDirectoryScoped()
  const [out, folder] = [path.join(root, "out"), path.join(root, "tracking")]
  yield* fs.makeDirectory(out)
  yield* fs.makeDirectory(folder)
  const events: Array<string> = []
  const annotations: Array<Readonly<Record<string, unknown>>> = []
  const client = Layer.mock(ServiceClient, {
    getFileDownloadLinks: (id) =>
      Effect.suspend(() => {
        events.push(`list ${id}`)
        const apiFileLinks = analyses[id]
        return apiFileLinks === undefined
          ? Effect.fail(new NotFound({ what: `analysis ${id}` }))
          : Effect.succeed(Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks }))
      }),
    requestRestore: (ids) =>
      Effect.sync(() => {
        events.push(`restore ${ids.join()}`)
        return [
          Schema.decodeUnknownSync(RestoreAnswer)({ analysisId: ids[0], restoreEstimation: "2999-01-01T00:00:00Z" })
        ]
      })
  })
  const whole = ({ check, checksums, directory, name, progress }: TransferRequest) =>
    Effect.gen(function* () {
      events.push(`fetch ${path.relative(out, directory)}/${name} ${String(check)} ${checksums}`)
      annotations.push(yield* References.CurrentLogAnnotations)
      yield* progress({ _tag: "Started", size: 100, resumedFrom: 0 })
      yield* progress({ _tag: "Bytes", done: 100, size: 100 })
      return came
    })
  const disk = Layer.mergeAll(
    engines({ whole, estimate: () => Effect.succeed({ bytes: 30, requests: 2, regions: "chr1:1-9" }) }),
    Layer.mock(FileStreams, {}),
    Layer.mock(LinkHost, {}),
    Layer.mock(PartFiles, { free: () => Effect.succeed(1e9), syncFolder: () => Effect.void })
  )
  const file = memoryFile({ path: path.join(folder, "r.json") })
  const tracking = Layer.succeed(TrackingFile, {
    ...file.service,
    ensure: Effect.sync(() => void events.push("ensure"))
  })
  const service = { target, nameOf: (name: string | null) => name ?? target }
  const byService = Downloads.layer(service).pipe(
    Layer.provide([client, disk, tracking, Layer.succeed(Operator, operator)])
  )
  return {
    out,
    tracking: folder,
    events,
    annotations,
    entries: () => file.stored().items.map(({ entry }) => `${entry?.analysisId} ${entry?.fileName}`),
    byService,
    use: <A, E, R>(self: (downloads: Downloads["Service"]) => Effect.Effect<A, E, R>) =>
      Effect.provide(Downloads.use(self), byService)
  }
})

const wanted = (destination: string): DownloadOptions => ({
  analysisIds: ["A1", "A2", "A3"],
  destination,
  restoreArchived: "force"
})

/** What there is to hear, but for the bytes. */
const told = (event: RunEvent | Ended<RunOutcome>): ReadonlyArray<string> => {
  switch (event._tag) {
    case "Failed":
      return [`failed ${event.result.error?._tag}`]
    case "Awaiting":
      return [`awaiting ${event.restorations.length}`]
    case "Begun":
      return [`begin ${event.files.length} ${event.bytes}`]
    case "Finished":
      return [shown(event.result)]
    default:
      return []
  }
}

const outcomeIn = (events: ReadonlyArray<RunEvent | Ended<RunOutcome>>): RunOutcome => {
  const last = events.at(-1)
  return last?._tag === "Ended" ? last.outcome : assert.fail("the stream does not end with the outcome")
}

const shown = (result: FileResult) => {
  const { action, fileName, reason } = rowOf(result)
  return `${fileName} ${reason ?? action}`
}

layer(Layer.merge(NodeServices.layer, ZlibCodec.layer), { excludeTestServices: true })("Downloads", (it) => {
  const analyses = { A1: here("S.bam", "S.bam.bai"), A2: cold("T.bam"), A3: [...here("U.bam"), ...cold("U.bam.bai")] }

  it.effect(
    "fetches in one call; a missing analysis is one failure among the results, and the archive is asked first",
    () =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const options: DownloadOptions = {
          analysisIds: ["A1", "A2", "gone"],
          destination: w.out,
          layout: "analysis",
          restoreArchived: "force",
          checksums: "md5"
        }
        const events = yield* w.use((downloads) => Stream.runCollect(downloads.events(options)))
        const seen = events.flatMap(told)
        const [gone, ...results] = outcomeIn(events).results
        assert.deepInclude(gone, { _tag: "Failed", analysisId: AnalysisId.make("gone"), fileName: null })
        assert.deepStrictEqual(results.map(shown), ["S.bam downloaded", "S.bam.bai downloaded", "T.bam pending"])
        assert.deepStrictEqual(
          results.map(({ path }) => path?.replace(w.out, "")),
          ["/A1/S.bam", "/A1/S.bam.bai", "/A2/T.bam"]
        )
        assert.deepStrictEqual(w.events, [
          "list A1",
          "list A2",
          "list gone",
          "restore A2",
          "fetch A1/S.bam content md5",
          "fetch A1/S.bam.bai content md5"
        ])
        assert.deepStrictEqual(w.entries(), ["A2 T.bam"])
        assert.deepStrictEqual(seen.slice(0, 3), ["failed SvcNotFound", "awaiting 1", "begin 2 200"])
        assert.sameMembers(seen.slice(3), results.map(shown))
      })
  )

  it.effect("logs with the annotations of whoever calls, and not of whoever built the layer", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const downloads = yield* Effect.annotateLogs(Effect.map(Layer.build(w.byService), Context.get(Downloads)), {
        built: "yes"
      })
      yield* Effect.annotateLogs(downloads.fetch({ analysisIds: ["A1"], destination: w.out }), { job: "night" })
      const seen = w.annotations.map((all) => [all["job"], all["built"]])
      assert.deepStrictEqual(seen, [
        ["night", undefined],
        ["night", undefined]
      ])
    })
  )

  it.effect(
    "a service is not asked for nothing, nor for what cannot be read: a misspelt selection is no empty success",
    () =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const downloads = yield* Effect.map(Layer.build(w.byService), Context.get(Downloads))
        for (const options of [{}, { analysisIds: [] }, { filters: ["status = DONE"] }]) {
          const ways = [
            Effect.flip(downloads.fetch(options)),
            Effect.flip(downloads.plan(options)),
            Effect.flip(downloads.restore(options)),
            Effect.flip(Stream.runDrain(downloads.list(options))),
            Effect.flip(Stream.runDrain(downloads.events(options)))
          ]
          for (const refusal of ways) {
            assert.deepInclude(yield* refusal, { _tag: "SvcUsageError", options: ["analysisIds"] })
          }
        }
        for (const options of [{ range: "chr1:9-1" }, { filters: ["nonsense"] }, { bed: "missing.bed" }]) {
          const error = yield* Effect.flip(downloads.fetch({ analysisIds: ["A1"], ...options }))
          assert.include(["SvcUsageError", "SvcNotFound"], error._tag)
        }
        assert.deepStrictEqual(w.events, [])
      })
  )

  it.effect(
    "what failed fails: of a file with all results, of the whole run with its cause, before anything is asked",
    () =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const failure = (options: DownloadOptions) =>
          w.use(({ fetch }) => Effect.flip(fetch({ destination: w.out, ...options })))
        const some = yield* failure({ analysisIds: ["A1", "gone"] })
        assert.deepInclude(some, { _tag: "SvcDownloadsFailed", [Runtime.errorExitCode]: 66, retryable: false })
        assert.strictEqual(some.message, "1 of 3 results is a failure: analysis gone: not found")
        assert.deepStrictEqual(some._tag === "SvcDownloadsFailed" ? some.results.map(shown) : [], [
          "null failed",
          "S.bam downloaded",
          "S.bam.bai downloaded"
        ])
        // Nothing at all was found: that is no failure of files.
        assert.deepInclude(yield* failure({ analysisIds: ["gone"] }), { _tag: "SvcNotFound", what: "analysis gone" })
        const asked = w.events.length
        const nowhere = yield* failure({ analysisIds: ["A1"], destination: `${w.out}/none` })
        assert.deepInclude(nowhere, { _tag: "SvcCannotCreate", path: `${w.out}/none` })
        assert.strictEqual(w.events.length, asked)
      })
  )

  it.effect("L15 where all are required and one does not come, nothing is fetched, and the plan says it before", () =>
    Effect.gen(function* () {
      const w = yield* world({ ...analyses, A4: [{ fileName: "V.bam", size: 100 }, ...here("V.bam.bai")] })
      const downloads = yield* Effect.map(Layer.build(w.byService), Context.get(Downloads))
      for (const [id, lost] of [
        ["A3", ["U.bam withheld", "U.bam.bai archived"]],
        ["A4", ["V.bam failed", "V.bam.bai withheld"]],
        ["gone", []]
      ] as const) {
        const options = {
          analysisIds: ["A1", id],
          destination: w.out,
          restoreArchived: "no",
          requireAll: true
        } as const
        const { disk, plan } = yield* downloads.plan(options)
        const reasons = plan.files.map(({ decision: it }) => (it._tag === "Skip" ? it.reason : it._tag))
        const others = id === "A3" ? ["withheld", "Fail"] : id === "A4" ? ["Fail", "withheld"] : []
        assert.deepStrictEqual([disk.bytes, ...reasons], [0, "withheld", "withheld", ...others])
        const events = yield* Stream.runCollect(downloads.events(options))
        assert.include(events.flatMap(told), "begin 0 0")
        const results = outcomeIn(events).results.filter(({ fileName }) => fileName !== null)
        assert.deepStrictEqual(results.map(shown), ["S.bam withheld", "S.bam.bai withheld", ...lost])
      }
      assert.isFalse(w.events.some((it) => it.startsWith("fetch")))
      yield* downloads.fetch({ analysisIds: ["A1"], destination: w.out, requireAll: true })
      assert.strictEqual(w.events.filter((it) => it.startsWith("fetch")).length, 2)
    })
  )

  it.effect("a reader who takes his time stops no file and misses no result", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 300 }, (_, at) => `F${at}.bam`)
      const w = yield* world({ A1: here(...many) })
      const options = { analysisIds: ["A1"], filetypes: ["bam"], destination: w.out } as const
      const isOver = Effect.sync(() => w.events.length > 300)
      const seen: Array<RunEvent | Ended<RunOutcome>> = []
      const read = (event: RunEvent | Ended<RunOutcome>) =>
        Effect.gen(function* () {
          seen.push(event)
          // The first event is held until the whole run is over.
          while (event._tag === "Planned" && !(yield* isOver)) yield* Effect.yieldNow
        })
      yield* w.use((downloads) => Stream.runForEach(downloads.events(options), read))
      assert.strictEqual(seen.filter(({ _tag }) => _tag === "Finished").length, 300)
      assert.isAtMost(seen.filter(({ _tag }) => _tag === "Progress").length, 300)
      assert.strictEqual(outcomeIn(seen).results.length, 300)
    })
  )

  it.effect("a reader who stops, stops the run at once; the record knows what became of every file", () =>
    Effect.gen(function* () {
      const w = yield* world({ A1: here("S.bam", "T.bam", "U.bam") })
      const options = { analysisIds: ["A1"], filetypes: ["bam"], destination: w.out, connections: 1 } as const
      for (const end of ["Planned", "Begun", "Progress", "Finished"] as const) {
        w.events.length = 0
        const record = yield* makeRunRecord
        yield* w
          .use(({ events }) => Stream.runDrain(Stream.takeUntil(events(options), ({ _tag }) => _tag === end)))
          .pipe(Effect.provideService(Listener, record.note))
        const fetched = w.events.length - 1
        assert.isBelow(fetched, 3, end)
        const results = yield* record.results
        assert.strictEqual(results.length, 3)
        assert.strictEqual(
          errorsOf(results).filter(({ _tag }) => _tag === "SvcStopped").length,
          3 - totalsOf(results).downloaded,
          end
        )
      }
    })
  )

  // Nobody is there to agree in a program: a loop until all are settled ended at once, as nothing had been asked for.
  it.effect.each([undefined, "ask", "all", "force", "no"] as const)(
    "restore asks for what is archived and fetches nothing, with restoreArchived %s: who calls it has agreed",
    (restoreArchived) =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const { results } = yield* w.use(({ restore }) => restore({ ...wanted(w.out), restoreArchived }))
        assert.deepStrictEqual(results.map(shown), ["T.bam pending", "U.bam.bai pending"])
        assert.deepStrictEqual(w.events, ["ensure", "list A1", "list A2", "list A3", "restore A2", "restore A3"])
      })
  )

  it.effect("restore asks for nothing, which would cost money, where the folder for the files is missing", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const path = `${w.out}/missing`
      const options = wanted(path)
      const downloads = yield* Effect.map(Layer.build(w.byService), Context.get(Downloads))
      for (const refused of [
        downloads.restore(options),
        Stream.runDrain(downloads.events(options, { subject: "restore" }))
      ]) {
        assert.deepInclude(yield* Effect.flip(refused), { _tag: "SvcCannotCreate", path })
      }
      assert.deepStrictEqual([w.events, w.entries()], [[], []])
    })
  )

  it.effect("resume is the same run from the requests that were stored", () =>
    Effect.gen(function* () {
      const service: Record<string, ReadonlyArray<object>> = { A2: cold("T.bam") }
      const w = yield* world(service)
      yield* Effect.gen(function* () {
        const downloads = yield* Downloads
        const wanted = { analysisIds: ["A2"], destination: w.out, layout: "analysis", checksums: "md5" } as const
        yield* downloads.restore({ ...wanted, filetypes: ["bam"], restoreArchived: "force" })
        assert.deepStrictEqual(w.entries(), ["A2 T.bam"])
        const { events, look } = yield* downloads.resume({ destination: "elsewhere" })
        const states = Effect.map(look, ({ statuses }) => statuses.map(({ state }) => state._tag))
        assert.deepStrictEqual(yield* states, ["Requested"])
        service["A2"] = here("T.bam")
        const told = yield* Stream.runCollect(events)
        assert.deepStrictEqual(yield* states, ["Done"])
        assert.deepStrictEqual(
          told.flatMap((event) => (event._tag === "Finished" ? shown(event.result) : [])),
          ["T.bam downloaded"]
        )
        assert.strictEqual(w.events.at(-1), "fetch A2/T.bam content md5")
        assert.deepStrictEqual(w.entries(), [])
      }).pipe(Effect.provide(w.byService))
    })
  )

  it.effect("a list and a plan touch nothing", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const [listed, { plan, disk }] = yield* Effect.gen(function* () {
        const downloads = yield* Downloads
        const request = wanted(w.out)
        return [yield* Stream.runCollect(downloads.list(request)), yield* downloads.plan(request)] as const
      }).pipe(Effect.provide(w.byService))
      assert.deepStrictEqual(
        [...listed].map((item) => (item._tag === "Listed" ? item.analysis.files.length : 0)),
        [2, 1, 2]
      )
      assert.deepStrictEqual(
        plan.files.map(({ decision }) => decision._tag),
        ["Fetch", "Fetch", "Restore", "Fetch", "Restore"]
      )
      assert.strictEqual(disk.bytes, 300)
      assert.isFalse(w.events.some((it) => !it.startsWith("list")))
    })
  )

  it.effect(
    "of regions a list and a plan tell what their slices would fetch; an analysis that fails is told in its place",
    () =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const request = {
          ...wanted(w.out),
          analysisIds: ["A1", "gone"],
          filetypes: ["bam"],
          range: "chr1:1-9"
        } as const
        const listed = yield* w.use(({ list }) => Stream.runCollect(list(request)))
        assert.deepStrictEqual(
          listed.map((item) =>
            item._tag === "Listed" ? item.analysis.files.map((it) => it.ranged?.bytes) : item._tag
          ),
          [[30], "Failed"]
        )
        const { disk, failures, plan } = yield* w.use((downloads) => downloads.plan(request))
        assert.deepStrictEqual(
          [disk.bytes, disk.unknown, failures.length, ...plan.files.map(({ size }) => size)],
          [30, 0, 1, 30]
        )
        // Links come with the listing.
        assert.strictEqual(w.events.filter((it) => it === "list A1").length, 2)
      })
  )

  it.effect("open says why there is no one file to read", () =>
    Effect.gen(function* () {
      const w = yield* world({ ...analyses, A4: here("V.vcf.gz", "V.vcf.gz.tbi") })
      const refused = (options: DownloadOptions, file?: string) =>
        Effect.map(
          w.use(({ open }) => Effect.flip(open(options, { file }))),
          ({ _tag, message }) => `${_tag}: ${message}`
        )
      assert.match(yield* refused({ analysisIds: ["gone"] }), /^SvcNotFound: analysis gone/)
      const only = { filetypes: ["bam"] } as const
      assert.match(yield* refused({ analysisIds: ["A1", "A4"], ...only }), /^SvcNotFound: bam files of analysis A4/)
      const unmapped = { analysisIds: ["A4"], filetypes: ["bam", "vcf.gz"], unmapped: true } as const
      assert.match(
        yield* refused(unmapped, "V.vcf.gz"),
        /^SvcUsageError: V\.vcf\.gz: files of this type have no unmapped reads/
      )
    })
  )

  it.effect("the plan of a restoration request fetches nothing, and a read-only look at what is stored decides", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const planned = Effect.gen(function* () {
        const request = wanted(w.out)
        const { disk, plan: decided, subject } = yield* w.use(({ plan }) => plan(request, { subject: "restore" }))
        const outlooks = decided.files.map(({ decision }) =>
          decision._tag === "Skip" ? decision.reason : decision._tag
        )
        return [subject, disk.bytes, ...outlooks].join(" ")
      })
      assert.strictEqual(yield* planned, "restore 0 available available Restore available Restore")
      assert.deepStrictEqual([w.events.filter((it) => !it.startsWith("list")), w.entries()], [[], []])
      const { results } = yield* w.use(({ restore }) => restore(wanted(w.out)))
      assert.deepStrictEqual(results.map(shown), ["T.bam pending", "U.bam.bai pending"])
      assert.strictEqual(yield* planned, "restore 0 available available pending available pending")
    })
  )

  const agrees = Operator.of({ ...Operator.absent, present: true, confirm: () => Effect.succeed(true) })
  const comesTo = { Restore: "pending", Ask: "pending", Fail: "archived", pending: "pending", archived: "archived" }
  it.effect.each(["ask", "all", "force", "no"] as const)(
    "a plan foresees what comes of what is archived, and what it would ask, with restoreArchived %s",
    (restoreArchived) =>
      Effect.gen(function* () {
        const some = { restoreArchived, ...(restoreArchived === "force" ? { maxRestores: 1 } : {}) }
        for (const [operator, requireAll] of [
          [Operator.absent, false],
          [Operator.absent, true],
          [agrees, false],
          [agrees, true]
        ] as const) {
          const w = yield* world({ A2: cold("S.bam", "T.bam"), A3: cold("U.bam") }, operator)
          const wanted = { analysisIds: ["A2", "A3"], filetypes: ["bam"], destination: w.out } as const
          const options: DownloadOptions = { ...wanted, ...some, requireAll }
          const downloads = yield* Effect.map(Layer.build(w.byService), Context.get(Downloads))
          const may = restoreArchived === "force" || (operator.present && restoreArchived !== "no")
          for (const first of [restoreArchived === "force" ? "Restore" : "Ask", "pending"]) {
            const { plan } = yield* downloads.plan(options)
            const foreseen = plan.files.map(({ decision: it }) => (it._tag === "Skip" ? it.reason : it._tag))
            const { results } = outcomeIn(yield* Stream.runCollect(downloads.events(options)))
            assert.deepStrictEqual(
              results.map((result) => rowOf(result).reason ?? result._tag),
              foreseen.map((it) => Reflect.get(comesTo, it))
            )
            assert.strictEqual(foreseen[0], may ? first : requireAll ? "Fail" : "archived")
          }
        }
      })
  )

  it.effect(
    "a plan fails what would be asked back where the restoration file could not be written, as the run does",
    () =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const decisions = Effect.map(
          w.use(({ plan }) => plan(wanted(w.out))),
          ({ plan }) => plan.files.map(({ decision: it }) => (it._tag === "Fail" ? it.error.message : it._tag))
        )
        const fs = yield* FileSystem.FileSystem
        // As root may write everywhere, somebody else is asked.
        const access: typeof fs.access = (path, how) => fs.access(how?.writable ? `${w.tracking}/none` : path)
        const closed = { ...fs, access }
        const refused = yield* Effect.provideService(decisions, FileSystem.FileSystem, closed)
        assert.match(refused[2] ?? "", new RegExp(`^Cannot write to ${w.tracking}`))
        assert.deepStrictEqual([refused[0], refused[2]], ["Fetch", refused[4]])
        yield* fs.remove(w.tracking, { recursive: true })
        const error = `Cannot create ${w.tracking}/r.json: its folder does not exist`
        assert.deepStrictEqual(yield* decisions, ["Fetch", "Fetch", error, "Fetch", error])
      })
  )
})

describe("the events of a run", () => {
  it.effect("fail with nothing that only a restoration fails with: catching it does not compile", () =>
    Downloads.useSync(({ events }) => {
      const options = { analysisIds: ["A1"] }
      const none = () => Stream.empty
      // @ts-expect-error what a run's restorations fail with stands in its results
      assert.isTrue(Stream.isStream(Stream.catchTag(events(options), "SvcTrackingUnusable", none)))
      const restore = events(options, { subject: "restore" })
      assert.isTrue(Stream.isStream(Stream.catchTag(restore, "SvcTrackingUnusable", none)))
    }).pipe(Effect.provide(Layer.mock(Downloads, { events: () => Stream.empty })))
  )
})
