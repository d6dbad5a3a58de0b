import { assert, describe, it } from "@effect/vitest"
import { type Cause, Deferred, Duration, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { NotFound, Unavailable } from "../Errors.ts"
import { makeQuestions, Reader } from "./Questions.ts"

const away = new Unavailable({ host: "lab", reason: "no answer", attempts: 7 })

type Failure = Unavailable | NotFound

/** A service that takes a second for each answer, with the questions in the order in which they came to it. */
const service = Effect.fnUntraced(function* (
  answer: (key: string) => Effect.Effect<void, Failure> = () => Effect.sleep("1 second"),
  longestWait: Duration.Input = "5 minutes",
  isUp: () => boolean = () => false
) {
  const seen: Array<string> = []
  let most = 0
  let now = 0
  const questions = yield* makeQuestions(Duration.fromInputUnsafe(longestWait), isUp)
  const work = (key: string) =>
    Effect.suspend(() => {
      seen.push(key)
      most = Math.max(most, ++now)
      return Effect.as(answer(key), `answer to ${key}`)
    }).pipe(Effect.ensuring(Effect.sync(() => now--)))
  const ask = (reader: string, key: string, known = false) =>
    questions
      .wait(questions.ask(known, work(key)))
      .pipe(
        Effect.provideService(Reader, { key: reader, mayRead: () => true }),
        Effect.forkChild({ startImmediately: true })
      )
  return { ask, questions, seen, most: () => most }
})

const tagOf = <E extends { readonly _tag: string }>(exit: Exit.Exit<unknown, E>) =>
  Exit.isSuccess(exit) ? "answered" : ((exit.cause as Cause.Cause<E>).reasons[0] as { error?: E }).error?._tag

describe("questions to a service that answers one at a time", () => {
  it.effect("a burst of 60 that all take a second is answered whole, one after the other", () =>
    Effect.gen(function* () {
      const { ask, most, questions, seen } = yield* service()
      const readers = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, i) => `A${i}`),
        (key) => ask("lab", key)
      )
      yield* TestClock.adjust("30 seconds")
      const { length, oldestWait } = yield* questions.state
      assert.deepStrictEqual([length, oldestWait], [30, 30_000])
      yield* TestClock.adjust("30 seconds")
      const answers = yield* Effect.forEach(readers, Fiber.join)
      assert.strictEqual(new Set(answers).size, 60)
      assert.deepStrictEqual([seen.length, most()], [60, 1])
      assert.deepStrictEqual(yield* questions.state, { length: 0, oldestWait: 0 })
    })
  )

  it.effect("B7 a service that takes longer than its patience is not away while it can be reached", () =>
    Effect.gen(function* () {
      const { ask } = yield* service(
        () => Effect.sleep("20 seconds"),
        "50 seconds",
        () => true
      )
      // The turn of the third comes in time, and its answer after the longest wait.
      const inTime = yield* Effect.forEach(["A1", "A2", "A3"], (key) => ask("lab", key))
      const late = yield* ask("lab", "A4")
      yield* TestClock.adjust("70 seconds")
      for (const reader of inTime) assert.strictEqual(tagOf(yield* Fiber.await(reader)), "answered")
      assert.strictEqual(tagOf(yield* Fiber.await(late)), "ServiceAway")
    })
  )

  it.effect("what is known comes before what is not, and readers take turns", () =>
    Effect.gen(function* () {
      const { ask, seen } = yield* service()
      for (let i = 0; i < 100; i++) yield* ask("greedy", `G${i}`)
      yield* TestClock.adjust("1500 millis")
      const modest = yield* ask("modest", "M")
      const known = yield* ask("greedy", "K", true)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, ["G0", "G1", "K"])
      yield* TestClock.adjust("2500 millis")
      assert.strictEqual(yield* Fiber.join(known), "answer to K")
      assert.strictEqual(yield* Fiber.join(modest), "answer to M")
      assert.deepStrictEqual(seen.slice(0, 5), ["G0", "G1", "K", "G2", "M"])
    })
  )

  it.effect("what nobody waits for any more is not asked, unless the service has it already", () =>
    Effect.gen(function* () {
      const { ask, questions, seen } = yield* service()
      const readers = yield* Effect.forEach(["A", "B", "C", "D"], (key) => ask("lab", key))
      yield* TestClock.adjust("500 millis")
      yield* Effect.forEach(readers.slice(0, 3), Fiber.interrupt)
      assert.strictEqual((yield* questions.state).length, 2)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(seen, ["A", "D"])
      assert.strictEqual(
        yield* Effect.flatten(Effect.fromNullishOr(readers[3]).pipe(Effect.map(Fiber.join))),
        "answer to D"
      )
    })
  )

  it.effect("N1 a reader waits as long as others are answered, and eight seconds when nobody is", () =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const { ask } = yield* service((key) => (key === "gone" ? Deferred.await(gone) : Effect.sleep("7 seconds")))
      const served = yield* Effect.forEach(["A", "B", "C", "D"], (key) => ask("lab", key))
      yield* TestClock.adjust("28 seconds")
      for (const reader of served) assert.strictEqual(tagOf(yield* Fiber.await(reader)), "answered")
      const stuck = yield* Effect.forEach(["gone", "E"], (key) => ask("lab", key))
      yield* TestClock.adjust("7900 millis")
      assert.isUndefined(stuck[0]?.pollUnsafe())
      yield* TestClock.adjust("100 millis")
      for (const reader of stuck) assert.strictEqual(tagOf(yield* Fiber.await(reader)), "ServiceAway")
    })
  )

  it.effect("N1 a failure is no answer: the others do not wait longer for it; a no is one", () =>
    Effect.gen(function* () {
      const no = new NotFound({ what: "analysis A" })
      const failing = (error: Failure) => service(() => Effect.andThen(Effect.sleep("3 seconds"), Effect.fail(error)))
      for (const [error, last] of [
        [away, "ServiceAway"],
        [no, "SvcNotFound"]
      ] as const) {
        const { ask } = yield* failing(error)
        const readers = yield* Effect.forEach(["A", "B", "C"], (key) => ask("lab", key))
        yield* TestClock.adjust("10 seconds")
        const ends = yield* Effect.forEach(readers, Fiber.await)
        assert.deepStrictEqual(ends.map(tagOf), [error._tag, error._tag, last])
      }
    })
  )

  it.effect("nobody waits longer than the longest wait for a turn", () =>
    Effect.gen(function* () {
      const { ask, questions } = yield* service(undefined, "30 seconds")
      const readers = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, i) => `A${i}`),
        (key) => ask("lab", key)
      )
      yield* TestClock.adjust("31 seconds")
      const ends = (yield* Effect.forEach(readers, Fiber.await)).map(tagOf)
      assert.isAtLeast(ends.filter((end) => end === "answered").length, 29)
      assert.isAtLeast(ends.filter((end) => end === "ServiceAway").length, 29)
      assert.isAtMost((yield* questions.state).length, 1)
    })
  )
})
