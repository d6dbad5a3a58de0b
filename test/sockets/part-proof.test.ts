/** What an earlier run left is read before it is gone on with: what is not as it came is fetched again, and no more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { patterned, type Script } from "../transfer/ScriptedHost.ts"
import { at, type GroundOptions, ground, kib, mib, succeeds } from "../transfer/TransferGround.ts"

/** Sends so much of each reply, and then nothing. */
const stallingAfter =
  (length: number): Script =>
  (_, good) => ({
    ...good,
    body: [
      ...good.body.flatMap((step) => (step instanceof Uint8Array ? [step.subarray(0, length)] : [])),
      { wait: 1e9 }
    ]
  })

/** A run that was stopped when each connection had brought `length` bytes, and the ground of the next, which finds what it left. */
const stopped = Effect.fnUntraced(function* (length: number, options: GroundOptions) {
  const first = ground({ ...options, script: stallingAfter(length) })
  const fiber = yield* Effect.forkChild(first.download)
  yield* TestClock.adjust("10 seconds")
  yield* Fiber.interrupt(fiber)
  const next = ground(options)
  for (const [name, bytes] of first.disk.files) next.disk.files.set(name, bytes)
  const named = (suffix: string) => next.disk.names.find((name) => name.endsWith(suffix)) ?? ""
  const part = () => next.disk.files.get(named(".part")) ?? new Uint8Array(0)
  return {
    ...next,
    part,
    cut: (size: number) => next.disk.files.set(named(".part"), part().slice(0, size)),
    flip: (place: number) => {
      part()[place] = (part()[place] ?? 0) ^ 0x10
    },
    journal: () => JSON.parse(new TextDecoder().decode(next.disk.files.get(named(".json")))),
    rewriteJournal: (journal: unknown) =>
      next.disk.files.set(named(".json"), new TextEncoder().encode(JSON.stringify(journal))),
    /** What was asked of the link host, in ascending order. */
    ranges: () =>
      next.links.seen
        .map(({ range }) => /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [])
        .map(([, first, last]) => [Number(first), Number(last) + 1] as const)
        .sort(([one], [other]) => one - other),
    told: () => next.events.filter(({ _tag }) => _tag === "Refetching" || _tag === "Restarting")
  }
})

describe("FileTransfer, a part proves itself", () => {
  it.effect("K12 a byte that changed since costs its span, not the part", () =>
    Effect.gen(function* () {
      const g = yield* stopped(20 * mib, { size: 30 * mib })
      g.flip(9 * mib)
      assert.strictEqual((yield* succeeds(g)).resumedFrom, 12 * mib)
      assert.deepStrictEqual(g.ranges(), [
        [8 * mib, 16 * mib],
        [20 * mib, 30 * mib]
      ])
      assert.deepStrictEqual(g.told(), [
        {
          _tag: "Refetching",
          bytes: 8 * mib,
          reason: `bytes ${8 * mib}-${16 * mib - 1} of the unfinished file are not those that came`
        }
      ])
    })
  )

  it.effect("K12 what several connections brought is proven wherever it lies", () =>
    Effect.gen(function* () {
      const g = yield* stopped(12 * mib, { size: 160 * mib })
      for (const place of [0, 11 * mib, 40 * mib, 65 * mib]) g.flip(place)
      // Three pieces stopped after 12 MiB, one of the smaller ones near the end had its 8.
      const proven = (3 * 12 + 8) * mib - (12 + 4 + 8) * mib
      assert.strictEqual((yield* succeeds(g)).resumedFrom, proven)
      const asked = g.ranges()
      assert.strictEqual(
        asked.reduce((sum, [start, end]) => sum + end - start, 0),
        160 * mib - proven
      )
      assert.deepStrictEqual(asked.slice(0, 2), [
        [0, 32 * mib],
        [40 * mib, 64 * mib]
      ])
      assert.strictEqual(g.told().length, 1)
    })
  )

  it.effect("K12 a part that is as it was left is read once, and nothing of it is fetched", () =>
    Effect.gen(function* () {
      const g = yield* stopped(20 * mib, { size: 30 * mib })
      const before = g.disk.log.length
      assert.strictEqual((yield* succeeds(g)).resumedFrom, 20 * mib)
      assert.deepStrictEqual(g.ranges(), [[20 * mib, 30 * mib]])
      assert.deepStrictEqual(g.told(), [])
      assert.strictEqual(g.disk.log.slice(before).filter((operation) => operation === "read").length, 20)
    })
  )

  it.effect("K12 a part that lost its end or cannot be read here and there loses that, and a part of zeros all", () =>
    Effect.gen(function* () {
      const short = yield* stopped(20 * mib, { size: 30 * mib })
      short.cut(17 * mib)
      assert.strictEqual((yield* succeeds(short)).resumedFrom, 16 * mib)

      const unreadable = yield* stopped(20 * mib, { size: 30 * mib })
      unreadable.disk.fails = (operation, count) => (operation === "read" && count === 3 ? "EIO" : null)
      assert.strictEqual((yield* succeeds(unreadable)).resumedFrom, 12 * mib)

      const zeros = yield* stopped(20 * mib, { size: 30 * mib })
      zeros.part().fill(0)
      assert.strictEqual((yield* succeeds(zeros)).resumedFrom, 0)
      assert.deepInclude(zeros.told()[0], { _tag: "Refetching", bytes: 20 * mib })
    })
  )

  it.effect("K12 without a strong entity tag the bytes before a hole are proven ones, and are compared", () =>
    Effect.gen(function* () {
      const g = yield* stopped(20 * mib, { size: 30 * mib, etag: null })
      g.flip(9 * mib)
      yield* succeeds(g)
      assert.deepStrictEqual(g.ranges(), [
        [8 * mib - 64 * kib, 16 * mib],
        [20 * mib - 64 * kib, 30 * mib]
      ])
    })
  )

  it.effect("K12 what is stopped again and again is proven from its first byte each time", () =>
    Effect.gen(function* () {
      const g = yield* stopped(5 * mib, { size: 30 * mib, connections: 1 })
      const second = ground({ size: 30 * mib, connections: 1, script: stallingAfter(5 * mib) })
      for (const [name, bytes] of g.disk.files) second.disk.files.set(name, bytes)
      const fiber = yield* Effect.forkChild(second.download)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.interrupt(fiber)
      for (const [name, bytes] of second.disk.files) g.disk.files.set(name, bytes)
      assert.deepStrictEqual(
        g.journal().spans.map(([start, end]: ReadonlyArray<number>) => [start, end]),
        [
          [0, 8 * mib],
          [8 * mib, 10 * mib]
        ]
      )
      g.flip(2 * mib)
      assert.strictEqual((yield* succeeds(g)).resumedFrom, 2 * mib)
    })
  )

  it.effect("K12 a part that an earlier version left without checksums is begun anew, and that is said", () =>
    Effect.gen(function* () {
      const g = yield* stopped(100 * kib, { size: 200 * kib })
      const { spans, ...journal } = g.journal()
      g.rewriteJournal({ ...journal, schema: "svc.part/1", durable: [[0, 100 * kib]] })
      assert.strictEqual((yield* succeeds(g)).resumedFrom, 0)
      assert.deepStrictEqual(
        g.told().map(({ _tag }) => _tag),
        ["Restarting"]
      )
      assert.strictEqual(spans.length, 1)
    })
  )

  it.effect("K1 when a full disk takes not even the journal, the next run goes on from the last one", () =>
    Effect.gen(function* () {
      const size = 12 * mib
      const g = ground({
        size,
        script: at(0, (good) => ({
          ...good,
          body: [
            patterned(size).subarray(0, 2 * mib),
            { wait: 11_000 },
            patterned(size).subarray(2 * mib, 4 * mib),
            { wait: 1e9 }
          ]
        }))
      })
      // The first is empty, the second is written when 4 MiB are there.
      g.disk.fails = (operation, count) => (operation === "journal" && count > 2 ? "ENOSPC" : null)
      const fiber = yield* Effect.forkChild(g.download)
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.interrupt(fiber)
      g.disk.fails = () => null
      assert.isAtLeast((yield* succeeds(g)).resumedFrom, 2 * mib)
      assert.isFalse(g.events.some(({ _tag }) => _tag === "Refetching"))
    })
  )
})
