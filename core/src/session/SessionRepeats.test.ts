/** Which requests are asked again, and how often. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Logger, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { failed, get, makeService, succeeded, withSession } from "../../../test/session/SessionGround.ts"
import { whyNotJson } from "./Recognition.ts"
import { JsonReply } from "./RequestMarks.ts"
import { TransportFault } from "./TransportFault.ts"

describe("Session, repeating", () => {
  const times = (service: ReturnType<typeof makeService>, request: string) =>
    service.requests().filter((other) => other === request).length

  for (const status of [408, 425, 429, 500, 502, 503, 504, 522]) {
    it.effect(`H13 ${status} six times, then ok`, () =>
      Effect.gen(function* () {
        const service = makeService((asked, count) => (asked.path === "/api/x" && count <= 6 ? { status } : null))
        succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.strictEqual(times(service, "GET /api/x"), 7)
      })
    )
  }

  const json = Effect.provideService(JsonReply, whyNotJson)

  for (const [what, body] of [
    ["empty", ""],
    ["cut", '[{"id":1},{"id'],
    ["of a proxy", "Gateway busy"]
  ] as const) {
    it.effect(`H19 an answer that is ${what} where JSON must be is asked for again, and proves no health`, () =>
      Effect.gen(function* () {
        const service = makeService((asked, count) => (asked.path === "/api/x" && count <= 6 ? { body } : null))
        const exit = yield* withSession(service, (session) => json(get(session, "/api/x")))
        assert.strictEqual(succeeded(exit), '{"path":"/api/x"}')
        assert.strictEqual(times(service, "GET /api/x"), 7)
        const always = makeService((asked) => (asked.path.startsWith("/api") ? { body } : null))
        const error = failed(yield* withSession(always, (session) => json(get(session, "/api/x"))))
        assert.deepInclude(error, { _tag: "SvcReplyMalformed", garbled: true, retryable: true })
        assert.strictEqual(always.served.logins, 1)
        const posted = makeService((asked) => (asked.path === "/api/x" ? { body } : null))
        failed(yield* withSession(posted, (session) => json(session.http.post("/api/x"))))
        assert.strictEqual(times(posted, "POST /api/x"), 1)
        const any = yield* withSession(always, (session) => get(session, "/api/x"))
        assert.strictEqual(succeeded(any), body)
      })
    )
  }

  it.effect("H13 seven times is Unavailable, with what the service said", () =>
    Effect.gen(function* () {
      const body = '{"success":false,"errorMessageId":"report.failed","errorId":"E-17"}'
      const service = makeService((asked) => (asked.path === "/api/x" ? { status: 500, body } : null))
      const error = failed(yield* withSession(service, (session) => get(session, "/api/x")))
      assert.strictEqual(error.message, "svc.example is unavailable: status 500 (report.failed; E-17) (7 attempts)")
      assert.strictEqual(times(service, "POST /logout"), 1)
    })
  )

  it.effect("N1 refused connections: backoff for about half a minute, then Unavailable", () =>
    Effect.gen(function* () {
      const service = makeService(() => new TransportFault({ kind: "NotSent", reason: "connection refused" }))
      const started = yield* Clock.currentTimeMillis
      const error = failed(yield* withSession(service, () => Effect.void))
      const took = (yield* Clock.currentTimeMillis) - started
      assert.strictEqual(error.message, "svc.example is unavailable: connection refused (7 attempts)")
      assert.isAbove(took, 25_000)
      assert.isBelow(took, 40_000)
    })
  )

  it.effect(
    "N2 an unknown host at the first contact is said within 5 s; one that has answered before is asked for longer",
    () =>
      Effect.gen(function* () {
        const fault = new TransportFault({ kind: "NotSent", reason: "unknown host name", noSuchHost: true })
        const started = yield* Clock.currentTimeMillis
        const error = failed(
          yield* withSession(
            makeService(() => fault),
            () => Effect.void
          )
        )
        assert.strictEqual(error.message, "svc.example is unavailable: unknown host name (3 attempts)")
        assert.isBelow((yield* Clock.currentTimeMillis) - started, 5000)
        const later = makeService(({ path }, count) => (path === "/api/x" && count < 7 ? fault : null))
        succeeded(yield* withSession(later, (session) => get(session, "/api/x")))
        assert.strictEqual(times(later, "GET /api/x"), 7)
      })
  )

  for (const [text, least, most] of [
    ["2", 2000, 2200],
    ["1e9", 400, 800],
    ["-1", 400, 800],
    ["soon", 400, 800],
    ["999999999", 120_000, 120_200],
    ["Thu, 01 Jan 1970 00:00:30 GMT", 28_000, 30_200]
  ] as const) {
    it.effect(`H12 Retry-After: ${text}`, () =>
      Effect.gen(function* () {
        const at: Array<number> = []
        const service = makeService((asked, count) => {
          if (asked.path !== "/api/x") return null
          return count === 1 ? { status: 503, headers: { "retry-after": text } } : null
        })
        const timed = HttpClient.make((request, url) =>
          Effect.gen(function* () {
            if (url.pathname === "/api/x") at.push(yield* Clock.currentTimeMillis)
            const inner = yield* HttpClient.HttpClient
            return yield* inner.execute(request)
          }).pipe(Effect.provide(service.layer))
        )
        const layer = Layer.succeed(HttpClient.HttpClient, timed)
        succeeded(yield* withSession({ ...service, layer }, (session) => get(session, "/api/x")))
        const waited = (at[1] ?? 0) - (at[0] ?? 0)
        assert.isAtLeast(waited, least)
        assert.isAtMost(waited, most + 50)
      })
    )
  }

  it.effect("PUT and POST are repeated only when nothing was sent", () =>
    Effect.gen(function* () {
      for (const [first, expected, sent] of [
        [new TransportFault({ kind: "NotSent", reason: "connection refused" }), "ok", 2],
        [new TransportFault({ kind: "Broken", reason: "connection reset" }), "SvcOutcomeUnknown", 1],
        [{ status: 502 }, "SvcOutcomeUnknown", 1],
        [{ status: 524 }, "SvcOutcomeUnknown", 1],
        [{ status: 425 }, "SvcUnavailable", 1],
        [{ status: 429 }, "SvcUnavailable", 1],
        [{ status: 503 }, "SvcUnavailable", 1],
        [{ status: 500 }, "SvcOutcomeUnknown", 1],
        [{ body: "{", after: "break" }, "SvcOutcomeUnknown", 1]
      ] as const) {
        const service = makeService((asked, count) => (asked.path === "/api/person" && count === 1 ? first : null))
        const exit = yield* withSession(service, (session) =>
          Effect.match(session.http.put("/api/person"), {
            onFailure: (error) => error._tag as string,
            onSuccess: () => "ok"
          })
        )
        assert.strictEqual(succeeded(exit), expected)
        assert.strictEqual(times(service, "PUT /api/person"), sent)
      }
    })
  )

  it.effect("a body that breaks or falls silent is asked for again", () =>
    Effect.gen(function* () {
      for (const after of ["break", "silence"] as const) {
        const service = makeService((asked, count) =>
          asked.path === "/api/x" && count === 1 ? { body: '{"a":', after } : null
        )
        assert.strictEqual(
          succeeded(yield* withSession(service, (session) => get(session, "/api/x"))),
          '{"path":"/api/x"}'
        )
      }
    })
  )

  for (const [what, apiTimeout, delay, expected] of [
    ["within the usual patience", undefined, "14 minutes", "ok"],
    ["within the patience that is set", "2 minutes", "90 seconds", "ok"],
    ["after it", "1 minute", "90 seconds", "svc.example is unavailable: no answer within 1m (2 attempts)"],
    ["never", "4 minutes", "2 hours", "svc.example is unavailable: no answer within 4m (2 attempts)"]
  ] as const) {
    it.effect(`N12 an answer that comes ${what}: asked again once, and never while the first may be at work`, () =>
      Effect.gen(function* () {
        const at: Array<number> = []
        const service = makeService((asked) => {
          if (asked.path !== "/api/x") return null
          at.push(asked.at)
          return { body: "1", delay }
        })
        const patience = apiTimeout === undefined ? {} : { apiTimeout: Duration.fromInputUnsafe(apiTimeout) }
        const exit = yield* withSession(
          service,
          (session) =>
            Effect.match(get(session, "/api/x"), { onFailure: ({ message }) => message, onSuccess: () => "ok" }),
          patience
        )
        assert.strictEqual(succeeded(exit), expected)
        assert.strictEqual(at.length, expected === "ok" ? 1 : 2)
        if (delay !== "2 hours") assert.strictEqual(service.served.atWork, 0)
        else assert.isAtLeast((at[1] ?? 0) - (at[0] ?? 0), 5 * 60_000)
      })
    )
  }

  it.effect(
    "N12 a load balancer that waits no longer than a minute: as a silence, since the service goes on with its work",
    () =>
      Effect.gen(function* () {
        for (const status of [504, 524]) {
          const at: Array<number> = []
          const service = makeService((asked) => {
            if (asked.path !== "/api/x") return null
            at.push(asked.at)
            return { status, delay: "1 minute" }
          })
          const error = failed(yield* withSession(service, (session) => get(session, "/api/x")))
          const reason = `status ${status}, of a proxy that waits no longer for the answer`
          assert.strictEqual(error.message, `svc.example is unavailable: ${reason} (2 attempts)`)
          assert.isAtLeast((at[1] ?? 0) - (at[0] ?? 0), 2 * 60_000)
          assert.strictEqual(at.length, 2)
        }
      })
  )

  it.effect(
    "N12 is no silence of the first page, where the next path may work, nor of a gateway, which has a queue",
    () =>
      Effect.gen(function* () {
        const late = { status: 504, delay: "1 minute" } as const
        const firstPage = makeService((asked) => (asked.path === "/" ? late : null))
        succeeded(yield* withSession(firstPage, (session) => get(session, "/api/x")))
        assert.strictEqual(times(firstPage, "HEAD /"), 1)
        const queue = makeService((_, count) => (count <= 6 ? late : { body: "1" }))
        const token = { token: Redacted.make("token-of-a-gateway") }
        succeeded(yield* withSession(queue, (session) => get(session, "/api/x"), token))
        assert.strictEqual(times(queue, "GET /api/x"), 7)
      })
  )

  it.effect("N11 an answer that trickles is given up after two minutes, with a line while it takes long", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const pieces = (count: number, every: Duration.Input, size: number) =>
        makeService((asked) => (asked.path === "/api/x" ? { body: "[", pieces: { count, every, size } } : null))
      const trickle = pieces(1000, "20 seconds", 1)
      const error = failed(
        yield* withSession(trickle, (session) => get(session, "/api/x"), { tries: 2 }).pipe(Effect.provide(logger))
      )
      assert.strictEqual(
        error.message,
        "svc.example is unavailable: the answer comes with less than 1 KiB per second (2 attempts)"
      )
      assert.strictEqual(times(trickle, "GET /api/x"), 2)
      assert.isTrue(said.some((line) => /nothing is asked for up to 1m/.test(line)))
      const steady = pieces(60, "10 seconds", 20_000)
      assert.strictEqual(
        succeeded(yield* withSession(steady, (session) => get(session, "/api/x"))).length,
        1 + 60 * 20_000
      )
    })
  )

  it.effect("a line says that an answer takes long, once, and none for a quick one", () =>
    Effect.gen(function* () {
      for (const [delay, lines] of [
        ["59 seconds", 0],
        ["10 minutes", 1]
      ] as const) {
        const said: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
        const service = makeService((asked) => (asked.path === "/api/x" ? { body: "1", delay } : null))
        const run = withSession(service, (session) => get(session, "/api/x")).pipe(Effect.provide(logger))
        assert.strictEqual(succeeded(yield* run), "1")
        const slow = said.filter((line) => line === "svc.example: no answer for 1m; it may take 15m (apiTimeout)")
        assert.strictEqual(slow.length, lines)
      }
    })
  )

  it.effect("H19 a body over the limit is a typed error, not memory", () =>
    Effect.gen(function* () {
      const service = makeService((asked) => (asked.path === "/api/x" ? { body: "[1,2,3,4]" } : null))
      const error = failed(yield* withSession(service, (session) => get(session, "/api/x"), { bodyLimit: 8 }))
      assert.strictEqual(error._tag, "SvcReplyTooLarge")
    })
  )

  it.effect("TLS and proxy refusals are final", () =>
    Effect.gen(function* () {
      for (const [fault, tag] of [
        [new TransportFault({ kind: "Tls", reason: "its certificate has expired" }), "SvcTlsRefused"],
        [new TransportFault({ kind: "Proxy", reason: "407", proxy: "proxy:1", status: 407 }), "SvcProxyRefused"]
      ] as const) {
        const service = makeService(() => fault)
        assert.strictEqual(failed(yield* withSession(service, () => Effect.void))._tag, tag)
        assert.strictEqual(service.asked.length, 1)
      }
    })
  )
})
