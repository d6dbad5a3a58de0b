import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeReaderOutput } from "./ReaderOutput.ts"

/** A server that hands its one response to the test, and the address of it. */
const served = Effect.gen(function* () {
  const arrived = yield* Deferred.make<ServerResponse>()
  const server = createServer((_, response) => Deferred.doneUnsafe(arrived, Effect.succeed(response)))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  return {
    response: Deferred.await(arrived),
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`
  }
})

const head = { status: 206, headers: { "content-length": "3000000" } }

describe("bytes to a reader", () => {
  it.live("come in order from a buffer that is used again, at the pace of the reader", () =>
    Effect.gen(function* () {
      const { response, url } = yield* served
      const reading = yield* Effect.forkChild(
        Effect.promise(async () => {
          const reply = await fetch(url)
          return { status: reply.status, bytes: new Uint8Array(await reply.arrayBuffer()) }
        })
      )
      const output = makeReaderOutput(yield* response, head)
      assert.isFalse(output.begun())
      const buffer = new Uint8Array(1_000_000)
      for (const value of [1, 2, 3]) {
        buffer.fill(value)
        yield* output.write(buffer)
        buffer.fill(99)
      }
      assert.isTrue(output.begun())
      yield* output.end
      const { bytes, status } = yield* Fiber.join(reading)
      assert.strictEqual(status, 206)
      assert.deepStrictEqual(
        [0, 999_999, 1_000_000, 1_999_999, 2_000_000, 2_999_999].map((at) => bytes[at]),
        [1, 1, 2, 2, 3, 3]
      )
      assert.isFalse(bytes.includes(99))
    })
  )

  it.live("that are cut are no file for the reader", () =>
    Effect.gen(function* () {
      const { response, url } = yield* served
      const reading = yield* Effect.forkChild(
        Effect.promise(() =>
          fetch(url)
            .then((reply) => reply.arrayBuffer())
            .then(
              () => "whole",
              () => "cut"
            )
        )
      )
      const output = makeReaderOutput(yield* response, head)
      yield* output.write(new Uint8Array(1_000_000))
      yield* output.cut
      assert.strictEqual(yield* Fiber.join(reading), "cut")
    })
  )

  it.live("wait for ever for a reader that has gone, whose request is interrupted", () =>
    Effect.gen(function* () {
      const { response, url } = yield* served
      const reading = get(url).on("error", () => {})
      const answer = yield* response
      reading.destroy()
      yield* Effect.callback<void>((resume) => {
        if (answer.destroyed) return resume(Effect.void)
        answer.once("close", () => resume(Effect.void))
      })
      const writing = yield* Effect.forkChild(makeReaderOutput(answer, head).write(new Uint8Array(10)))
      yield* Effect.yieldNow
      assert.isUndefined(writing.pollUnsafe())
      yield* Fiber.interrupt(writing)
    })
  )

  it.effect(
    "a reader that takes nothing for five minutes is cut off; one that takes a little now and then is not",
    () =>
      Effect.gen(function* () {
        const { response, url } = yield* served
        const { promise: replied, resolve } = Promise.withResolvers<IncomingMessage>()
        get(url, resolve).on("error", () => {})
        const answer = yield* response
        const output = makeReaderOutput(answer, { status: 200, headers: {} })
        let begun = 0
        let lastBegun = 0
        const writing = yield* Clock.currentTimeMillis.pipe(
          Effect.tap((now) =>
            Effect.sync(() => {
              begun++
              lastBegun = now
            })
          ),
          Effect.andThen(output.write(new Uint8Array(256 * 1024))),
          Effect.forever,
          Effect.forkChild
        )
        const reply = (yield* Effect.promise(() => replied)).on("error", () => {})
        /** Reads until the writer went on by some pieces, however many the kernel keeps for a reader. */
        const take = Effect.callback<void>((resume) => {
          const enough = begun + 4
          reply.on("data", () => {
            if (begun < enough) return
            reply.removeAllListeners("data").pause()
            resume(Effect.void)
          })
          reply.resume()
        })
        for (let round = 0; round < 3; round++) {
          yield* take
          yield* TestClock.adjust("4 minutes")
          assert.isFalse(answer.destroyed)
        }
        while (!answer.destroyed) {
          yield* TestClock.adjust("10 seconds")
          yield* Effect.promise(() => setImmediate())
        }
        const silence = (yield* Clock.currentTimeMillis) - lastBegun
        assert.isAtLeast(silence, 300_000)
        assert.isAtMost(silence, 310_000)
        yield* Fiber.interrupt(writing)
      })
  )

  it.live("an empty body has its head too", () =>
    Effect.gen(function* () {
      const { response, url } = yield* served
      const reading = yield* Effect.forkChild(Effect.promise(() => fetch(url)))
      yield* makeReaderOutput(yield* response, { status: 200, headers: { "content-length": "0" } }).end
      assert.strictEqual((yield* Fiber.join(reading)).status, 200)
    })
  )
})
