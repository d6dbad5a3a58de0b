import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { AwaitedThread, start } from "./AwaitedThread.ts"

/** It answers an order with its text in capitals, throws at `throw` and says nothing at `nothing`. */
const program = `
require("node:worker_threads").parentPort.on("message", ({ id, text }) => {
  if (text === "throw") throw new Error("it was told to")
  if (text !== "nothing") require("node:worker_threads").parentPort.postMessage({ id, text: text.toUpperCase() })
})`

class CountedWorker extends Worker {
  holdsProcess = true

  override ref(): void {
    this.holdsProcess = true
    super.ref()
  }

  override unref(): void {
    this.holdsProcess = false
    super.unref()
  }
}

interface Order {
  readonly id: number
  readonly text: string
}

const started = Effect.gen(function* () {
  const worker = new CountedWorker(program, { eval: true })
  const thread = yield* Effect.acquireRelease(
    Effect.sync(() => new AwaitedThread<Order, Order>(worker)),
    (thread) => Effect.promise(() => thread.close())
  )
  const ask = (text: string) =>
    Effect.callback<string, Error>((resume) =>
      thread.ask(
        (id) => ({ id, text }),
        (report) => resume(report instanceof Error ? Effect.fail(report) : Effect.succeed(report.text))
      )
    )
  return { ask, thread, worker }
})

describe("AwaitedThread", () => {
  it.effect("keeps the process alive from the first order to the last report, and no longer", () =>
    Effect.gen(function* () {
      const { ask, thread, worker } = yield* started
      assert.isFalse(worker.holdsProcess)
      const reports = yield* Effect.all(
        ["one", "two"].map((text) => Effect.map(ask(text), (report) => [report, thread.load, worker.holdsProcess])),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(reports, [
        ["ONE", 1, true],
        ["TWO", 0, false]
      ])
      yield* Effect.forkChild(ask("nothing"), { startImmediately: true })
      assert.isTrue(worker.holdsProcess)
    })
  )

  it.effect("whoever waits for a thread that dies hears why, as does whoever asks it later", () =>
    Effect.gen(function* () {
      const { ask, thread } = yield* started
      const told = yield* Effect.all([Effect.flip(ask("nothing")), Effect.flip(ask("throw"))], { concurrency: 2 })
      assert.deepStrictEqual(
        told.map(({ message }) => message),
        ["it was told to", "it was told to"]
      )
      yield* Effect.promise(() => thread.close())
      assert.isTrue(thread.hasEnded)
      assert.strictEqual((yield* Effect.flip(ask("late"))).message, "it was told to")
    })
  )

  it.effect("whoever waits for a thread that is ended is told so", () =>
    Effect.gen(function* () {
      const { ask, thread } = yield* started
      const waiting = yield* Effect.forkChild(Effect.flip(ask("nothing")), { startImmediately: true })
      yield* Effect.promise(() => thread.close())
      assert.strictEqual((yield* Fiber.join(waiting)).message, "it ended")
    })
  )

  it("there is none where the system allows no further one", () => {
    assert.isNull(
      start(() => {
        throw new Error("ERR_WORKER_INIT_FAILED")
      })
    )
  })
})
