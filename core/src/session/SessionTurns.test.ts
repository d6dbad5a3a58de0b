/** One request of the API at a time. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  call,
  get,
  inVirtualTime,
  loginPage,
  makeService,
  type Said,
  settings,
  succeeded,
  withSession
} from "../../../test/session/SessionGround.ts"
import { AccountLock } from "./Gate.ts"
import { Session } from "./Session.ts"

describe("Session, one at a time", () => {
  it.effect("S8 twenty callers at once never overlap, repeats and logins included", () =>
    Effect.gen(function* () {
      const service = makeService((asked, count) =>
        asked.path === "/api/3" && count === 1
          ? { status: 503 }
          : asked.path === "/api/7" && count === 1
            ? { status: 302 }
            : null
      )
      const paths = Array.from({ length: 20 }, (_, i) => `/api/${i}`)
      succeeded(
        yield* withSession(service, (session) =>
          Effect.forEach(paths, (path) => get(session, path), { concurrency: 20 })
        )
      )
      assert.strictEqual(service.served.overlaps, 0)
      assert.strictEqual(service.served.logins, 2)
    })
  )

  it.effect("S8 a request under way when its caller is interrupted ends before the logout begins", () =>
    Effect.gen(function* () {
      const service = makeService((asked) => (asked.path === "/api/slow" ? { body: "1", delay: "2 seconds" } : null))
      succeeded(
        yield* withSession(service, (session) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkScoped(get(session, "/api/slow"))
            yield* Effect.sleep("500 millis")
            yield* Fiber.interrupt(fiber)
          })
        )
      )
      assert.strictEqual(service.served.overlaps, 0)
      assert.strictEqual(service.served.logouts, 1)
    })
  )

  it.effect.each([
    ["is not answered", { delay: "1 hour" }],
    ["is answered without end", { body: "[1", after: "silence" }]
  ] satisfies ReadonlyArray<readonly [string, Said]>)(
    "S8 a request that %s is cut after the grace time, and no logout meets the work on it",
    ([, said]) =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path === "/api/hang" ? said : null))
        const layer = Session.layer(settings).pipe(Layer.provide([service.layer, AccountLock.layerNone]))
        const program = Effect.flatMap(Session, (session) => get(session, "/api/hang")).pipe(
          Effect.provide(layer),
          Effect.timeoutOption("10 seconds"),
          Effect.andThen(Clock.currentTimeMillis)
        )
        const ended = succeeded(yield* inVirtualTime(program))
        assert.isAtMost(ended, 13_200)
        assert.deepInclude(service.served, { logouts: 0, atWork: 0 })
      })
  )

  it.effect("S8 a stream keeps others out until its scope closes", () =>
    Effect.gen(function* () {
      const service = makeService(call("/api/big"))
      const exit = yield* withSession(service, (session) =>
        Effect.gen(function* () {
          const other = yield* Effect.scoped(
            Effect.gen(function* () {
              const response = yield* session.stream(HttpClientRequest.get("/api/big"))
              const other = yield* Effect.forkScoped(Effect.sleep("1 second"))
              const asked = yield* Effect.forkDetach(get(session, "/api/x"))
              yield* Fiber.join(other)
              assert.notInclude(service.requests(), "GET /api/x")
              assert.strictEqual(yield* Effect.orDie(response.text), '{"called":true}')
              return asked
            })
          )
          return yield* Fiber.join(other)
        })
      )
      assert.strictEqual(succeeded(exit), '{"path":"/api/x"}')
    })
  )

  it.effect(
    "S8 a request inside the reading of a stream is a defect, as it would wait for ever; after the stream it goes",
    () =>
      Effect.gen(function* () {
        const service = makeService(call("/api/big"))
        const exit = yield* withSession(service, (session) =>
          Effect.gen(function* () {
            const big = session.stream(HttpClientRequest.get("/api/big"))
            const inside = yield* Effect.exit(Effect.scoped(Effect.andThen(big, get(session, "/api/x"))))
            return [Exit.isFailure(inside) ? Cause.pretty(inside.cause) : "", yield* get(session, "/api/y")]
          })
        )
        const [died, after] = succeeded(exit)
        assert.match(died ?? "", /A request was made inside the reading of a streamed body/)
        assert.strictEqual(after, '{"path":"/api/y"}')
      })
  )

  it.effect(
    "S8 a request of another fiber that waits long for the reading of a stream is said, once for each stream",
    () =>
      Effect.gen(function* () {
        const others = ["/api/x", "/api/y"]
        for (const [reading, waiting, lines] of [
          ["4 minutes", others, 0],
          ["12 minutes", others, 1],
          ["12 minutes", [], 0]
        ] as const) {
          const said: Array<string> = []
          const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
          const service = makeService(call("/api/big"))
          const program = withSession(service, (session) =>
            Effect.gen(function* () {
              const asked = yield* Effect.scoped(
                Effect.gen(function* () {
                  yield* session.stream(HttpClientRequest.get("/api/big"))
                  const asked = yield* Effect.forEach(waiting, (path) => Effect.forkDetach(get(session, path)))
                  yield* Effect.sleep(reading)
                  return asked
                })
              )
              return yield* Fiber.joinAll(asked)
            })
          )
          assert.lengthOf(succeeded(yield* Effect.provide(program, logger)), waiting.length)
          const waits = said.filter((line) =>
            /streamed body has been read for 5 minutes or longer, and other requests wait/.test(line)
          )
          assert.lengthOf(waits, lines, `${waiting.length} wait for ${reading}`)
        }
      })
  )

  it.effect("S8 a stream recognises the lost session before it gives anything out, and breaks with a typed error", () =>
    Effect.gen(function* () {
      const service = makeService((asked, count) => {
        if (asked.path !== "/api/big") return null
        return count === 1 ? { body: loginPage } : { body: "[1,", after: "break" }
      })
      const exit = yield* withSession(service, (session) =>
        Effect.scoped(
          Effect.flatMap(session.stream(HttpClientRequest.get("/api/big")), (response) => Effect.flip(response.text))
        )
      )
      const error = succeeded(exit)
      assert.strictEqual(error.reason._tag, "DecodeError")
      assert.include(error.message, "connection reset")
      assert.strictEqual(service.served.logins, 2)
    })
  )
})
