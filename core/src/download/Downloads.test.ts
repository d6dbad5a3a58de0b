import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer, Path, Redacted, References, Schema, Stream } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { empty, type TrackingDocument } from "../archive/TrackingDocument.ts"
import { TrackingFile } from "../archive/TrackingFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { RestoreAnswer } from "../contract/Archive.ts"
import { AnalysisFiles } from "../contract/Files.ts"
import { NotFound } from "../Errors.ts"
import { Operator } from "../settings/Operator.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { TransferRequest } from "../transfer/TransferRequest.ts"
import { type DownloadOptions, downloadRequest } from "./DownloadRequest.ts"
import { Downloads } from "./Downloads.ts"
import type { FileResult } from "./FileResult.ts"
import type { LinkManifest } from "./LinkManifest.ts"
import { bothObservers, type RunObserver } from "./RunObserver.ts"

const target = "https://lab/"
const url = (name: string) => `https://files/${name}?sig=1`
const here = (...names: ReadonlyArray<string>) =>
  names.map((fileName) => ({ fileName, downloadLink: url(fileName), size: 100 }))
const cold = (...names: ReadonlyArray<string>) =>
  names.map((fileName) => ({ fileName, currentlyArchived: true, size: 100 }))

/** A service with these analyses, a link host whose files all come, and a folder `out`. */
const world = Effect.fnUntraced(function* (analyses: Readonly<Record<string, ReadonlyArray<object>>>) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const out = path.join(yield* fs.makeTempDirectoryScoped(), "out")
  yield* fs.makeDirectory(out)
  const events: Array<string> = []
  let stored: TrackingDocument = empty
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
  const download = ({ check, checksums, directory, name, progress }: TransferRequest) =>
    Effect.gen(function* () {
      events.push(`fetch ${path.relative(out, directory)}/${name} ${String(check)} ${checksums}`)
      yield* progress({ _tag: "Started", size: 100, resumedFrom: 0 })
      yield* progress({ _tag: "Bytes", done: 100, size: 100 })
      return {
        action: "downloaded" as const,
        bytes: 100,
        resumedFrom: 0,
        sha256: "ab",
        compared: [],
        attempts: 1,
        renewals: 0,
        milliseconds: 1
      }
    })
  const disk = Layer.mergeAll(
    Layer.succeed(FileTransfer, { download, vouch: () => Effect.succeed(true), tidy: () => Effect.void }),
    Layer.mock(SliceTransfer, {}),
    Layer.mock(LinkHost, {}),
    Layer.mock(PartFiles, { free: () => Effect.succeed(1e9), syncFolder: () => Effect.void })
  )
  const tracking = Layer.succeed(TrackingFile, {
    path: path.join(out, "r.json"),
    ensure: Effect.sync(() => void events.push("ensure")),
    read: Effect.sync(() => stored),
    change: (edit) => Effect.sync(() => (stored = edit(stored)))
  })
  const service = { target, nameOf: (name: string | null) => name ?? target }
  return {
    out,
    events,
    entries: () => stored.items.map(({ entry }) => `${entry?.analysisId} ${entry?.fileName}`),
    byService: Downloads.layer(service).pipe(
      Layer.provide([client, disk, tracking, Layer.succeed(Operator, Operator.absent)])
    ),
    byLinks: (manifest: LinkManifest) => Downloads.layerLinks(manifest).pipe(Layer.provide(disk))
  }
})

const requestOf = (destination: string) =>
  downloadRequest({ analysisIds: ["A1", "A2", "A3"], destination, restoreArchived: "force" })

const shown = ({ action, fileName, reason }: FileResult) => `${fileName} ${reason ?? action}`

layer(Layer.merge(NodeServices.layer, ZlibCodec.layer), { excludeTestServices: true })("Downloads", (it) => {
  const analyses = { A1: here("S.bam", "S.bam.bai"), A2: cold("T.bam"), A3: [...here("U.bam"), ...cold("U.bam.bai")] }

  it.effect(
    "fetches in one call; a missing analysis is one failure among the results, and the archive is asked first",
    () =>
      Effect.gen(function* () {
        const w = yield* world(analyses)
        const seen: Array<string> = []
        const watch: RunObserver = {
          failed: ({ error }) => Effect.sync(() => void seen.push(`failed ${error._tag}`)),
          awaiting: (all) => Effect.sync(() => void seen.push(`awaiting ${all.length}`)),
          begin: (files, bytes) => Effect.sync(() => void seen.push(`begin ${files.length} ${bytes}`))
        }
        const ends: RunObserver = { finished: (_, result) => Effect.sync(() => void seen.push(shown(result))) }
        const options: DownloadOptions = {
          analysisIds: ["A1", "A2", "gone"],
          destination: w.out,
          layout: "analysis",
          restoreArchived: "force",
          checksums: "md5"
        }
        const { failures, results } = yield* Downloads.use(({ fetch }) =>
          fetch(options, bothObservers(watch, ends))
        ).pipe(Effect.provide(w.byService))
        assert.deepStrictEqual(
          failures.map(({ analysisId }) => analysisId),
          ["gone"]
        )
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
          "fetch A1/S.bam structure md5",
          "fetch A1/S.bam.bai structure md5"
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
      const seen: Array<unknown> = []
      const watch: RunObserver = {
        finished: () =>
          Effect.map(References.CurrentLogAnnotations, (all) => void seen.push([all["job"], all["built"]]))
      }
      yield* Effect.annotateLogs(downloads.fetch({ analysisIds: ["A1"], destination: w.out }, watch), { job: "night" })
      assert.deepStrictEqual(seen, [
        ["night", undefined],
        ["night", undefined]
      ])
    })
  )

  it.effect("a request that cannot be read asks nobody", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      for (const options of [{ range: "chr1:9-1" }, { filters: ["nonsense"] }, { bed: "missing.bed" }]) {
        const error = yield* Effect.flip(Downloads.use(({ fetch }) => fetch({ analysisIds: ["A1"], ...options }))).pipe(
          Effect.provide(w.byService)
        )
        assert.include(["SvcUsageError", "SvcNotFound"], error._tag)
      }
      assert.deepStrictEqual(w.events, [])
    })
  )

  it.effect("restore asks for what is archived and fetches nothing", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const { results } = yield* Effect.gen(function* () {
        const { restore } = yield* Downloads
        return yield* restore(yield* requestOf(w.out))
      }).pipe(Effect.provide(w.byService))
      assert.deepStrictEqual(results.map(shown), ["T.bam pending", "U.bam.bai pending"])
      assert.deepStrictEqual(w.events, ["ensure", "list A1", "list A2", "list A3", "restore A2", "restore A3"])
    })
  )

  it.effect("resume is the same run from the requests that were stored", () =>
    Effect.gen(function* () {
      const service: Record<string, ReadonlyArray<object>> = { A2: cold("T.bam") }
      const w = yield* world(service)
      yield* Effect.gen(function* () {
        const downloads = yield* Downloads
        const wanted = { analysisIds: ["A2"], destination: w.out, layout: "analysis", checksums: "md5" } as const
        yield* downloads.restore(yield* downloadRequest({ ...wanted, filetypes: ["bam"], restoreArchived: "force" }))
        assert.deepStrictEqual(w.entries(), ["A2 T.bam"])
        const seen: Array<string> = []
        const { look } = yield* downloads.resume(yield* downloadRequest({ destination: "elsewhere" }), {
          finished: (_, result) => Effect.sync(() => void seen.push(shown(result)))
        })
        const states = Effect.map(look, ({ statuses }) => statuses.map(({ state }) => state._tag))
        assert.deepStrictEqual(yield* states, ["Requested"])
        service["A2"] = here("T.bam")
        assert.deepStrictEqual(yield* states, ["Done"])
        assert.deepStrictEqual(seen, ["T.bam downloaded"])
        assert.strictEqual(w.events.at(-1), "fetch A2/T.bam structure md5")
        assert.deepStrictEqual(w.entries(), [])
      }).pipe(Effect.provide(w.byService))
    })
  )

  it.effect("a list and a plan touch nothing", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const [listed, { plan, disk }] = yield* Effect.gen(function* () {
        const downloads = yield* Downloads
        const request = yield* requestOf(w.out)
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

  it.effect("the plan of a restoration request fetches nothing, and a read-only look at what is stored decides", () =>
    Effect.gen(function* () {
      const w = yield* world(analyses)
      const planned = Effect.gen(function* () {
        const { plan } = yield* Downloads
        const { disk, plan: decided, subject } = yield* plan(yield* requestOf(w.out), "restore")
        const outlooks = decided.files.map(({ decision }) =>
          decision._tag === "Skip" ? decision.reason : decision._tag
        )
        return [subject, disk.bytes, ...outlooks]
      }).pipe(Effect.provide(w.byService))
      assert.deepStrictEqual(yield* planned, [
        "restore",
        0,
        "available",
        "available",
        "Restore",
        "available",
        "Restore"
      ])
      assert.deepStrictEqual([w.events.filter((it) => !it.startsWith("list")), w.entries()], [[], []])
      const { results } = yield* Effect.flatMap(requestOf(w.out), (request) =>
        Downloads.use(({ restore }) => restore(request))
      ).pipe(Effect.provide(w.byService))
      assert.deepStrictEqual(results.map(shown), ["T.bam pending", "U.bam.bai pending"])
      assert.deepStrictEqual(yield* planned, [
        "restore",
        0,
        "available",
        "available",
        "pending",
        "available",
        "pending"
      ])
    })
  )

  it.effect("a links file is another source of the same run, and restores nothing", () =>
    Effect.gen(function* () {
      const w = yield* world({})
      const entry = { analysisId: "A1", size: 100, archived: false, estimatedRestoreTime: null, expiresAt: null }
      const manifest: LinkManifest = {
        target: new URL(target),
        filetypes: ["bam"],
        entries: [
          { ...entry, fileName: "S.bam", link: Redacted.make(url("S.bam")) },
          { ...entry, fileName: "T.bam", archived: true, link: null }
        ]
      }
      const { error, results } = yield* Effect.gen(function* () {
        const downloads = yield* Downloads
        const options: DownloadOptions = { destination: w.out, filetypes: ["bam"], restoreArchived: "force" }
        const { plan } = yield* downloads.plan(yield* downloadRequest(options))
        assert.deepStrictEqual(
          plan.files.map(({ decision }) => (decision._tag === "Skip" ? decision : decision._tag)),
          [
            "Fetch",
            {
              _tag: "Skip",
              reason: "archived",
              restoration: {
                why: "a links file restores nothing, see svc-request-restore",
                requestedAt: null,
                estimate: null
              }
            }
          ]
        )
        const { results } = yield* downloads.fetch(options)
        const strict = { ...options, requireAll: true }
        const foreseen = yield* downloads.plan(yield* downloadRequest(strict))
        const { results: required } = yield* downloads.fetch(strict)
        assert.deepStrictEqual(
          required.map(({ action }) => action),
          ["downloaded", "failed"]
        )
        assert.strictEqual(required[1]?.reason, "archived")
        const left = "T.bam (analysis A1): archived, and not restored: a links file restores nothing"
        assert.include(required[1]?.error?.message, left)
        const decision = foreseen.plan.files[1]?.decision
        assert.strictEqual(decision?._tag === "Fail" ? decision.error.message : null, required[1]?.error?.message)
        return { results, error: yield* Effect.flip(downloads.restore(yield* requestOf(w.out))) }
      }).pipe(Effect.provide(w.byLinks(manifest)))
      assert.deepStrictEqual(results.map(shown), ["S.bam downloaded", "T.bam archived"])
      assert.strictEqual(error._tag, "SvcUsageError")
      assert.deepStrictEqual(w.events, Array(2).fill("fetch /S.bam structure null"))
    })
  )
})
