import { createServer, get, type ServerResponse } from "node:http"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { listening } from "../../test/servers/StrictService.ts"
import { makeReaderOutput } from "./ReaderOutput.ts"

/** A server that hands its one response to the test, and the address of it. */
const served = Effect.gen(function* () {
  const arrived = yield* Deferred.make<ServerResponse>()
  const server = createServer((_, response) => Deferred.doneUnsafe(arrived, Effect.succeed(response)))
  return { response: Deferred.await(arrived), url: `http://127.0.0.1:${yield* listening(server)}/` }
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

  it.effect("a reader that takes nothing is cut off after five minutes", () =>
    Effect.gen(function* () {
      const { response, url } = yield* served
      get(url, (reply) => reply.on("error", () => {}).pause()).on("error", () => {})
      const answer = yield* response
      let cuts = 0
      const output = makeReaderOutput(answer, { status: 200, headers: {} }, () => cuts++)
      const handing = yield* Effect.forkChild(Effect.forever(output.write(new Uint8Array(64 * 1024))), {
        startImmediately: true
      })
      const written = () => answer.socket?.bytesWritten ?? 0
      for (let before = -1; before !== written() || before === 0; ) {
        before = written()
        for (let turn = 0; turn < 50; turn++) yield* Effect.promise(() => setImmediate())
      }
      yield* TestClock.adjust("299 seconds")
      assert.deepStrictEqual([answer.destroyed, cuts], [false, 0])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual([answer.destroyed, cuts], [true, 1])
      yield* Fiber.interrupt(handing)
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
