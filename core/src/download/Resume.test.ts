import { basename } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger, Path, Schema } from "effect"
import * as ZlibCodec from "../../../platform/inflate/ZlibCodec.ts"
import { documentOf, memoryFile } from "../../../test/tracking/MemoryFile.ts"
import { came, engines } from "../../../test/transfer/Engines.ts"
import type { RestoreMode } from "../archive/Policy.ts"
import { render, TrackingFile } from "../archive/TrackingFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisFiles, RestoreAnswer } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import {
  FileDamaged,
  InArchive,
  LinkForbidden,
  LoginRefused,
  NotFound,
  type ServiceError,
  TrackingUnusable,
  Unavailable
} from "../Errors.ts"
import { rowOf } from "../report/Report.ts"
import { Operator } from "../settings/Operator.ts"
import type { FileTransfer } from "../transfer/FileTransfer.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import { downloadRequest } from "./DownloadRequest.ts"
import { errorsOf } from "./FileResult.ts"
import { entryFailures, type Look } from "./RestorationStatus.ts"
import { makeResume } from "./Resume.ts"
import type { RunEvent } from "./RunEvent.ts"
import { Listener } from "./RunEvents.ts"
import { makeRunRecord } from "./RunRecord.ts"

const target = "https://lab/"
const unusable = new TrackingUnusable({ path: "r.json", reason: "it is not JSON" })

type Listing = Effect.Effect<ReadonlyArray<object>, ServiceError>

interface World {
  readonly entries: ReadonlyArray<object>
  /** The files of an analysis at its nth listing, from 0. */
  readonly listing: (analysisId: string, nth: number) => Listing
  readonly mode?: RestoreMode
  readonly maxRestores?: number
  readonly requireAll?: boolean
  readonly statusOnly?: boolean
  readonly transfer?: FileTransfer["Service"]["download"]
  readonly free?: number
  /** Somebody is there, and answers no. */
  readonly present?: boolean
  /** The restoration file cannot be changed. */
  readonly stuck?: boolean
}

const here = (...names: ReadonlyArray<string>) =>
  names.map((fileName) => ({ fileName, downloadLink: `https://files/${fileName}?sig=1`, size: 100 }))
const cold = (...names: ReadonlyArray<string>) => names.map((fileName) => ({ fileName, currentlyArchived: true }))

/** A folder with a restoration file of `entries`, a service, a link host, and everything that is asked of them. */
const world = Effect.fnUntraced(function* ({
  entries,
  free = 1e9,
  listing,
  maxRestores,
  mode = "force",
  present = false,
  requireAll = false,
  statusOnly = false,
  stuck = false,
  transfer = () => Effect.succeed(came)
}: World) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const root = yield* fs.makeTempDirectoryScoped()
  yield* fs.makeDirectory(path.join(root, "out"))
  const events: Array<string> = []
  const settled: Array<string> = []
  const listings = new Map<string, number>()
  const { service, store, stored } = memoryFile({
    path: path.join(root, "r.json"),
    document: documentOf(entries),
    changing: stuck ? Effect.fail(unusable) : Effect.void
  })
  const client = Layer.mock(ServiceClient, {
    getFileDownloadLinks: (id) =>
      Effect.suspend(() => {
        events.push(`list ${id}`)
        const nth = listings.get(id) ?? 0
        listings.set(id, nth + 1)
        return Effect.map(listing(id, nth), (apiFileLinks) =>
          Schema.decodeUnknownSync(AnalysisFiles)({ id, apiFileLinks })
        )
      }),
    requestRestore: (ids) =>
      Effect.sync(() => {
        events.push(`restore ${ids.join()}`)
        const restoreEstimation = "2999-01-01T00:00:00Z"
        return [Schema.decodeUnknownSync(RestoreAnswer)({ analysisId: ids[0], restoreEstimation })]
      })
  })
  const services = Layer.mergeAll(
    client,
    Layer.succeed(TrackingFile, service),
    Layer.succeed(Operator, {
      ...Operator.absent,
      present,
      confirm: (question) =>
        Effect.sync(() => {
          events.push(question)
          return false
        })
    }),
    engines({
      whole: (asked) =>
        Effect.suspend(() => {
          events.push(`fetch ${path.relative(root, asked.directory)}/${asked.name}${asked.overwrite ? " over" : ""}`)
          return transfer(asked)
        }),
      cut: (asked) =>
        Effect.sync(() => {
          events.push(`cut ${path.relative(root, asked.directory)}/${asked.name} by ${asked.index.fileName}`)
          const index = { name: `${asked.name}.bai`, bytes: 9, sha256: "cd" }
          return { ...came, regions: "chr1", records: 1, index, fetched: 50, warnings: [] }
        })
    }),
    Layer.mock(PartFiles, {
      free: () => Effect.succeed(free),
      syncFolder: (folder) =>
        Effect.sync(() => void settled.push(`${path.relative(root, folder)}, ${stored().items.length} entries`))
    })
  )
  const fallback = yield* downloadRequest({
    destination: path.join(root, "out"),
    restoreArchived: mode,
    maxRestores: maxRestores ?? null,
    requireAll,
    connections: 1
  })
  const asked = { fallback, service: { target, nameOf: (name: string | null) => name ?? target }, statusOnly }
  const resume = yield* makeResume(asked)
  const shown = ({ others, statuses, unusable }: Look) => [
    ...statuses.map(({ entry: { analysisId, fileName }, state }) => {
      const more =
        state._tag === "Failed" ? ` ${state.error._tag}` : state._tag === "Requested" ? ` ${state.estimate}` : ""
      return `${analysisId} ${fileName} ${state._tag}${more}`
    }),
    ...unusable.map(({ _tag }) => _tag),
    ...others.map(({ analysisId, fileName }) => `other ${analysisId} ${fileName}`)
  ]
  const statuses = Effect.map(resume.look, ({ statuses }) => statuses).pipe(Effect.provide(services))
  return {
    root,
    events,
    settled,
    text: () => render(stored()),
    store: (entries: ReadonlyArray<object>) => Effect.sync(() => store(documentOf(entries))),
    left: () => stored().items.map(({ entry }) => (entry === null ? "?" : `${entry.analysisId} ${entry.fileName}`)),
    /** What the report of the run would say of each file. */
    reported: Effect.gen(function* () {
      const record = yield* makeRunRecord
      const told: Array<string> = []
      const note = (event: RunEvent) => {
        if (event._tag === "Finished") told.push(event.result.path ?? "")
        return record.note(event)
      }
      const look = yield* Effect.provideService(resume.look, Listener, note)
      for (const result of entryFailures(look)) yield* record.note({ _tag: "Failed", result })
      assert.deepStrictEqual(told, [...new Set(told)], "each file is told of once")
      return (yield* record.results)
        .map(rowOf)
        .map(({ action, error }) => `${action} ${error?._tag}`)
        .sort()
    }).pipe(Effect.provide(services)),
    /** What a look tells of. */
    told: Effect.suspend(() => {
      const told: Array<string> = []
      const note = (event: RunEvent) =>
        Effect.sync(() => {
          if (event._tag === "Planned") {
            told.push(...event.files.map(({ decision, fileName }) => `plan ${fileName} ${decision._tag}`))
          }
          if (event._tag === "Finished")
            told.push(`${event.result.fileName} ${event.result._tag} ${event.result.restoration?.requestedAt}`)
          if (event._tag === "Failed") told.push(event.result.error._tag)
          if (event._tag === "Awaiting") told.push(`awaiting ${event.restorations.length}`)
        })
      return Effect.as(Effect.provideService(resume.look, Listener, note), told)
    }).pipe(Effect.provide(services)),
    statuses,
    results: Effect.map(statuses, (found) => found.flatMap(({ results }) => results)),
    look: Effect.map(resume.look, shown).pipe(Effect.provide(services))
  }
})

const entry = (analysisId: string, fileName: string, options: object = {}, more: object = {}) => ({
  analysisId,
  fileName,
  options: { filetypes: ["bam"], ...options },
  ...more
})

/** What an entry says whose restoration should be over. */
const late = { requestTime: "2020-01-01T00:00:00Z", restoreEstimation: "2020-01-01T00:00:00Z" }

/** What an entry says whose restoration goes on for as long as these tests can matter. */
const underWay = { requestTime: "2998-12-31T23:00:00Z", restoreEstimation: "2999-01-01T00:00:00Z" }

layer(Layer.merge(NodeServices.layer, ZlibCodec.layer), { excludeTestServices: true })("a look", (it) => {
  interface Expected {
    /** What each look says of the entries. */
    readonly looks: ReadonlyArray<ReadonlyArray<string>>
    readonly events?: ReadonlyArray<string>
    readonly left?: ReadonlyArray<string>
  }

  const looks = (name: string, { events, left, looks, ...given }: World & Expected) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const w = yield* world(given)
        for (const expected of looks) assert.deepStrictEqual(yield* w.look, [...expected])
        if (events !== undefined) assert.deepStrictEqual(w.events, [...events])
        if (left !== undefined) assert.deepStrictEqual(w.left(), [...left])
      })
    )

  it.effect("downloads what is back as its entry says, takes it out of the file, and leaves the rest", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [
          entry("A1", "S.bam", { destination: "out", filetypes: ["bam", "bam.bai"], overwrite: true }),
          entry("A2", "T.bam", { layout: "analysis" }),
          entry("A3", "U.bam", {}, underWay)
        ],
        listing: (id) =>
          Effect.succeed(
            id === "A1" ? here("S.bam", "S.bam.bai") : id === "A2" ? here("T.bam", "V.bam") : cold("U.bam")
          )
      })
      assert.deepStrictEqual(yield* w.look, [
        "A1 S.bam Done",
        "A2 T.bam Done",
        "A3 U.bam Requested 2999-01-01T00:00:00Z"
      ])
      assert.deepStrictEqual(w.left(), ["A3 U.bam"])
      assert.deepStrictEqual(
        w.events.filter((it) => it.startsWith("fetch")),
        ["fetch out/S.bam over", "fetch out/S.bam.bai over", "fetch out/A2/T.bam"]
      )
      // P2 what was removed beside a file is durable before its entry goes.
      assert.deepStrictEqual(w.settled, ["out, 3 entries", "out/A2, 2 entries"])
      assert.notInclude(w.events, "restore A3")
      // What is done is not asked for again.
      w.events.length = 0
      assert.deepStrictEqual((yield* w.look).slice(0, 2), ["A1 S.bam Done", "A2 T.bam Done"])
      assert.deepStrictEqual(w.events, ["list A3"])
    })
  )

  looks("cuts regions as stored, with an index of the listing that is here", {
    entries: [entry("A1", "S.bam", { range: "chr1" })],
    listing: () => Effect.succeed([...here("S.bam", "S.bai"), ...cold("S.bam.bai")]),
    looks: [["A1 S.bam Done"]],
    events: ["list A1", "cut out/S.ranged.bam by S.bai"],
    left: []
  })

  it.effect("T20 a file that is there while its entry cannot be taken out is no success", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [entry("A1", "S.bam")],
        listing: () => Effect.succeed(here("S.bam")),
        stuck: true
      })
      assert.deepStrictEqual(yield* w.reported, ["downloaded undefined", "failed SvcTrackingUnusable"])
      assert.deepStrictEqual([yield* w.look, w.left()], [["A1 S.bam Failed SvcTrackingUnusable"], ["A1 S.bam"]])
    })
  )

  looks("T7 stored regions that are none fail their entry only, which stays in the file", {
    entries: [entry("A1", "S.bam", { range: "chr1:9-1" }), entry("A2", "T.bam")],
    listing: (id) => Effect.succeed(id === "A1" ? here("S.bam", "S.bam.bai") : here("T.bam")),
    looks: [["A1 S.bam Failed SvcEntryUnusable", "A2 T.bam Done"]],
    left: ["A1 S.bam"]
  })

  it.effect("L13 what comes of a file is told beside what a store has in cold storage, and that failure too", () =>
    Effect.gen(function* () {
      const answer = "files answers 403, InvalidObjectState"
      const inArchive = (file: string, told: object) =>
        new InArchive({ file, analysisId: AnalysisId.make("A1"), estimate: null, ...told })
      const damaged = new FileDamaged({ file: "S.bam", fault: "Truncated", reason: "it ends early" })
      for (const told of [{ answer }, {}]) {
        for (const [failures, reported, state] of [
          [{ "S.bam": inArchive("S.bam", told) }, ["failed SvcInArchive", "failed SvcInArchive"], "SvcInArchive"],
          [
            { "S.bam.bai": inArchive("S.bam.bai", told) },
            ["downloaded undefined", "failed SvcInArchive"],
            "SvcInArchive"
          ],
          [{ "S.bam": damaged }, ["failed SvcFileDamaged", "failed SvcFileDamaged"], "SvcFileDamaged"]
        ] as const) {
          const w = yield* world({
            entries: [entry("A1", "S.bam", { filetypes: ["bam", "bam.bai"] })],
            listing: () => Effect.succeed(here("S.bam", "S.bam.bai")),
            transfer: ({ fileName }) => {
              const found: Readonly<Record<string, InArchive | FileDamaged>> = failures
              const failure = found[fileName]
              return failure === undefined ? Effect.succeed(came) : Effect.fail(failure)
            }
          })
          assert.deepStrictEqual(yield* w.reported, [...reported])
          assert.deepStrictEqual([yield* w.look, w.left()], [[`A1 S.bam Failed ${state}`], ["A1 S.bam"]])
        }
      }
    })
  )

  looks("L13 regions are asked for again when their index is archived and the other one has no link", {
    entries: [entry("A1", "S.bam", { range: "chr1" })],
    listing: () => Effect.succeed([...here("S.bam"), ...cold("S.bam.bai"), { fileName: "S.bai", size: 9 }]),
    looks: [["A1 S.bam Requested 2999-01-01T00:00:00Z"], ["A1 S.bam Requested 2999-01-01T00:00:00Z"]],
    events: ["list A1", "restore A1", "list A1"],
    left: ["A1 S.bam"]
  })

  looks("for the status only nothing is downloaded, requested or taken out", {
    entries: [entry("A1", "S.bam"), entry("A2", "T.bam"), entry("A3", "U.bam")],
    listing: (id) => Effect.succeed(id === "A1" ? here("S.bam") : id === "A2" ? cold("T.bam") : []),
    statusOnly: true,
    looks: [["A1 S.bam Available", "A2 T.bam NotRequested", "A3 U.bam Failed SvcNotFound"]],
    events: ["list A1", "list A2", "list A3"],
    left: ["A1 S.bam", "A2 T.bam", "A3 U.bam"]
  })

  it.effect("L11 archived without a restoration is asked for again, once for an analysis", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [entry("A1", "S.bam", {}, late), entry("A1", "T.bam", {}, late)],
        listing: () => Effect.succeed(cold("S.bam", "T.bam"))
      })
      const pending = ["S", "T"].map((name) => `A1 ${name}.bam Requested 2999-01-01T00:00:00Z`)
      // What was asked for just now is pending in the same look.
      for (const { results, state } of yield* w.statuses) {
        assert.deepInclude(state, { _tag: "Requested", underWay: true })
        assert.strictEqual(results[0]?._tag, "Pending")
      }
      assert.deepStrictEqual(yield* w.look, pending)
      assert.strictEqual(w.events.filter((it) => it === "restore A1").length, 1)
      assert.strictEqual(w.left().length, 2)
    })
  )

  it.effect("L6 is asked for once in a day: until then its file is archived, and not pending", () =>
    Effect.gen(function* () {
      const hour = 3_600_000
      const askedAgain = new Date(Math.floor(Date.now() / hour - 1) * hour)
      const said: Array<string> = []
      const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const w = yield* world({
        entries: [entry("A1", "S.bam", {}, { ...late, askedAgain: askedAgain.toISOString() })],
        listing: () => Effect.succeed(cold("S.bam"))
      })
      const [status] = yield* Effect.provide(w.statuses, log)
      assert.deepStrictEqual(status?.state, {
        _tag: "Requested",
        requestedAt: late.requestTime,
        estimate: null,
        underWay: false
      })
      assert.strictEqual(
        status?.results
          .map(rowOf)
          .map(({ action, reason }) => `${action} ${reason}`)
          .join(),
        "skipped archived"
      )
      assert.notInclude(w.events, "restore A1")
      // The next look says it no more.
      yield* Effect.provide(w.statuses, log)
      assert.deepStrictEqual(said, [
        `S.bam (analysis A1): archived, and no restoration is under way; not asked for: it was asked for again less than a day ago, and will be after ${new Date(askedAgain.getTime() + 24 * hour).toISOString()}; its request stays`
      ])
    })
  )

  it.effect("what the limit of a run leaves, or another run asks for meanwhile, is said by the first look alone", () =>
    Effect.gen(function* () {
      const run = Effect.fnUntraced(function* (maxRestores: number, meanwhile: ReadonlyArray<object> | null) {
        const said: Array<string> = []
        const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
        const store: Array<Effect.Effect<void>> = []
        const w = yield* world({
          entries: [entry("A1", "S.bam", {}, late)],
          listing: () => Effect.as(Effect.all(store), cold("S.bam")),
          maxRestores
        })
        if (meanwhile !== null) store.push(w.store(meanwhile))
        yield* Effect.provide(Effect.andThen(w.statuses, w.statuses), log)
        assert.notInclude(w.events, "restore A1")
        return said.filter((line) => line.includes("not asked for"))
      })
      const again = entry("A1", "S.bam", {}, { ...late, askedAgain: new Date().toISOString() })
      assert.match((yield* run(0, null)).join("|"), /^S\.bam [^|]+ no restorations may be asked for[^|]+$/)
      assert.match((yield* run(1, [again])).join("|"), /^S\.bam [^|]+ asked for again less than a day ago[^|]+$/)
    })
  )

  looks("nobody at a terminal is asked: the request itself agreed to it", {
    entries: [entry("A1", "S.bam", {}, late)],
    listing: () => Effect.succeed(cold("S.bam")),
    present: true,
    mode: "ask",
    looks: [["A1 S.bam Requested 2999-01-01T00:00:00Z"]],
    events: ["list A1", "restore A1"]
  })

  it.effect("with restoreArchived no nothing is asked for, nothing is pending, and the entry stays as it was", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [entry("A1", "S.bam", { range: "chr1" }, late)],
        listing: () => Effect.succeed([...cold("S.bam"), ...here("S.bam.bai")]),
        mode: "no"
      })
      const before = w.text()
      const [result] = yield* w.results
      assert.deepInclude(result, { _tag: "Skipped", reason: "archived", restoration: null })
      assert.deepStrictEqual(yield* w.look, ["A1 S.bam NotRequested"])
      assert.notInclude(w.events, "restore A1")
      assert.strictEqual(w.text(), before)
    })
  )

  it.effect("L15 what is not asked for is a failure where all is required, in a status none; its entry stays", () =>
    Effect.gen(function* () {
      const common = {
        entries: [entry("A1", "S.bam", {}, late), entry("A2", "T.bam", {}, late)],
        listing: (id: string) => Effect.succeed(id === "A1" ? cold("S.bam") : cold("T.bam")),
        requireAll: true
      }
      const never = yield* world({ ...common, mode: "no" })
      const before = never.text()
      assert.deepStrictEqual(yield* never.look, ["A1 S.bam Failed SvcFileArchived", "A2 T.bam Failed SvcFileArchived"])
      const [result] = yield* never.results
      assert.deepInclude(result, { _tag: "Failed", reason: "archived" })
      assert.strictEqual(
        result?._tag === "Failed" ? result.error.message : null,
        "S.bam (analysis A1): archived, and not restored: the restore mode is no"
      )
      assert.strictEqual(never.text(), before)
      const one = yield* world({ ...common, maxRestores: 1 })
      assert.deepStrictEqual(yield* one.look, [
        "A1 S.bam Requested 2999-01-01T00:00:00Z",
        "A2 T.bam Failed SvcFileArchived"
      ])
      const status = yield* world({ ...common, mode: "no", statusOnly: true })
      assert.deepStrictEqual(yield* status.look, ["A1 S.bam NotRequested", "A2 T.bam NotRequested"])
    })
  )

  it.effect("what is not there yet is told under the path it will have", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [
          entry("A1", "S.bam", { destination: "out", layout: "analysis", range: "chr1" }, underWay),
          entry("A2", "T.bam", { destination: "out", bed: "x.bed" }, underWay),
          entry("A3", "U.bam", { destination: "out", layout: "analysis", unmapped: true }, underWay),
          entry("A4", "V.bam", { destination: "out" }, underWay)
        ],
        listing: (id) => Effect.succeed(cold({ A1: "S.bam", A2: "T.bam", A3: "U.bam" }[id] ?? "V.bam")),
        statusOnly: true
      })
      assert.deepStrictEqual(
        (yield* w.results).map(({ path }) => path?.replace(`${w.root}/`, "")),
        ["out/A1/S.ranged.bam", "out/T.ranged.bam", "out/A3/U.unmapped.bam", "out/V.bam"]
      )
    })
  )

  it.effect(
    "T17 relative paths begin where the writer of the entry stood; where that cannot be told the entry fails",
    () =>
      Effect.gen(function* () {
        const w = yield* world({
          entries: [],
          listing: () => Effect.succeed(here("S.bam"))
        })
        const name = basename(w.root)
        const named = (restorationFile: string, destination: string) =>
          entry("A1", "S.bam", { restorationFile, destination })
        yield* w.store([named(`${name}/r.json`, `${name}/out`), named("elsewhere/r.json", "out")])
        assert.deepStrictEqual(yield* w.look, ["A1 S.bam Done", "A1 S.bam Failed SvcEntryUnusable"])
        assert.deepStrictEqual(
          w.events.filter((it) => it.startsWith("fetch")),
          ["fetch out/S.bam"]
        )
        assert.deepStrictEqual(w.left(), ["A1 S.bam"])
      })
  )

  looks("a request that cannot be remembered fails its entry", {
    entries: [entry("A1", "S.bam")],
    listing: () => Effect.succeed(cold("S.bam")),
    stuck: true,
    looks: [["A1 S.bam Failed SvcTrackingUnusable"]],
    events: ["list A1"]
  })

  looks("a failed download keeps its entry; one that may pass is tried again, another is not", {
    entries: [entry("A1", "S.bam"), entry("A2", "T.bam")],
    listing: (id, nth) =>
      id === "A1"
        ? Effect.succeed(here("S.bam"))
        : nth === 0
          ? Effect.fail(new Unavailable({ host: "lab", reason: "closed", attempts: 1 }))
          : Effect.succeed(here("T.bam")),
    transfer: ({ fileName }) =>
      fileName === "S.bam"
        ? Effect.fail(new LinkForbidden({ file: fileName, host: "files", status: 403 }))
        : Effect.succeed(came),
    looks: [
      ["A1 S.bam Failed SvcLinkForbidden", "A2 T.bam Failed SvcUnavailable"],
      ["A1 S.bam Failed SvcLinkForbidden", "A2 T.bam Done"]
    ],
    events: ["list A1", "list A2", "fetch out/S.bam", "list A2", "fetch out/T.bam"],
    left: ["A1 S.bam"]
  })

  it.effect("an entry that somebody else took out is not told of any more", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [entry("A1", "S.bam", {}, underWay)],
        listing: () => Effect.succeed(cold("S.bam"))
      })
      assert.strictEqual((yield* w.look).length, 1)
      yield* w.store([])
      assert.deepStrictEqual(yield* w.look, [])
    })
  )

  looks("entries that cannot be used are told and stay; those of other targets are left alone", {
    entries: [{ analysisId: "A1" }, entry("A2", "T.bam", {}, { target: "https://elsewhere/" }), entry("A3", "U.bam")],
    listing: () => Effect.succeed(here("U.bam")),
    looks: [["A3 U.bam Done", "SvcEntryUnusable", "other A2 T.bam"]],
    events: ["list A3", "fetch out/U.bam"],
    left: ["?", "A2 T.bam"]
  })

  it.effect(
    "a look tells of each file once, of what is awaited as it is known, and of a damaged entry in the first one",
    () =>
      Effect.gen(function* () {
        const w = yield* world({
          entries: [{ analysisId: "A1" }, entry("A2", "T.bam", {}, underWay), entry("A3", "U.bam")],
          listing: (id, nth) => Effect.succeed(id === "A3" ? here("U.bam") : nth === 0 ? cold("T.bam") : here("T.bam"))
        })
        assert.deepStrictEqual(yield* w.told, [
          "SvcEntryUnusable",
          "plan T.bam Skip",
          "plan U.bam Skip",
          "awaiting 2",
          "awaiting 1",
          `T.bam Pending ${underWay.requestTime}`,
          "plan U.bam Fetch",
          "U.bam Downloaded null"
        ])
        const second = ["awaiting 1", "awaiting 0", "plan T.bam Fetch", `T.bam Downloaded ${underWay.requestTime}`]
        assert.deepStrictEqual(yield* w.told, second)
      })
  )

  looks("a refused login ends the listing: no analysis is asked for after it", {
    entries: [entry("A1", "S.bam"), entry("A2", "T.bam")],
    listing: () => Effect.fail(new LoginRefused({ user: "u", host: "lab" })),
    looks: [["A1 S.bam Failed SvcLoginRefused", "A2 T.bam Failed SvcLoginRefused"]],
    events: ["list A1"]
  })

  it.effect("T16 a delivery into a folder that is gone fails with its reason, and makes no folder", () =>
    Effect.gen(function* () {
      const w = yield* world({
        entries: [entry("A1", "S.bam", { destination: "gone" }), entry("A2", "T.bam")],
        listing: (id) => Effect.succeed(here(id === "A1" ? "S.bam" : "T.bam"))
      })
      const results = yield* w.results
      assert.deepStrictEqual(
        results.map(rowOf).map(({ action, error, path }) => [path?.replace(w.root, ""), action, error?._tag]),
        [
          ["/gone/S.bam", "failed", "SvcCannotCreate"],
          ["/out/T.bam", "downloaded", undefined]
        ]
      )
      assert.match(errorsOf(results)[0]?.message ?? "", /the folder to download into does not exist/)
      assert.deepStrictEqual(w.left(), ["A1 S.bam"])
    })
  )

  looks("K2 a delivery that does not fit is refused before a byte moves", {
    entries: [entry("A1", "S.bam")],
    listing: () => Effect.succeed(here("S.bam")),
    free: 99,
    looks: [["A1 S.bam Failed SvcDiskTooSmall"]],
    events: ["list A1"]
  })

  looks("D17 of two files that would take one name neither comes", {
    entries: [entry("A1", "S.bam"), entry("A2", "S.bam")],
    listing: () => Effect.succeed(here("S.bam")),
    looks: [["A1 S.bam Failed SvcNameCollision", "A2 S.bam Failed SvcNameCollision"]],
    left: ["A1 S.bam", "A2 S.bam"]
  })

  looks("a pair is done only when both are there", {
    entries: [entry("A1", "S.bam", { filetypes: ["bam", "bam.bai"] }), entry("A1", "T.bam")],
    listing: () => Effect.succeed(here("S.bam", "S.bam.bai", "T.bam")),
    transfer: ({ fileName }) =>
      fileName === "S.bam.bai" ? Effect.fail(new NotFound({ what: fileName })) : Effect.succeed(came),
    looks: [["A1 S.bam Failed SvcNotFound", "A1 T.bam Done"]],
    left: ["A1 S.bam"]
  })
})
