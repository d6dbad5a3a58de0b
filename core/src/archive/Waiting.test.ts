import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import { isOverdue, mayBeUnderWay, nextOf, untilFirst, untilRestored } from "./Waiting.ts"

const iso = (millis: number) => new Date(millis).toISOString()

/** Looks `count` times at most on the virtual clock; when each look took place, in ms, and how long each sleep was. */
const looks = Effect.fnUntraced(function* (
  awaited: (nth: number, now: number) => ReadonlyArray<string | null>,
  wait: Duration.Input,
  poll: Duration.Input = "5 minutes"
) {
  const start = yield* Clock.currentTimeMillis
  const times = yield* Ref.make<ReadonlyArray<number>>([])
  const sleeps: Array<number> = []
  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const seen = yield* Ref.updateAndGet(times, (before) => [...before, now - start])
    return { value: seen.length, awaited: awaited(seen.length, now) }
  })
  const fiber = yield* Effect.forkChild(
    untilRestored(look, { wait: Duration.fromInputUnsafe(wait), poll: Duration.fromInputUnsafe(poll) }, (_, sleep) =>
      Effect.sync(() => sleeps.push(Duration.toMillis(sleep)))
    )
  )
  yield* TestClock.adjust(Duration.sum(Duration.fromInputUnsafe(wait), Duration.fromInputUnsafe("1 hour")))
  yield* Fiber.join(fiber)
  return { times: yield* Ref.get(times), sleeps }
})

const minute = 60_000
const hour = 60 * minute

describe("waiting for restorations", () => {
  it.effect("looks once when nothing is awaited, or nobody waits", () =>
    Effect.gen(function* () {
      const none = yield* looks(() => [], "6 hours")
      assert.deepStrictEqual([none.times, none.sleeps], [[0], []])
      assert.deepStrictEqual((yield* looks(() => [null], 0)).times, [0])
    })
  )

  it.effect("sleeps until the earliest estimate, then looks often, then by the poll", () =>
    Effect.gen(function* () {
      const { times } = yield* looks(() => [iso(3 * hour), iso(2 * hour)], "6 hours")
      assert.isAtLeast(times[1] ?? 0, 2 * hour)
      assert.isBelow(times[1] ?? 0, 2 * hour + minute)
      const gaps = times.slice(2).map((time, index) => time - (times[index + 1] ?? 0))
      assert.isBelow(gaps[0] ?? 0, 1.5 * minute)
      for (const gap of gaps) assert.isAtMost(gap, 5 * minute * 1.2 + 1)
      for (const gap of gaps.slice(6, -1)) assert.isAtLeast(gap, 5 * minute * 0.8 - 1)
      assert.approximately(times.at(-1) ?? 0, 6 * hour, 1)
    })
  )

  it.effect("L11 an estimation that is no time, or a time long past, is looked at by the poll", () =>
    Effect.gen(function* () {
      for (const estimate of [null, "soon", "", "1970-01-01T00:00:00Z", "2026-13-45T99:99:99Z"]) {
        const { times } = yield* looks(() => [estimate, "9999-12-31T23:59:59Z"], "1 hour")
        assert.isAbove(times.length, 12, String(estimate))
        assert.isBelow(times.length, 30, String(estimate))
      }
    })
  )

  it.effect("L11 the year 9999 neither spins nor sleeps for ever: one look a day, and the end is kept", () =>
    Effect.gen(function* () {
      const { sleeps, times } = yield* looks(() => ["9999-12-31T23:59:59Z"], "20 days")
      assert.strictEqual(times.length, 21)
      assert.approximately(times.at(-1) ?? 0, 20 * 24 * hour, 1)
      assert.isAtMost(Math.max(...sleeps), 24 * hour)
    })
  )

  it.effect("C1 a clock that is set back or forward changes neither the end nor the pace", () =>
    Effect.gen(function* () {
      for (const jump of [-hour, 24 * hour, -60 * 365 * 24 * hour]) {
        const { clock, set } = yield* makeJumpingClock
        const begun = yield* clock.monotonicTimeNanos
        let count = 0
        const look = Effect.sync(() => {
          count++
          if (count === 3) set(jump)
          return { value: count, awaited: [null] }
        })
        const fiber = yield* untilRestored(
          look,
          { wait: Duration.hours(1), poll: Duration.minutes(5) },
          () => Effect.void
        ).pipe(Effect.provideService(Clock.Clock, clock), Effect.forkChild)
        yield* TestClock.adjust("2 hours")
        const looked = yield* Fiber.join(fiber)
        assert.isAbove(looked, 12)
        assert.isBelow(looked, 30)
        assert.isAtMost(Number((yield* clock.monotonicTimeNanos) - begun), 2 * hour * 1e6)
      }
    })
  )
})

const at = (text: string) => Date.parse(text)
const noon = at("2026-11-21T12:00:00Z")

describe("a restoration that the service does not mention", () => {
  const entry = { requestTime: "2026-11-21T10:00:00Z", restoreEstimation: null, status: "pending" }

  it("may be under way until its estimate has passed", () => {
    const estimated = { ...entry, restoreEstimation: "2026-11-21T13:00:00Z" }
    assert.isTrue(mayBeUnderWay(estimated, noon))
    assert.isFalse(mayBeUnderWay(estimated, noon + hour))
  })

  it("without a usable estimate for half a day after its request", () => {
    for (const restoreEstimation of [null, "soon"]) {
      assert.isTrue(mayBeUnderWay({ ...entry, restoreEstimation }, noon))
      assert.isFalse(mayBeUnderWay({ ...entry, restoreEstimation }, noon + 10 * hour))
    }
  })

  it("C2 is not believed to end weeks after its request, whatever the clock of the service says", () => {
    const wild = { ...entry, restoreEstimation: "2999-01-01T00:00:00Z" }
    assert.isTrue(mayBeUnderWay(wild, noon))
    assert.isFalse(mayBeUnderWay(wild, noon + 10 * hour))
    assert.isFalse(mayBeUnderWay({ ...wild, requestTime: null }, noon))
  })

  it("is over when neither time is known, and was never confirmed while it is only being requested", () => {
    assert.isFalse(mayBeUnderWay({ ...entry, requestTime: null }, noon))
    assert.isFalse(mayBeUnderWay({ ...entry, restoreEstimation: "2026-11-21T13:00:00Z", status: "requesting" }, noon))
  })
})

describe("a request that should long have been finished", () => {
  const entry = { requestTime: "2026-11-21T10:00:00Z", restoreEstimation: "2026-11-21T12:00:00Z" }

  it("is overdue two days after its estimate: who looks once a night has come by then", () => {
    assert.isFalse(isOverdue(entry, noon + 48 * hour - 1))
    assert.isTrue(isOverdue(entry, noon + 48 * hour))
    assert.isFalse(isOverdue({ ...entry, requestTime: null }, noon))
    assert.isTrue(isOverdue({ ...entry, requestTime: null }, noon + 48 * hour))
  })

  it("without a usable estimate two days after the longest restoration, and never where no time is known", () => {
    for (const restoreEstimation of [null, "soon", "2999-01-01T00:00:00Z"]) {
      assert.isFalse(isOverdue({ ...entry, restoreEstimation }, noon + 58 * hour - 1))
      assert.isTrue(isOverdue({ ...entry, restoreEstimation }, noon + 58 * hour))
      assert.isFalse(isOverdue({ requestTime: null, restoreEstimation }, noon + 100 * hour))
    }
  })
})

describe("when to look next", () => {
  const [past, soon, later] = ["2026-11-21T11:00:00Z", "2026-11-21T12:30:00Z", "2026-11-21T13:00:00Z"]

  it("the earliest estimate that lies ahead is told as it was written", () => {
    assert.strictEqual(nextOf([later, past, null, "soon", soon, later], noon), soon)
    assert.isNull(nextOf([past, null, "soon"], noon))
    assert.isNull(nextOf([], noon))
  })

  it("waits for the first, not at all for an overdue one, and cannot say while one is unknown", () => {
    const millis = (estimates: ReadonlyArray<string | null>) => {
      const wait = untilFirst(estimates, noon)
      return wait === null ? null : Duration.toMillis(wait)
    }
    assert.strictEqual(millis([later, soon]), hour / 2)
    assert.strictEqual(millis([later, past]), 0)
    assert.isNull(millis([later, null]))
    assert.isNull(millis([later, "soon"]))
    assert.isNull(millis([]))
  })
})
