import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeOutputTurns } from "./ReaderOutput.ts"

const piece = 64 * 1024

/** One turn of the event loop, and what the fibers do with it. */
const nextTurn = Effect.promise(() => setImmediate())

describe("turns of readers", () => {
  it.live("one connection has 64 kB in a turn, also where nobody else waits", () =>
    Effect.gen(function* () {
      const turns = makeOutputTurns()
      const turn = turns.of("ada")
      let passed = 0
      const bulk = yield* Effect.forkChild(
        Effect.gen(function* () {
          for (; passed < 100; passed++) yield* turn(piece / 2)
        }),
        { startImmediately: true }
      )
      assert.strictEqual(passed, 2)
      for (let i = 1; i <= 5; i++) {
        yield* nextTurn
        assert.isAtMost(passed, 2 + 2 * i)
      }
      assert.isAbove(passed, 2)
      yield* Fiber.interrupt(bulk)
    })
  )

  it.live("all together have a turn of 256 kB, so that the next look at what has come is soon", () =>
    Effect.gen(function* () {
      const turns = makeOutputTurns()
      let passed = 0
      const bulk = yield* Effect.forEach(Array.from({ length: 40 }), () =>
        Effect.forkChild(
          Effect.forever(
            Effect.tap(turns.of("ada")(piece), () =>
              Effect.sync(() => {
                passed += piece
              })
            )
          ),
          { startImmediately: true }
        )
      )
      for (let turn = 0; turn < 5; turn++) {
        const before = passed
        yield* nextTurn
        assert.isAtMost(passed - before, 256 * 1024)
      }
      assert.isAbove(passed, 256 * 1024)
      for (const fiber of bulk) yield* Fiber.interrupt(fiber)
    })
  )

  it.live("the first bytes of a reader come before the bulk of others, and readers of one key share their turns", () =>
    Effect.gen(function* () {
      const turns = makeOutputTurns()
      const order: Array<string> = []
      const take = (name: string, turn: (bytes: number) => Effect.Effect<void>) =>
        Effect.forkChild(
          Effect.andThen(
            turn(2 * 1024 * 1024),
            Effect.sync(() => order.push(name))
          ),
          { startImmediately: true }
        )
      const bulk = Array.from({ length: 3 }, () => turns.of("ada"))
      const other = turns.of("grace")
      // What they have had by now makes them no beginners.
      for (const turn of [...bulk, other]) yield* turn(2 * 1024 * 1024)
      const fibers = [
        yield* take("ada 1", bulk[0] ?? other),
        yield* take("ada 2", bulk[1] ?? other),
        yield* take("ada 3", bulk[2] ?? other),
        yield* take("grace", other),
        yield* take("new", turns.of("eve"))
      ]
      assert.deepStrictEqual(order, [])
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(order, ["new", "ada 1", "grace", "ada 2", "ada 3"])
    })
  )

  it.live("a turn comes also after others have left theirs", () =>
    Effect.gen(function* () {
      const turns = makeOutputTurns()
      const [gone, stays] = [turns.of("ada"), turns.of("ada")]
      yield* gone(4 * 1024 * 1024)
      const leaving = yield* Effect.forkChild(gone(piece), { startImmediately: true })
      const waiting = yield* Effect.forkChild(stays(piece), { startImmediately: true })
      yield* Fiber.interrupt(leaving)
      yield* Fiber.join(waiting)
    }).pipe(Effect.timeout("10 seconds"))
  )
})
