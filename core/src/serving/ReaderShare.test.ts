import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { NotFound } from "../Errors.ts"
import { patience, Reader, ServiceAway } from "./Questions.ts"
import { makeReaderShare } from "./ReaderShare.ts"

const as = (key: string) => Effect.provideService(Reader, { key, mayRead: () => true })
const silent = new ServiceAway({ reason: "silent" })
const started = { startImmediately: true } as const

const ground = Effect.gen(function* () {
  const share = yield* makeReaderShare(2)
  const begun: Array<string> = []
  /** Work that begins when it is its turn, and ends as it is told to. */
  const work = Effect.fnUntraced(function* (name: string, reader = "ada") {
    const end = yield* Deferred.make<string, ServiceAway | NotFound>()
    const working = Effect.andThen(
      Effect.sync(() => void begun.push(name)),
      Deferred.await(end)
    )
    const fiber = yield* Effect.forkChild(Effect.result(as(reader)(share(working))), started)
    return { end, fiber, result: Effect.map(Fiber.join(fiber), ({ _tag }) => _tag) }
  })
  return { begun, work }
})

describe("the share of a reader", () => {
  it.effect("is so many works at a time; further ones wait in their order, and those of others do not", () =>
    Effect.gen(function* () {
      const { begun, work } = yield* ground
      const [a, b, _, d] = yield* Effect.all([work("a"), work("b"), work("c"), work("d")])
      yield* work("e", "eve")
      assert.deepStrictEqual(begun, ["a", "b", "e"])
      yield* Fiber.interrupt(d.fiber)
      yield* Deferred.succeed(a.end, "")
      assert.strictEqual(yield* a.result, "Success")
      yield* work("f")
      yield* Fiber.interrupt(b.fiber)
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual(begun, ["a", "b", "e", "c", "f"])
    })
  )

  it.effect("where nobody answers any of them, those who wait end with the first that is told so", () =>
    Effect.gen(function* () {
      const { begun, work } = yield* ground
      const [a, b, c, d] = yield* Effect.all([work("a"), work("b"), work("c"), work("d")])
      const other = yield* work("e", "eve")
      yield* TestClock.adjust(patience)
      yield* Deferred.fail(a.end, silent)
      for (const { result } of [a, c, d]) assert.strictEqual(yield* result, "Failure")
      assert.isUndefined(b.fiber.pollUnsafe())
      // Whoever comes now has a turn, and waits for it as before.
      const later = yield* work("f")
      const last = yield* work("g")
      yield* Deferred.succeed(b.end, "")
      yield* Deferred.succeed(later.end, "")
      yield* Deferred.succeed(last.end, "")
      yield* Deferred.succeed(other.end, "")
      for (const { result } of [b, later, last, other]) assert.strictEqual(yield* result, "Success")
      assert.deepStrictEqual(begun, ["a", "b", "e", "f", "g"])
    })
  )

  it.effect("one that joined a silent look-up late has not waited itself, and those who wait have their turn", () =>
    Effect.gen(function* () {
      const { begun, work } = yield* ground
      const [a, b] = yield* Effect.all([work("a"), work("b")])
      yield* TestClock.adjust(patience - 1)
      yield* Deferred.succeed(b.end, "")
      assert.strictEqual(yield* b.result, "Success")
      const [late, c, d] = yield* Effect.all([work("late"), work("c"), work("d")])
      yield* TestClock.adjust(1)
      yield* Deferred.fail(late.end, silent)
      yield* Deferred.fail(a.end, silent)
      for (const { result } of [late, a]) assert.strictEqual(yield* result, "Failure")
      for (const { end, result } of [c, d]) {
        yield* Deferred.succeed(end, "")
        assert.strictEqual(yield* result, "Success")
      }
      assert.deepStrictEqual(begun, ["a", "b", "late", "c", "d"])
    })
  )

  for (const answer of ["yes", "no"]) {
    it.effect(`where another was answered with ${answer} meanwhile, they wait on`, () =>
      Effect.gen(function* () {
        const { begun, work } = yield* ground
        const [a, b, c, d] = yield* Effect.all([work("a"), work("b"), work("c"), work("d")])
        yield* answer === "yes" ? Deferred.succeed(b.end, "") : Deferred.fail(b.end, new NotFound({ what: "b" }))
        yield* b.result
        yield* Deferred.fail(a.end, silent)
        assert.strictEqual(yield* a.result, "Failure")
        for (const { end, result } of [c, d]) {
          yield* Deferred.succeed(end, "")
          assert.strictEqual(yield* result, "Success")
        }
        assert.deepStrictEqual(begun, ["a", "b", "c", "d"])
      })
    )
  }
})
