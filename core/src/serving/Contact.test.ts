import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { Contact } from "./Contact.ts"

describe("whether the service can be reached", () => {
  it.effect("N1 is looked at again after a look that nobody answered", () =>
    Effect.gen(function* () {
      let looks = 0
      let stands = false
      const client = HttpClient.make((request) => {
        if (request.method === "GET") {
          return Effect.fail(
            new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
          )
        }
        looks++
        if (looks === 1 || stands) return Effect.never
        return Effect.succeed(
          HttpClientResponse.fromWeb(request, new Response(null, { status: looks === 2 ? 503 : 200 }))
        )
      })
      const seen = Effect.gen(function* () {
        const { answers, isUp } = yield* Contact
        const watched = yield* HttpClient.HttpClient
        assert.isFalse(isUp())
        yield* TestClock.adjust("1 minute")
        // Before anybody has asked, nobody looks.
        assert.strictEqual(looks, 0)
        yield* Effect.ignore(watched.get("https://service.example/"))
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual([looks, isUp()], [1, false])
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual([looks, isUp()], [2, false])
        yield* TestClock.adjust("20 seconds")
        assert.isTrue(isUp())
        const last = looks
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(looks, last)
        // P6 a service that stands still has answered last, and does not answer now; it is not away for those who wait for it.
        assert.isTrue(yield* answers)
        stands = true
        yield* TestClock.adjust("5 seconds")
        const asked = yield* Effect.forkChild(Effect.all([answers, answers, answers], { concurrency: 3 }))
        yield* TestClock.adjust("3 seconds")
        assert.deepStrictEqual(yield* Fiber.join(asked), [false, false, false])
        assert.deepStrictEqual([isUp(), looks], [true, last + 2])
      })
      yield* Effect.provide(
        seen,
        Contact.layer(new URL("https://service.example")).pipe(
          Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
        )
      )
    })
  )
})
