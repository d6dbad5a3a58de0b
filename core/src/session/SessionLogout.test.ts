/** How a session ends. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Clock, Effect, Layer, Logger, Redacted, References, Tracer } from "effect"
import {
  failed,
  get,
  inVirtualTime,
  loginPage,
  makeService,
  settings,
  succeeded,
  withSession
} from "../../../test/session/SessionGround.ts"
import { AccountLock } from "./Gate.ts"
import { Session } from "./Session.ts"
import { TransportFault } from "./TransportFault.ts"

describe("Session, logout", () => {
  it.effect("S11 one that fails or hangs changes nothing and takes at most 5 s", () =>
    Effect.gen(function* () {
      for (const said of [
        { status: 500 },
        { delay: "1 hour" },
        new TransportFault({ kind: "Broken", reason: "connection reset" })
      ] as const) {
        const service = makeService((asked) => (asked.path === "/logout" ? said : null))
        const started = yield* Clock.currentTimeMillis
        assert.strictEqual(succeeded(yield* withSession(service, () => Effect.succeed(7))), 7)
        assert.isAtMost((yield* Clock.currentTimeMillis) - started, 5200)
      }
    })
  )

  it.effect("comes after a failure and after an interruption", () =>
    Effect.gen(function* () {
      const service = makeService(() => null)
      yield* withSession(service, () => Effect.fail("broken"))
      yield* withSession(service, () => Effect.interrupt)
      assert.strictEqual(service.served.logouts, 2)
    })
  )

  it.effect("comes too when the run is stopped during the login", () =>
    Effect.gen(function* () {
      const service = makeService((asked) =>
        asked.path === "/login"
          ? { delay: "1 second", headers: { "x-csrf-token": "token-1" }, cookies: ["sid=user-1; Path=/"] }
          : null
      )
      const layer = Session.layer(settings).pipe(Layer.provide([service.layer, AccountLock.layerNone]))
      const program = Effect.asVoid(Session).pipe(Effect.provide(layer), Effect.timeoutOption("500 millis"))
      succeeded(yield* inVirtualTime(program))
      assert.deepStrictEqual(service.requests(), ["HEAD /", "POST /login", "POST /logout"])
    })
  )
})

it.effect("S9 cookies follow RFC 6265: host, path, expiry, Secure, many", () =>
  Effect.gen(function* () {
    const many = Array.from({ length: 100 }, (_, i) => `c${i}=${i}; Path=/`)
    const service = makeService((asked) => {
      if (asked.path === "/api/set") {
        return {
          body: "1",
          cookies: [
            "old=1; Path=/; Expires=Wed, 01 Jan 1969 00:00:00 GMT",
            "other=1; Path=/; Domain=other.example",
            "deep=1; Path=/deep",
            "secure=1; Path=/; Secure",
            "short=1; Path=/; Max-Age=5",
            ...many
          ]
        }
      }
      return asked.path.startsWith("/api/") || asked.path === "/deep" ? { body: "1" } : null
    })
    succeeded(
      yield* withSession(service, (session) =>
        Effect.gen(function* () {
          yield* get(session, "/api/set")
          yield* get(session, "/api/now")
          yield* Effect.sleep("6 seconds")
          yield* get(session, "/deep")
        })
      )
    )
    const cookies = (path: string) =>
      new Set(service.asked.find((asked) => asked.path === path)?.headers["cookie"]?.split("; ") ?? [])
    const now = cookies("/api/now")
    assert.isTrue(now.has("sid=user-1") && now.has("secure=1") && now.has("short=1") && now.has("c99=99"))
    assert.isFalse(now.has("old=1") || now.has("other=1") || now.has("deep=1"))
    const deep = cookies("/deep")
    assert.isTrue(deep.has("deep=1"))
    assert.isFalse(deep.has("short=1"))
  })
)

it.effect("S9 a cookie of another domain or path neither replaces the one of the session nor goes along", () =>
  Effect.gen(function* () {
    const others = ["sid=evil; Domain=other.example", "sid=app; Path=/app", "sid=evil; Domain=ample", "=evil", "evil"]
    const service = makeService((asked) =>
      asked.path === "/api/set" ? { body: "1", cookies: others } : asked.path.startsWith("/app") ? { body: "1" } : null
    )
    succeeded(
      yield* withSession(service, (session) =>
        Effect.gen(function* () {
          yield* get(session, "/api/set")
          yield* get(session, "/api/after")
          yield* get(session, "/application")
          yield* get(session, "/app/x")
        })
      )
    )
    const cookies = (path: string) => service.asked.find((asked) => asked.path === path)?.headers["cookie"]
    assert.strictEqual(cookies("/api/after"), "sid=user-1")
    assert.strictEqual(cookies("/application"), "sid=user-1")
    assert.strictEqual(cookies("/app/x"), "sid=app; sid=user-1")
    assert.strictEqual(service.served.logins, 1)
  })
)

for (const [what, base, line, kept] of [
  ["a domain above the host", "https://lab.svc.example", "; Domain=svc.example", true],
  ["a domain with a dot before it", "https://lab.svc.example", "; Domain=.svc.example", true],
  ["a domain in other case", "https://svc.example", "; Domain=SVC.example", true],
  ["a domain below the host", "https://svc.example", "; Domain=lab.svc.example", false],
  ["an address that repeats itself", "http://10.1.2.3:8080", "; Domain=10.1.2.3", true],
  ["a part of an address", "http://10.1.2.3", "; Domain=2.3", false],
  ["a host of one name", "http://svc", "", true],
  ["a host of a private zone", "http://svc.lab.internal", "; Domain=lab.internal", true],
  ["no path", "https://svc.example/base/", "", true],
  ["an expiry with a comma in it", "https://svc.example", "; Expires=Wed, 01 Jan 2070 00:00:00 GMT", true],
  ["the prefix __Host-", "https://svc.example", "; Secure; Path=/", true]
] as const) {
  it.effect(`S9 ${what}: ${line.slice(2)} is ${kept ? "kept" : "ignored"} from ${base}`, () =>
    Effect.gen(function* () {
      const name = line.includes("Secure") ? "__Host-more" : "more"
      const service = makeService((asked) =>
        asked.path.endsWith("/api/set") ? { body: "1", cookies: [`${name}=1${line}`] } : null
      )
      succeeded(
        yield* withSession(
          service,
          (session) => Effect.andThen(get(session, "api/set"), Effect.exit(get(session, "api/after"))),
          { baseUrl: new URL(base) }
        )
      )
      const after = service.asked.find(({ path }) => path.endsWith("/api/after"))?.headers["cookie"] ?? ""
      assert.strictEqual(after.split("; ").includes(`${name}=1`), kept)
    })
  )
}

it.effect("S9 a Secure cookie on http is said before the password is sent", () =>
  Effect.gen(function* () {
    const service = makeService((asked) =>
      asked.method === "HEAD" ? { headers: { "x-csrf-token": "t" }, cookies: ["sid=1; Path=/; Secure"] } : null
    )
    const error = failed(yield* withSession(service, () => Effect.void, { baseUrl: new URL("http://svc.example") }))
    assert.strictEqual(error._tag, "SvcLoginProtocol")
    assert.include(error.message, "https only")
    assert.notInclude(service.requests(), "POST /login")
  })
)

it.effect("Z5 no log line at any level and no span holds password, cookie, token or a query", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ cause, message }) => {
      lines.push(`${String(message)} ${Cause.pretty(cause)}`)
    })
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const spans: Array<Tracer.NativeSpan> = []
    const service = makeService((asked, count) => {
      if (asked.path === "/login" && count === 2) return { status: 200 }
      if (asked.path === "/logout") return new TransportFault({ kind: "Broken", reason: "connection reset" })
      if (asked.path === "/api/x") return count === 1 ? { status: 503 } : { status: 302, body: loginPage }
      return null
    })
    const password = Redacted.make("right")
    const exit = yield* withSession(service, (session) => get(session, "/api/x?name=canary-query"), {
      password
    }).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.withTracer(tracer)
    )
    const error = failed(exit)
    assert.strictEqual(error._tag, "SvcLoginRefused")
    assert.isAtLeast(lines.length, 3)
    assert.isAtLeast(spans.length, 5)
    const everything = [
      ...lines,
      ...spans.map((span) => `${span.name} ${JSON.stringify([...span.attributes])}`),
      error.message,
      JSON.stringify(error)
    ].join("\n")
    for (const secret of ["right", "sid=", "anonymous-1", "first-1", "token-1", "user-1"]) {
      assert.notInclude(everything, secret)
    }
    assert.notInclude([...lines, error.message].join("\n"), "canary-query")
  })
)
