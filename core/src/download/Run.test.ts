import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, FileSystem, Layer, PlatformError, Redacted, References, Result } from "effect"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import { plannedFile } from "../../../test/selection/ListedFiles.ts"
import { came, type Engines, engines, lending } from "../../../test/transfer/Engines.ts"
import { words } from "../../../test/Words.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { FileDamaged, InArchive, LinkForbidden, NotFound, Unavailable } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { parseRange } from "../genome/regions/RegionText.ts"
import { rowOf } from "../report/Report.ts"
import type { SliceOutcome, SliceRequest, SliceWish } from "../transfer/SliceRequest.ts"
import type { TransferRequest } from "../transfer/TransferRequest.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import type { FileResult } from "./FileResult.ts"
import { run } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { Listener } from "./RunEvents.ts"
import type { RunLinks } from "./RunLinks.ts"

const file = (fileName: string, some: Partial<PlannedFile> = {}) => plannedFile(fileName, { size: 7, ...some })

const outcome = { ...came, bytes: 7 }
const links: RunLinks = {
  lend: (file) => (file.fileName === "nolink.bam" ? Effect.fail(new NotFound({ what: "link" })) : lending.lend(file))
}
const noCodec = Layer.succeed(
  Codec,
  Codec.here({ inflateRaw: () => null, gunzip: () => null, deflateRaw: (bytes) => bytes, crc32: () => 0 })
)

interface Going extends Engines {
  readonly connections?: number
  readonly destination?: string
  readonly withheld?: boolean
}

const going = Effect.fnUntraced(function* (files: ReadonlyArray<PlannedFile>, how: Going) {
  const { connections = 4, destination = ".", withheld, ...given } = how
  const seen: Array<FileResult> = []
  const request = {
    target: "https://lab/",
    destination,
    overwrite: false,
    check: "structure" as const,
    checksums: null,
    connections,
    ...(withheld === undefined ? {} : { withheld })
  }
  const listener = (event: RunEvent) => Effect.sync(() => void (event._tag === "Finished" && seen.push(event.result)))
  const results = yield* run({ files, failures: [], warnings: [] }, links, request).pipe(
    Effect.provideService(Listener, listener),
    Effect.provide(engines(given))
  )
  return { results, seen }
})

const shown = (result: FileResult) => {
  const { action, error, fileName, reason } = rowOf(result)
  return [fileName, action, reason ?? error?._tag].filter((it) => it !== undefined && it !== null).join(" ")
}

layer(Layer.mergeAll(NodeServices.layer, noCodec), { excludeTestServices: true })("Run", (it) => {
  it.effect("every file of the plan gets its result, in the order of the plan; one failure stops nothing", () =>
    Effect.gen(function* () {
      const files = [
        file("kept.bam", { decision: { _tag: "Skip", reason: "exists" } }),
        file("bad.bam"),
        file("cold.bam"),
        file("cold.bam.bai"),
        file("nolink.bam"),
        file("lost.bam", { decision: { _tag: "Fail", error: new NotFound({ what: "x" }) } }),
        file("good.bam"),
        file("there.bam")
      ]
      const failures: Readonly<Record<string, LinkForbidden | InArchive>> = {
        "bad.bam": new LinkForbidden({ file: "bad.bam", host: "h", status: 403 }),
        "cold.bam": InArchive.of({ analysisId: AnalysisId.make("A1"), fileName: "cold.bam" }, null)
      }
      const { results, seen } = yield* going(files, {
        whole: ({ fileName }) => {
          const failure = failures[fileName]
          if (failure !== undefined) return Effect.fail(failure)
          return Effect.succeed(fileName === "there.bam" ? { ...outcome, action: "exists", sha256: null } : outcome)
        }
      })
      assert.deepStrictEqual(results.map(shown), [
        "kept.bam skipped exists",
        "bad.bam failed SvcLinkForbidden",
        "cold.bam failed archived",
        "cold.bam.bai failed SvcInArchive",
        "nolink.bam failed SvcNotFound",
        "lost.bam failed SvcNotFound",
        "good.bam downloaded",
        "there.bam skipped exists"
      ])
      assert.strictEqual(seen.length, 8)
      const timed = results.map(rowOf).filter(({ finishedAt, startedAt }) => startedAt !== null && finishedAt !== null)
      assert.deepStrictEqual(
        timed.map(({ fileName }) => fileName),
        ["bad.bam", "cold.bam", "nolink.bam", "good.bam", "there.bam"]
      )
    })
  )

  it.effect("C1 a transfer says what it took, one that failed too, and how long by the monotonic clock", () =>
    Effect.gen(function* () {
      const { clock, set } = yield* makeJumpingClock
      let nanos = 0n
      const whole = Effect.fnUntraced(function* ({ fileName, progress }: TransferRequest) {
        nanos += 2_500_000_000n
        set(-7_200_000)
        if (fileName === "good.bam") return outcome
        yield* progress({ _tag: "GivenUp", attempts: 9, renewals: 2 })
        return yield* new LinkForbidden({ file: fileName, host: "h", status: 403 })
      })
      const { results } = yield* going([file("bad.bam"), file("good.bam")], { whole, connections: 1 }).pipe(
        Effect.provideService(Clock.Clock, { ...clock, monotonicTimeNanos: Effect.sync(() => nanos) })
      )
      assert.deepInclude(results.map(rowOf)[0], { action: "failed", attempts: 9, renewals: 2, seconds: 2.5 })
      assert.deepInclude(results.map(rowOf)[1], { action: "downloaded", attempts: 1, renewals: 0, seconds: 2.5 })
    })
  )

  it.effect(
    "an index comes after its data file, and not at all when that failed; one that fails leaves out no other",
    () =>
      Effect.gen(function* () {
        const order: Array<string> = []
        const files = words`b.bam.bai a.bai a.bam a.bam.bai b.bam alone.bam.bai`.map((name) => file(name))
        const { results } = yield* going(files, {
          whole: ({ fileName }) =>
            Effect.gen(function* () {
              order.push(fileName)
              if (fileName === "b.bam") return yield* new LinkForbidden({ file: fileName, host: "h", status: 403 })
              if (fileName === "a.bai")
                return yield* new FileDamaged({ file: fileName, fault: "IndexMismatch", reason: "no" })
              return outcome
            })
        })
        for (const index of ["a.bai", "a.bam.bai"]) assert.isBelow(order.indexOf("a.bam"), order.indexOf(index))
        assert.notInclude(order, "b.bam.bai")
        assert.deepStrictEqual(results.map(shown), [
          "b.bam.bai failed SvcLinkForbidden",
          "a.bai failed SvcFileDamaged",
          "a.bam downloaded",
          "a.bam.bai downloaded",
          "b.bam failed SvcLinkForbidden",
          "alone.bam.bai downloaded"
        ])
      })
  )

  it.effect(
    "indexes of kept files are made when all has come, as many at a time as files; none when all is withheld",
    () =>
      Effect.gen(function* () {
        const keptFiles = Array.from({ length: 6 }, (_, i) =>
          file(`${i}.bam`, { makesIndex: true, decision: { _tag: "Skip", reason: "exists" } })
        )
        const files = [...keptFiles, file("new.bam")]
        for (const withheld of [false, true]) {
          const order: Array<string> = []
          let [now, most] = [0, 0]
          const whole = ({ fileName }: TransferRequest) =>
            Effect.as(
              Effect.sync(() => order.push(fileName)),
              outcome
            )
          const index: Engines["index"] = ({ name }) =>
            Effect.gen(function* () {
              order.push(`${name}.bai`)
              most = Math.max(most, ++now)
              yield* Effect.yieldNow
              now--
              return { name: `${name}.bai`, bytes: 3, sha256: "cd" }
            })
          const { results } = yield* going(files, { whole, index, withheld, connections: 3 })
          const made = keptFiles.map(({ fileName }) => `${fileName}.bai`)
          assert.deepStrictEqual([order, most], withheld ? [[], 0] : [["new.bam", ...made], 3])
          const indexes = results.flatMap((result) => (result._tag === "Kept" ? [result.index?.path] : []))
          assert.deepStrictEqual(indexes, withheld ? made.map(() => undefined) : made)
        }
      })
  )

  it.effect("lines of the log about a file say which, of one that is kept too", () =>
    Effect.gen(function* () {
      const about: Array<unknown> = []
      const files = [
        file("kept.bam", { makesIndex: true, decision: { _tag: "Skip", reason: "exists" } }),
        file("new.bam", { makesIndex: true })
      ]
      const index = () =>
        Effect.map(References.CurrentLogAnnotations, (fields) => {
          about.push(fields)
          return null
        })
      yield* going(files, { whole: () => Effect.succeed(outcome), index, connections: 1 })
      assert.deepStrictEqual(about, [
        { analysis: "A1", file: "new.bam" },
        { analysis: "A1", file: "kept.bam" }
      ])
    })
  )

  it.effect("P11 a thousand files that all fail: work at a time stays bounded, each result is in its place", () =>
    Effect.gen(function* () {
      let [now, most] = [0, 0]
      const files = Array.from({ length: 1_000 }, (_, i) => file(`${i}.bam`))
      const { results, seen } = yield* going(files, {
        whole: Effect.fnUntraced(function* ({ fileName }) {
          most = Math.max(most, ++now)
          yield* Effect.yieldNow
          now--
          return yield* new Unavailable({ host: "files", reason: `500 for ${fileName}`, attempts: 9 })
        })
      })
      assert.strictEqual(most, 4)
      assert.strictEqual(seen.length, files.length)
      assert.deepStrictEqual(
        results.map(rowOf).map(({ error, fileName }) => `${fileName} ${error?._tag}`),
        files.map(({ fileName }) => `${fileName} SvcUnavailable`)
      )
    })
  )

  it.effect("a transfer is asked with the identity of the file, its link, and a way to renew it", () =>
    Effect.gen(function* () {
      const asked: Array<TransferRequest> = []
      yield* going([file("a.bam")], {
        whole: (request) =>
          Effect.as(
            Effect.sync(() => asked.push(request)),
            outcome
          )
      })
      const [request] = asked
      const names = { analysisId: "A1", fileName: "a.bam", name: "a.bam" }
      assert.deepInclude(request, { target: "https://lab/", ...names, size: 7 })
      assert.strictEqual(request === undefined ? "" : Redacted.value(request.link), "first a.bam")
      const fresh = request?.renewLink == null ? null : yield* request.renewLink
      assert.strictEqual(fresh === null ? "" : Redacted.value(fresh.link), "second a.bam")
    })
  )
})

const content: SliceWish = { wanted: Result.getOrThrow(parseRange("chr1:1-100")), unmapped: false }
const slice = (fileName: string, some: Partial<PlannedFile> = {}) =>
  plannedFile(fileName, {
    size: null,
    slice: { name: fileName.replace(".bam", ".ranged.bam"), indexFile: `${fileName}.bai`, content, estimate: null },
    ...some
  })
const cutOutcome: SliceOutcome = {
  action: "downloaded",
  bytes: 900,
  sha256: "ab",
  regions: "chr1:1-100 {chr 2}:1-9",
  records: 12,
  index: { name: "S.ranged.bam.bai", bytes: 96, sha256: "cd" },
  fetched: 5000,
  warnings: ["S.bam: its end is missing"],
  attempts: 5,
  renewals: 1
}

layer(Layer.merge(NodeServices.layer, noCodec), { excludeTestServices: true })("a run of slices", (it) => {
  const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())
  it.effect("asks for a slice with both files and its own name, and says all that it got", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const asked: Array<SliceRequest> = []
      const { results } = yield* going([slice("S.bam", { folder: "A1" })], {
        destination: root,
        cut: (request) =>
          Effect.as(
            Effect.sync(() => asked.push(request)),
            cutOutcome
          )
      })
      const [[result], [request]] = [results, asked]
      const directory = `${root}/A1`
      assert.deepInclude(request, { name: "S.ranged.bam", directory, kind: "bam", overwrite: false })
      assert.deepStrictEqual([request?.data.fileName, request?.index.fileName], ["S.bam", "S.bam.bai"])
      assert.deepStrictEqual(request === undefined ? null : yield* request.existing, { _tag: "Absent" })
      const row = result === undefined ? null : rowOf(result)
      assert.isAtLeast(row?.finishedAt?.getTime() ?? 0, row?.startedAt?.getTime() ?? Number.NaN)
      assert.deepStrictEqual(row === null ? null : { ...row, seconds: 0, startedAt: null, finishedAt: null }, {
        analysisId: "A1",
        fileName: "S.bam",
        path: `${root}/A1/S.ranged.bam`,
        action: "downloaded",
        reason: null,
        bytes: 900,
        listedBytes: null,
        resumedFrom: 0,
        sha256: "ab",
        provenBy: "records",
        regions: ["chr1:1-100", "{chr 2}:1-9"],
        records: 12,
        index: { path: `${root}/A1/S.ranged.bam.bai`, bytes: 96, sha256: "cd" },
        fetched: 5000,
        warnings: ["S.bam: its end is missing"],
        attempts: 5,
        renewals: 1,
        seconds: 0,
        startedAt: null,
        finishedAt: null,
        restoration: null,
        error: null
      })
    })
  )

  it.effect("a slice that is there is skipped; a summary of many regions stays one", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const summary = "900 regions, CRC-32 0123abcd"
      const index = { name: "S.ranged.bam.bai", bytes: 7, sha256: null }
      const kept = { action: "exists", sha256: null, records: null, index, regions: summary } as const
      const { results } = yield* going([slice("S.bam")], {
        destination: root,
        cut: () => Effect.succeed({ ...cutOutcome, ...kept })
      })
      const [result] = results
      const found = result?._tag === "Kept" ? result : null
      assert.deepInclude(found?.index, { bytes: 7, sha256: null })
      assert.deepStrictEqual(found?.regions, [summary])
    })
  )

  it.effect("a slice that fails stops no other, and one without an index is not found", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const alone = slice("alone.bam", {
        slice: { name: "alone.ranged.bam", indexFile: null, content, estimate: null }
      })
      const { results } = yield* going([slice("bad.bam"), alone, slice("S.bam")], {
        destination: root,
        cut: ({ data }) =>
          data.fileName === "bad.bam"
            ? Effect.fail(new LinkForbidden({ file: "bad.bam", host: "h", status: 403 }))
            : Effect.succeed(cutOutcome)
      })
      assert.deepStrictEqual(
        results.map(rowOf).map(({ action, error }) => `${action} ${error?._tag}`),
        ["failed SvcLinkForbidden", "failed SvcNotFound", "downloaded undefined"]
      )
    })
  )

  it.effect("a folder that cannot be made fails its files, with what stands in its place or the system's reason", () =>
    Effect.gen(function* () {
      const [fs, destination] = [yield* FileSystem.FileSystem, yield* folder]
      yield* fs.writeFile(`${destination}/A1`, new Uint8Array(1))
      const into = (folder: string) =>
        Effect.map(going([slice("S.bam", { folder })], { destination }), ({ results }) => results[0])
      const blocked = yield* into("A1")
      const errorOf = (result: FileResult | undefined) => (result === undefined ? null : rowOf(result).error)
      assert.strictEqual(errorOf(blocked)?._tag, "SvcCannotCreate")
      assert.match(errorOf(blocked)?.message ?? "", /not a folder is in its place/)
      const readOnly = PlatformError.systemError({
        _tag: "PermissionDenied",
        module: "FileSystem",
        method: "makeDirectory",
        cause: Object.assign(new Error("read-only"), { code: "EROFS" })
      })
      const refused = yield* into("A2").pipe(
        Effect.provideService(FileSystem.FileSystem, { ...fs, makeDirectory: () => Effect.fail(readOnly) })
      )
      assert.strictEqual(errorOf(refused)?._tag, "SvcLocalIo")
      assert.match(errorOf(refused)?.message ?? "", /read-only|EROFS/)
    })
  )
})
