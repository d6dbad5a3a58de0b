/** Connections that break, stay silent or are slow. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { LinkBroken } from "../../core/src/transfer/LinkHost.ts"
import { makeJumpingClock } from "../JumpingClock.ts"
import { cutAfter, host, patterned, type Script } from "../transfer/ScriptedHost.ts"
import { always, at, failure, ground, kib, mib, succeeds } from "../transfer/TransferGround.ts"

describe("FileTransfer, network", () => {
  it.effect("N1 a refused connection is tried eight times more, then the host is unavailable", () =>
    Effect.gen(function* () {
      const refused = new LinkBroken({ host, fault: "Connect", reason: "connection refused" })
      const g = ground({ script: always(() => refused) })
      const error = yield* failure(g)
      assert.deepInclude(error, { _tag: "SvcUnavailable", host, attempts: 9 })
      assert.strictEqual(g.links.seen.length, 9)
      assert.deepStrictEqual(g.events.at(-1), { _tag: "GivenUp", attempts: 9, renewals: 0 })
      assert.deepStrictEqual(g.disk.names, [])
    })
  )

  it.effect("N10 a connection without a byte is given up at the idle limit", () =>
    Effect.gen(function* () {
      const stalling: Script = at(0, (good) => ({ ...good, body: [patterned(100 * kib), { wait: 1e9 }] }))
      const g = ground({ script: stalling })
      const fiber = yield* Effect.forkChild(g.download)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(g.links.seen.length, 1)
      yield* TestClock.adjust("4 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { attempts: 2 })
      g.delivered()
    })
  )

  it.effect("C1 a clock that is set forward does not make a good connection a slow one", () =>
    Effect.gen(function* () {
      const { clock, set } = yield* makeJumpingClock
      const bytes = patterned(100 * kib)
      const g = ground({
        bytes,
        script: always((good) => ({ ...good, body: [bytes.subarray(0, kib), { wait: 1000 }, bytes.subarray(kib)] }))
      })
      const fiber = yield* Effect.forkChild(g.download.pipe(Effect.provideService(Clock.Clock, clock)))
      yield* TestClock.adjust("500 millis")
      set(24 * 3_600_000)
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(yield* Fiber.join(fiber), { attempts: 1 })
      g.delivered()
    })
  )

  it.effect("N11 one byte per five seconds is too slow, 100 KiB per second for an hour is not", () =>
    Effect.gen(function* () {
      const drip = Array.from({ length: 100 }, (_, i) => [
        { wait: 5000 },
        patterned(200 * kib).subarray(i, i + 1)
      ]).flat()
      const g = ground({ script: at(0, (good) => ({ ...good, body: drip })) })
      yield* succeeds(g)
      const reasons = g.events.flatMap((event) => (event._tag === "Retrying" ? [event.reason] : []))
      assert.deepStrictEqual(reasons, ["sends less than 1 KiB per second"])

      const size = 60 * mib
      const bytes = patterned(size)
      const steady = Array.from({ length: size / (100 * kib) + 1 }, (_, i) => [
        { wait: 1000 },
        bytes.subarray(i * 100 * kib, (i + 1) * 100 * kib)
      ]).flat()
      const slow = ground({ size, script: at(0, (good) => ({ ...good, body: steady })) })
      const outcome = yield* succeeds(slow)
      assert.strictEqual(outcome.attempts, 1)
      assert.isAbove(slow.seconds(), 600)
    })
  )

  it.effect("N11 a connection that waits for its share of --limitRate is not too slow, and not silent", () =>
    Effect.gen(function* () {
      const size = 200 * kib
      const bytes = patterned(size)
      // 20 KiB take longer than the idle limit, and 120 KiB longer than a slow connection is given.
      const small = Array.from({ length: 10 }, (_, i) => bytes.subarray(i * 20 * kib, (i + 1) * 20 * kib))
      const both = { size, limitRate: 500 }
      for (const body of [[bytes], small]) {
        const g = ground({ ...both, script: (_, good) => ({ ...good, body }) })
        const outcome = yield* succeeds(g)
        assert.strictEqual(outcome.attempts, 1)
        assert.approximately(g.seconds(), size / 500, 1)
        // It moves evenly.
        const told = g.events.flatMap((event) => (event._tag === "Bytes" ? [event.done] : []))
        assert.strictEqual(told[0], 4096)
        assert.isTrue(told.every((done, i) => done - (told[i - 1] ?? 0) <= 4096))
      }
    })
  )

  it.effect("N11 a host that gives a byte in five seconds is too slow below a limit as well", () =>
    Effect.gen(function* () {
      const drip = Array.from({ length: 100 }, (_, i) => [
        { wait: 5000 },
        patterned(200 * kib).subarray(i, i + 1)
      ]).flat()
      const g = ground({ limitRate: 100_000, script: at(0, (good) => ({ ...good, body: drip })) })
      yield* succeeds(g)
      const reasons = g.events.flatMap((event) => (event._tag === "Retrying" ? [event.reason] : []))
      assert.deepStrictEqual(reasons, ["sends less than 1 KiB per second"])
    })
  )

  it.effect("--limitRate holds for all connections of a file together", () =>
    Effect.gen(function* () {
      const size = 100 * mib
      const g = ground({ size, limitRate: 1_000_000 })
      yield* succeeds(g)
      assert.strictEqual(g.links.mostOpen, 4)
      assert.approximately(g.seconds(), size / 1e6, 1)
    })
  )

  it.effect("N12 a head that does not come is given up after its limit", () =>
    Effect.gen(function* () {
      const g = ground({ script: at(0, (good) => ({ ...good, delay: 1e9 })) })
      const fiber = yield* Effect.forkChild(g.download)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(g.links.seen.length, 1)
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(fiber)
      g.delivered()
    })
  )

  it.effect("N13 a host that dies after every MiB, 200 times, still delivers", () =>
    Effect.gen(function* () {
      const g = ground({ size: 60 * mib, script: always((good) => cutAfter(good, 300 * kib, "Reset")) })
      const outcome = yield* succeeds(g)
      assert.isAtLeast(outcome.attempts, 200)
      assert.isAtMost(outcome.attempts, 206)
    })
  )

  it.effect("N13 a host that dies before 64 KiB, every time, does not keep us for ever", () =>
    Effect.gen(function* () {
      const g = ground({ size: 60 * mib, script: always((good) => cutAfter(good, kib, "Reset")) })
      assert.strictEqual((yield* failure(g))._tag, "SvcUnavailable")
      assert.isAtMost(g.links.seen.length, 9)
      assert.strictEqual(g.disk.names.length, 2)
    })
  )
})
