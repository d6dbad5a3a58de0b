/** A file from one run to the next: what is kept, checked, replaced and continued. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { leftBeside } from "../../core/src/transfer/PartFiles.ts"
import { cutAfter, patterned, type Script, type ScriptedReply } from "./ScriptedHost.ts"
import { always, at, failure, ground, kib, mib, succeeds } from "./TransferGround.ts"

/** Of 200 KiB 120 come. */
const half: Script = at(0, (good) => ({ ...good, body: [patterned(200 * kib).subarray(0, 120 * kib), { wait: 1e9 }] }))

/** Stops a download in mid-file. */
const stop = Effect.fnUntraced(function* (g: ReturnType<typeof ground>) {
  const fiber = yield* Effect.forkChild(g.download)
  yield* TestClock.adjust("10 seconds")
  yield* Fiber.interrupt(fiber)
})

describe("FileTransfer, runs", () => {
  it.effect("P4 an interrupted run keeps what it has, gives the claim back, and the next one resumes", () =>
    Effect.gen(function* () {
      const g = ground({ script: half })
      yield* stop(g)
      assert.strictEqual(g.disk.claimed.size, 0)
      const outcome = yield* succeeds(g)
      assert.strictEqual(outcome.resumedFrom, 120 * kib)
      assert.deepInclude(g.links.seen[1], { range: `bytes=${120 * kib}-${200 * kib - 1}` })
    })
  )

  it.effect(
    "K2 a resume needs room for what is not there yet, to the byte; a disk with less leaves the part as it is",
    () =>
      Effect.gen(function* () {
        const g = ground({ script: half })
        yield* stop(g)
        const { names } = g.disk
        g.disk.freeBytes = 80 * kib - 1
        assert.deepInclude(yield* failure(g), { _tag: "SvcLocalIo", errno: "ENOSPC" })
        assert.deepStrictEqual(g.disk.names, names)
        g.disk.freeBytes = 80 * kib
        assert.deepInclude(yield* succeeds(g), { resumedFrom: 120 * kib })
        // What is as it came is not worth a word.
        assert.notInclude(
          g.events.map(({ _tag }) => _tag),
          "Refetching"
        )
      })
  )

  it.effect("H3 where no tag tells, a file that has another date in the next run begins anew", () =>
    Effect.gen(function* () {
      const dated =
        (day: number, script: Script): Script =>
        (seen, good) =>
          script(seen, { ...good, headers: { ...good.headers, "last-modified": `Fri, 0${day} Jan 2026 00:00:00 GMT` } })
      const g = ground({ etag: null, script: dated(2, half) })
      yield* stop(g)
      // Only its header is another.
      const bytes = patterned(200 * kib).fill(0, 0, kib)
      const next = ground({ bytes, etag: null, script: dated(9, (_, good) => good) })
      for (const [name, bytes] of g.disk.files) next.disk.files.set(name, bytes)
      assert.deepInclude(yield* succeeds(next), { resumedFrom: 0 })
    })
  )

  it.effect("what a run left without its journal goes when the file is tidied; what the next run can use stays", () =>
    Effect.gen(function* () {
      const g = ground({ script: half })
      yield* stop(g)
      const { names } = g.disk
      const tidied = Effect.forEach(leftBeside("out", "s.bam", names), (place) =>
        Effect.provide(
          FileTransfer.use(({ tidy }) => tidy(place)),
          g.layer
        )
      )
      yield* tidied
      assert.deepStrictEqual(g.disk.names, names)
      for (const name of names) if (name.endsWith(".json")) g.disk.files.delete(name)
      yield* tidied
      assert.deepStrictEqual(g.disk.names, [])
    })
  )

  it.effect("P4 a run that is interrupted while the whole file is checked leaves nothing to fetch", () =>
    Effect.gen(function* () {
      const checking = yield* Deferred.make<void>()
      const check = () => Effect.andThen(Deferred.succeed(checking, undefined), Effect.never)
      const stopped = ground({ request: { check } })
      const fiber = yield* Effect.forkChild(stopped.download)
      yield* Deferred.await(checking)
      yield* Fiber.interrupt(fiber)
      const next = ground()
      for (const [name, bytes] of stopped.disk.files) next.disk.files.set(name, bytes)
      assert.deepInclude(yield* succeeds(next), { resumedFrom: 200 * kib, attempts: 0 })
    })
  )

  /** Ten KiB come every two seconds. */
  const slowly: Script = at(0, (good) => {
    const drop = (n: number) => [patterned(200 * kib).subarray(n * 10 * kib, (n + 1) * 10 * kib), { wait: 2000 }]
    return { ...good, body: Array.from({ length: 20 }, (_, n) => drop(n)).flat() }
  })
  const noted = ({ disk }: ReturnType<typeof ground>): ReadonlyArray<ReadonlyArray<number>> => {
    const journal = disk.files.get(disk.names.find((name) => name.endsWith(".json")) ?? "")
    return JSON.parse(new TextDecoder().decode(journal)).spans.map((span: ReadonlyArray<number>) => span.slice(0, 2))
  }

  it.effect("P3 what a slow file has is noted every ten seconds: a kill costs no more", () =>
    Effect.gen(function* () {
      const g = ground({ script: slowly })
      const fiber = yield* Effect.forkChild(g.download)
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(noted(g), [])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(noted(g), [[0, 60 * kib]])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(noted(g), [[0, 160 * kib]])
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      g.delivered()
    })
  )

  it.effect("K1 after a sync that failed nothing more is noted: the system tells of lost bytes once", () =>
    Effect.gen(function* () {
      const g = ground({ script: slowly })
      g.disk.fails = (operation, count) => (operation === "sync" && count === 2 ? "EIO" : null)
      assert.strictEqual((yield* Effect.flip(yield* g.run))._tag, "SvcLocalIo")
      assert.deepStrictEqual(noted(g), [[0, 60 * kib]])
    })
  )

  it.effect("H6 a part that is complete is checked and committed without a request", () =>
    Effect.gen(function* () {
      const g = ground()
      g.disk.fails = (operation) => (operation === "commit" ? "EIO" : null)
      assert.strictEqual((yield* failure(g))._tag, "SvcLocalIo")
      g.disk.fails = () => null
      // The part was not flushed after its last byte, so it is fetched or kept; either way it must be whole.
      yield* succeeds(g)
    })
  )

  it.effect("P8 two runs of the same file: one writes it, the other is told", () =>
    Effect.gen(function* () {
      const g = ground({ script: always((good) => ({ ...good, delay: 1000 })) })
      const both = yield* Effect.forkChild(Effect.all([g.download, g.download].map(Effect.exit), { concurrency: 2 }))
      yield* TestClock.adjust("1 minute")
      const [one, other] = yield* Fiber.join(both)
      assert.isTrue(one !== undefined && Exit.isSuccess(one))
      assert.isTrue(other !== undefined && Exit.isFailure(other))
      if (other !== undefined) assert.strictEqual((yield* Effect.flip(other))._tag, "SvcBusy")
      g.delivered()
    })
  )

  const late = always((good) => ({ ...good, delay: 10_000 }))
  it.effect.each([
    ["before its first byte", 1, late],
    ["between two syncs", 11, slowly]
  ] as const)(
    "P9 a run whose part was taken over %s, although it held the claim, does not commit",
    ([, seconds, script]) =>
      Effect.gen(function* () {
        const g = ground({ script })
        const fiber = yield* Effect.forkChild(Effect.exit(g.download))
        yield* TestClock.adjust(`${seconds} seconds`)
        const name = g.disk.names.find((each) => each.endsWith(".json")) ?? ""
        const journal = () => JSON.parse(new TextDecoder().decode(g.disk.files.get(name)))
        g.disk.files.set(name, new TextEncoder().encode(JSON.stringify({ ...journal(), writer: "another" })))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Effect.flip(yield* Fiber.join(fiber)))._tag, "SvcBusy")
        assert.isFalse(g.disk.files.has("s.bam"))
        assert.strictEqual(journal().writer, "another")
      })
  )

  it.effect("P9 a journal that somebody removed names no other run: the file comes", () =>
    Effect.gen(function* () {
      const g = ground({ script: slowly })
      const fiber = yield* Effect.forkChild(g.download)
      yield* TestClock.adjust("11 seconds")
      for (const name of g.disk.names) if (name.endsWith(".json")) g.disk.files.delete(name)
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      g.delivered()
    })
  )

  it.effect("a part whose bytes are fewer than its journal says is not trusted", () =>
    Effect.gen(function* () {
      const g = ground({ script: at(0, (good) => cutAfter(good, 100 * kib)) })
      const fiber = yield* Effect.forkChild(g.download)
      // No time passes: the pause before the next request, which is left to chance, cannot end.
      while (!g.events.some(({ _tag }) => _tag === "Retrying")) yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      const part = g.disk.names.find((each) => each.endsWith(".part")) ?? ""
      g.disk.files.set(part, new Uint8Array(5))
      assert.deepInclude(yield* succeeds(g), { resumedFrom: 0 })
    })
  )

  it.effect(
    "H3 the part of a file that was replaced by one of another size goes; a size that was not listed before keeps it",
    () =>
      Effect.gen(function* () {
        /** What the next run says, which finds what a run left that was stopped in mid-file. */
        const outcomeAfter = Effect.fnUntraced(function* (listed: number | null, next: ReturnType<typeof ground>) {
          const stopped = ground({ script: half, request: { size: listed } })
          yield* stop(stopped)
          for (const [name, bytes] of stopped.disk.files) next.disk.files.set(name, bytes)
          return yield* succeeds(next)
        })
        assert.deepInclude(yield* outcomeAfter(200 * kib, ground({ size: 150 * kib, etag: '"v2"' })), {
          resumedFrom: 0
        })
        assert.deepInclude(yield* outcomeAfter(200 * kib, ground({ size: 250 * kib, etag: '"v2"' })), {
          resumedFrom: 0
        })
        assert.deepInclude(yield* outcomeAfter(null, ground()), { resumedFrom: 120 * kib })
      })
  )

  it.effect("a listing without a size takes the size of the link host", () =>
    Effect.gen(function* () {
      yield* succeeds(ground({ request: { size: null } }))
      yield* succeeds(ground({ size: 70 * mib, request: { size: null } }))
      const chunked: Script = ({ object, range }, good) =>
        range === null
          ? { ...good, headers: {}, body: [object.bytes] }
          : { ...good, status: 200, headers: {}, body: [object.bytes] }
      yield* succeeds(ground({ request: { size: null }, script: chunked }))
      const endless = ground({
        request: { size: null },
        script: (seen, good) => ({ ...(chunked(seen, good) as ScriptedReply), framed: false })
      })
      assert.strictEqual((yield* failure(endless))._tag, "SvcLinkProtocol")
    })
  )
})
