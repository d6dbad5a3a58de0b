import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { makeRateLimit, type RateLimit } from "./LinkPool.ts"

/** Bytes that readers have taken until now. */
const readers = Effect.fnUntraced(function* (limit: RateLimit, batches: ReadonlyArray<ReadonlyArray<number>>) {
  const taken = yield* Ref.make(0)
  const read = Effect.fnUntraced(function* (sizes: ReadonlyArray<number>) {
    for (const size of sizes) {
      yield* Ref.update(taken, (sum) => sum + size)
      yield* limit.spend(size)
    }
  })
  const fiber = yield* Effect.forkChild(Effect.forEach(batches, read, { concurrency: "unbounded", discard: true }))
  return { taken: Ref.get(taken), done: Fiber.join(fiber) }
})

describe("the rate of a LinkPool", () => {
  it.effect("readers share the rate, and go on in the order in which their bytes came", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      const limit = makeRateLimit(1000)
      const order: Array<string> = []
      const reader = (name: string) =>
        Effect.repeat(
          Effect.andThen(
            Effect.sync(() => void order.push(name)),
            limit.spend(500)
          ),
          { times: 2 }
        )
      const all = yield* Effect.forkChild(Effect.all([reader("a"), reader("b")], { concurrency: 2 }))
      // 3,000 bytes at 1,000 a second, of which a quarter of a second was saved.
      yield* TestClock.adjust("2749 millis")
      assert.isUndefined(all.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isDefined(all.pollUnsafe())
      assert.deepStrictEqual(order, ["a", "b", "a", "b", "a", "b"])
    })
  )

  it.effect("an hour without bytes saves a quarter of a second, not an hour", () =>
    Effect.gen(function* () {
      const limit = makeRateLimit(1000)
      yield* limit.spend(0)
      yield* TestClock.adjust("1 hour")
      const { done, taken } = yield* readers(limit, [[250, 250, 250]])
      yield* TestClock.adjust("0 millis")
      assert.strictEqual(yield* taken, 500)
      yield* TestClock.adjust("249 millis")
      assert.strictEqual(yield* taken, 500)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* taken, 750)
      yield* TestClock.adjust("250 millis")
      yield* done
    })
  )

  const Sizes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5000 })))
  it.effect.prop(
    "whatever comes on however many connections, no moment is ahead of the limit by more than a batch of each",
    [Schema.Array(Sizes)],
    ([batches]) =>
      Effect.gen(function* () {
        const rate = 2000
        const started = yield* Clock.currentTimeMillis
        const { done, taken } = yield* readers(makeRateLimit(rate), batches)
        const all = batches.flat().reduce((sum, size) => sum + size, 0)
        const ahead = batches.length * 5000
        while ((yield* taken) < all) {
          const seconds = ((yield* Clock.currentTimeMillis) - started) / 1000
          assert.isAtMost(yield* taken, rate * (seconds + 0.25) + ahead)
          yield* TestClock.adjust("100 millis")
        }
        // Nor is it late: the last bytes are taken when those before them have had their time.
        const seconds = ((yield* Clock.currentTimeMillis) - started) / 1000
        assert.isAtLeast(all, rate * (seconds - 0.1) - 1)
        yield* TestClock.adjust("1 minute")
        yield* done
      })
  )

  it.effect("0 is no limit: nothing waits, and batches stay whole", () =>
    Effect.gen(function* () {
      const limit = makeRateLimit(0)
      for (let i = 0; i < 1000; i++) yield* limit.spend(1e9)
      assert.strictEqual(limit.portion, Number.POSITIVE_INFINITY)
    })
  )
})
