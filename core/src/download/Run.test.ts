import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Redacted, Ref, References } from "effect"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { FileDamaged, InArchive, LinkForbidden, NotFound, Unavailable } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { rowOf } from "../report/Report.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { TransferRequest } from "../transfer/TransferRequest.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import type { FileResult } from "./FileResult.ts"
import { run } from "./Run.ts"
import { Listener } from "./RunEvents.ts"
import type { RunLinks } from "./RunLinks.ts"

const file = (fileName: string, some: Partial<PlannedFile> = {}): PlannedFile => ({
  analysisId: AnalysisId.make("A1"),
  fileName,
  type: fileName.endsWith(".bai") ? "bam.bai" : "bam",
  folder: "",
  size: 7,
  archived: false,
  estimatedRestoreTime: null,
  hasLink: true,
  slice: null,
  decision: { _tag: "Fetch" },
  ...some
})

const outcome = { bytes: 7, resumedFrom: 0, sha256: "ab", attempts: 1, renewals: 0, provenBy: null }
const links: RunLinks = {
  lend: ({ fileName }) =>
    fileName === "nolink.bam"
      ? Effect.fail(new NotFound({ what: "link" }))
      : Effect.succeed({
          link: Redacted.make("first"),
          size: 7,
          renewLink: Effect.succeed({ link: Redacted.make("second"), size: 7 })
        })
}
const noCodec = Layer.succeed(
  Codec,
  Codec.here({ inflateRaw: () => null, gunzip: () => null, deflateRaw: (bytes) => bytes, crc32: () => 0 })
)

const going = Effect.fnUntraced(function* (
  files: ReadonlyArray<PlannedFile>,
  download: FileTransfer["Service"]["download"],
  connections = 4,
  { index, withheld }: { readonly index: FileTransfer["Service"]["index"]; readonly withheld?: boolean } = {
    index: () => Effect.succeed(null)
  }
) {
  const seen: Array<FileResult> = []
  const plan = { files, failures: [], warnings: [] }
  const request = {
    target: "https://lab/",
    destination: ".",
    overwrite: false,
    check: "structure" as const,
    checksums: null,
    connections,
    ...(withheld === undefined ? {} : { withheld })
  }
  const results = yield* run(plan, links, request).pipe(
    Effect.provideService(Listener, (event) =>
      Effect.sync(() => void (event._tag === "Finished" && seen.push(event.result)))
    ),
    Effect.provideService(FileTransfer, {
      download,
      vouch: () => Effect.succeed(true),
      index,
      tidy: () => Effect.void
    }),
    Effect.provideService(SliceTransfer, {
      download: () => Effect.die("no slice"),
      estimate: () => Effect.die("no slice"),
      tidy: () => Effect.void
    })
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
      const { results, seen } = yield* going(files, ({ fileName }) => {
        const failure = failures[fileName]
        if (failure !== undefined) return Effect.fail(failure)
        return Effect.succeed(
          fileName === "there.bam"
            ? { ...outcome, action: "exists", sha256: null }
            : { ...outcome, action: "downloaded" }
        )
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
      const download = Effect.fnUntraced(function* ({ fileName, progress }: TransferRequest) {
        nanos += 2_500_000_000n
        set(-7_200_000)
        if (fileName === "good.bam") return { ...outcome, action: "downloaded" as const }
        yield* progress({ _tag: "GivenUp", attempts: 9, renewals: 2 })
        return yield* new LinkForbidden({ file: fileName, host: "h", status: 403 })
      })
      const { results } = yield* going([file("bad.bam"), file("good.bam")], download, 1).pipe(
        Effect.provideService(Clock.Clock, { ...clock, monotonicTimeNanos: Effect.sync(() => nanos) })
      )
      assert.deepInclude(results.map(rowOf)[0], { action: "failed", attempts: 9, renewals: 2, seconds: 2.5 })
      assert.deepInclude(results.map(rowOf)[1], { action: "downloaded", attempts: 1, renewals: 0, seconds: 2.5 })
    })
  )

  it.effect("an index comes after its data file, and not at all when that failed", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const files = ["b.bam.bai", "a.bam", "a.bam.bai", "b.bam", "alone.bam.bai"].map((name) => file(name))
      const { results } = yield* going(files, ({ fileName }) =>
        Effect.suspend(() => {
          order.push(fileName)
          return fileName === "b.bam"
            ? Effect.fail(new LinkForbidden({ file: fileName, host: "h", status: 403 }))
            : Effect.succeed({ ...outcome, action: "downloaded" as const })
        })
      )
      assert.isBelow(order.indexOf("a.bam"), order.indexOf("a.bam.bai"))
      assert.notInclude(order, "b.bam.bai")
      assert.deepStrictEqual(results.map(shown), [
        "b.bam.bai failed SvcLinkForbidden",
        "a.bam downloaded",
        "a.bam.bai downloaded",
        "b.bam failed SvcLinkForbidden",
        "alone.bam.bai downloaded"
      ])
    })
  )

  it.effect("an index that fails is no reason to leave out the other index of its data file", () =>
    Effect.gen(function* () {
      const files = ["a.bai", "a.bam", "a.bam.bai"].map((name) => file(name))
      const { results } = yield* going(files, ({ fileName }) =>
        fileName === "a.bai"
          ? Effect.fail(new FileDamaged({ file: fileName, fault: "IndexMismatch", reason: "it is of b.bam" }))
          : Effect.succeed({ ...outcome, action: "downloaded" as const })
      )
      assert.deepStrictEqual(results.map(shown), [
        "a.bai failed SvcFileDamaged",
        "a.bam downloaded",
        "a.bam.bai downloaded"
      ])
    })
  )

  it.effect("no more files at a time than asked for", () =>
    Effect.gen(function* () {
      const [now, most] = [yield* Ref.make(0), yield* Ref.make(0)]
      const gate = yield* Deferred.make<void>()
      const files = Array.from({ length: 9 }, (_, i) => file(`${i}.bam`))
      const fiber = yield* Effect.forkChild(
        going(
          files,
          () =>
            Effect.gen(function* () {
              const count = yield* Ref.updateAndGet(now, (n) => n + 1)
              yield* Ref.update(most, (n) => Math.max(n, count))
              yield* Deferred.await(gate)
              yield* Effect.yieldNow
              yield* Ref.update(now, (n) => n - 1)
              return { ...outcome, action: "downloaded" as const }
            }),
          3
        )
      )
      while ((yield* Ref.get(now)) < 3) yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      assert.strictEqual(yield* Ref.get(most), 3)
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
          const download = ({ fileName }: TransferRequest) =>
            Effect.sync(() => {
              order.push(fileName)
              return { ...outcome, action: "downloaded" as const }
            })
          const index: FileTransfer["Service"]["index"] = ({ name }) =>
            Effect.gen(function* () {
              order.push(`${name}.bai`)
              most = Math.max(most, ++now)
              yield* Effect.yieldNow
              now--
              return { name: `${name}.bai`, bytes: 3, sha256: "cd" }
            })
          const { results } = yield* going(files, download, 3, { index, withheld })
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
      const download = () => Effect.succeed({ ...outcome, action: "downloaded" as const })
      yield* going(files, download, 1, { index })
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
      const { results, seen } = yield* going(files, ({ fileName }) =>
        Effect.gen(function* () {
          most = Math.max(most, ++now)
          yield* Effect.yieldNow
          now--
          return yield* new Unavailable({ host: "files", reason: `500 for ${fileName}`, attempts: 9 })
        })
      )
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
      yield* going([file("a.bam")], (request) => {
        asked.push(request)
        return Effect.succeed({ ...outcome, action: "downloaded" })
      })
      const [request] = asked
      assert.deepInclude(request, {
        target: "https://lab/",
        analysisId: "A1",
        fileName: "a.bam",
        name: "a.bam",
        size: 7
      })
      assert.strictEqual(request === undefined ? "" : Redacted.value(request.link), "first")
      const fresh = request?.renewLink == null ? null : yield* request.renewLink
      assert.strictEqual(fresh === null ? "" : Redacted.value(fresh.link), "second")
    })
  )
})
