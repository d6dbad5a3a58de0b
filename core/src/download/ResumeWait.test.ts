import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { readEntry } from "../archive/TrackingEntry.ts"
import { LoginRefused, NotFound, ReplyMalformed, type SessionError, TlsRefused, Unavailable } from "../Errors.ts"
import type { Look, RestorationState } from "./RestorationStatus.ts"
import { untilBack } from "./Resume.ts"

const away = new Unavailable({ host: "lab", reason: "closed", attempts: 1 })
const refused = new LoginRefused({ user: "u", host: "lab" })
const waiting: RestorationState = { _tag: "Requested", requestedAt: null, estimate: null, underWay: true }

const lookOf = (...states: ReadonlyArray<RestorationState>): Look => ({
  statuses: states.map((state) => ({
    entry: Result.getOrThrow(readEntry({ analysisId: "A1", fileName: "S.bam" })),
    state,
    results: []
  })),
  unusable: [],
  others: []
})

/** Looks as `looks` say, one after the other, the last one for ever; gives the end and how many looks it took. */
const waited = Effect.fnUntraced(function* (
  looks: ReadonlyArray<Effect.Effect<Look, SessionError>>,
  wait: Duration.Duration
) {
  let count = 0
  const failing: Array<string | undefined> = []
  const look = Effect.suspend(() => looks[Math.min(count++, looks.length - 1)] ?? Effect.die("no look"))
  const asleep = (_sleep: Duration.Duration, _left: Duration.Duration, error: SessionError | null) =>
    Effect.sync(() => failing.push(error?._tag))
  const run = untilBack(look, { wait, poll: Duration.minutes(10) }, asleep)
  const fiber = yield* Effect.forkChild(Effect.result(run))
  yield* TestClock.adjust("2 days")
  const end = yield* Fiber.join(fiber)
  return { end: Result.isSuccess(end) ? end.success : end.failure._tag, count, failing }
})

describe("waiting for what was requested", () => {
  it.effect("looks until nothing is awaited, and not longer", () =>
    Effect.gen(function* () {
      const done = lookOf({ _tag: "Done" }, { _tag: "NotRequested" })
      const looks = [lookOf(waiting), lookOf(waiting, { _tag: "Failed", error: away }), done].map(Effect.succeed)
      assert.deepStrictEqual(yield* waited(looks, Duration.hours(12)), {
        end: done,
        count: 3,
        failing: [undefined, undefined]
      })
    })
  )

  it.effect("looks once without patience, and ends with the look when the time is up", () =>
    Effect.gen(function* () {
      const still = lookOf(waiting)
      assert.deepStrictEqual(yield* waited([Effect.succeed(still)], Duration.zero), {
        end: still,
        count: 1,
        failing: []
      })
      const { count, end } = yield* waited([Effect.succeed(still)], Duration.hours(1))
      assert.strictEqual(end, still)
      assert.isAbove(count, 3)
    })
  )

  it.effect("gets over a service that is away, unless it is at the last look; what does not pass ends it at once", () =>
    Effect.gen(function* () {
      const done = lookOf({ _tag: "Done" })
      const back = yield* waited([Effect.fail(away), Effect.succeed(done)], Duration.hours(1))
      assert.deepStrictEqual(back, { end: done, count: 2, failing: ["SvcUnavailable"] })
      assert.strictEqual((yield* waited([Effect.fail(away)], Duration.hours(1))).end, "SvcUnavailable")
      assert.deepStrictEqual(yield* waited([Effect.fail(away)], Duration.zero), {
        end: "SvcUnavailable",
        count: 1,
        failing: []
      })
      assert.strictEqual((yield* waited([Effect.fail(refused)], Duration.hours(1))).count, 1)
    })
  )

  it.effect("H19 once a look has worked it gets over all but a refused login, which would lock the account", () =>
    Effect.gen(function* () {
      const [first, done] = [lookOf(waiting), lookOf({ _tag: "Done" })].map(Effect.succeed)
      assert(first !== undefined && done !== undefined)
      for (const error of [
        new TlsRefused({ host: "lab", reason: "its certificate has expired" }),
        new ReplyMalformed({ request: "getAnalysis", reason: "size: expected an integer" })
      ]) {
        const { count, end } = yield* waited([first, Effect.fail(error), done], Duration.hours(1))
        assert.deepStrictEqual([count, typeof end], [3, "object"])
        assert.deepInclude(yield* waited([Effect.fail(error), done], Duration.hours(1)), { count: 1, end: error._tag })
      }
      const { count, end } = yield* waited([first, Effect.fail(refused), done], Duration.hours(1))
      assert.deepStrictEqual([count, end], [2, "SvcLoginRefused"])
      const garbled = new ReplyMalformed({ request: "getAnalysis", reason: "its body is empty", garbled: true })
      assert.strictEqual((yield* waited([Effect.fail(garbled), done], Duration.hours(1))).count, 2)
      const item = lookOf({ _tag: "Failed", error: garbled })
      assert.strictEqual((yield* waited([Effect.succeed(item), done], Duration.hours(1))).count, 2)
    })
  )

  it.effect("does not wait for what failed for good", () =>
    Effect.gen(function* () {
      const gone = lookOf({ _tag: "Failed", error: new NotFound({ what: "S.bam" }) })
      assert.strictEqual((yield* waited([Effect.succeed(gone)], Duration.hours(1))).count, 1)
    })
  )
})
