import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  Clock,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Redacted,
  References,
  type Scope,
  Stream,
  Tracer
} from "effect"
import { Cookies, Headers, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import * as CookieJars from "../../../platform/http/CookieJars.ts"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import type { SessionError } from "../Errors.ts"
import { AccountLock } from "./AccountLock.ts"
import { ReplyResponse } from "./ReplyResponse.ts"
import { RepeatSafe, SlowReply } from "./RequestMarks.ts"
import { Session } from "./Session.ts"
import { makeSessionProfile } from "./SessionProfile.ts"
import type { SessionSettings } from "./SessionSettings.ts"
import { TransportFault } from "./TransportFault.ts"

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Said {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: ReadonlyArray<string>
  readonly body?: string
  /** Sent after `body`, then the body ends, breaks or stays open. */
  readonly after?: "end" | "break" | "silence"
  readonly delay?: Duration.Input
}

type Answer = (asked: Asked, count: number) => Said | TransportFault | null

const loginPage = '<!DOCTYPE html><html><form><input type="password"></form></html>'

/**
 * The service without sockets: `answer` first, and where it returns null the usual behaviour. Every reply takes 10 ms;
 * `overlaps` counts requests that met another one.
 */
const makeService = (answer: Answer) => {
  const asked: Array<Asked> = []
  const served = { inFlight: 0, overlaps: 0, logins: 0, logouts: 0 }
  let session = 0
  const usual = (request: Asked): Said => {
    if (request.method === "HEAD" || ["/", "/authenticate"].includes(request.path)) {
      session++
      return { headers: { "x-csrf-token": `first-${session}` }, cookies: [`sid=anonymous-${session}; Path=/`] }
    }
    if (request.path.endsWith("/login")) {
      served.logins++
      const form = new URLSearchParams(request.body)
      if (form.get("_csrf") !== `first-${session}` || request.headers["cookie"] !== `sid=anonymous-${session}`) {
        return { status: 302, body: loginPage }
      }
      if (form.get("password") !== "right") return { body: loginPage }
      return { headers: { "x-csrf-token": `token-${session}` }, cookies: [`sid=user-${session}; Path=/`] }
    }
    if (request.headers["cookie"] !== `sid=user-${session}`) return { status: 403, body: loginPage }
    if (request.path.endsWith("/logout")) {
      served.logouts++
      return { status: 302 }
    }
    return { body: `{"path":${JSON.stringify(request.path)}}` }
  }
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const ask: Asked = { method: request.method, path: url.pathname, headers: request.headers, body }
      asked.push(ask)
      if (++served.inFlight > 1) served.overlaps++
      const said = answer(ask, asked.filter((a) => a.method === ask.method && a.path === ask.path).length) ?? usual(ask)
      yield* Effect.sleep(said instanceof TransportFault ? 10 : (said.delay ?? 10))
      if (said instanceof TransportFault) {
        return yield* new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: said })
        })
      }
      const bytes = Stream.succeed(new TextEncoder().encode(said.body ?? ""))
      const broken = new TransportFault({ kind: "Broken", reason: "connection reset" })
      const response: ReplyResponse = new ReplyResponse(
        request,
        {
          url: url.href,
          status: said.status ?? 200,
          headers: Headers.fromInput({ ...said.headers, "set-cookie": (said.cookies ?? []).join("\n") }),
          cookies: Cookies.empty
        },
        said.after === "break"
          ? Stream.concat(
              bytes,
              Stream.suspend(() =>
                Stream.fail(
                  new HttpClientError.HttpClientError({
                    reason: new HttpClientError.DecodeError({ request, response, cause: broken })
                  })
                )
              )
            )
          : said.after === "silence"
            ? Stream.concat(bytes, Stream.never)
            : bytes
      )
      return response
    }).pipe(Effect.ensuring(Effect.sync(() => served.inFlight--)))
  )
  const requests = () => asked.map(({ method, path }) => `${method} ${path}`)
  return { asked, served, requests, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const settings: SessionSettings = {
  baseUrl: new URL("https://svc.example"),
  username: "ana",
  password: Redacted.make("right"),
  profile: makeSessionProfile("1.2.3")
}

/** Runs `use` with a session of `service`, the clock moving by itself as far as it takes. */
const withSession = <A, E>(
  service: ReturnType<typeof makeService>,
  use: (session: Session["Service"]) => Effect.Effect<A, E, Scope.Scope>,
  changed: Partial<SessionSettings> = {},
  clock: Clock.Clock | null = null
): Effect.Effect<Exit.Exit<A, E | SessionError>> =>
  Effect.gen(function* () {
    const layer = Session.layer({ ...settings, ...changed }).pipe(
      Layer.provide([service.layer, AccountLock.layerNone, CookieJars.layer])
    )
    const program = Effect.flatMap(Session, use).pipe(Effect.scoped, Effect.provide(layer))
    return yield* inVirtualTime(clock === null ? program : Effect.provideService(program, Clock.Clock, clock))
  })

const inVirtualTime = <A, E>(program: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E>> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    for (let step = 0; step < 20_000 && fiber.pollUnsafe() === undefined; step++) yield* TestClock.adjust("50 millis")
    return yield* Fiber.await(fiber)
  })

const get = (session: Session["Service"], path: string) =>
  Effect.flatMap(session.http.get(path), (response) => Effect.orDie(response.text))

const failed = <A, E>(exit: Exit.Exit<A, E>): E => {
  if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined ? assert.fail(Cause.pretty(exit.cause)) : failure.error
}

const succeeded = <A, E>(exit: Exit.Exit<A, E>): A =>
  Exit.isSuccess(exit) ? exit.value : assert.fail(Cause.pretty(exit.cause))

const call =
  (path: string): Answer =>
  (asked) =>
    asked.path === path ? { body: '{"called":true}' } : null

describe("Session", () => {
  it.effect("logs in, asks with the new cookie and token, logs out", () =>
    Effect.gen(function* () {
      const service = makeService(() => null)
      assert.strictEqual(
        succeeded(yield* withSession(service, (session) => get(session, "/api/x"))),
        '{"path":"/api/x"}'
      )
      assert.deepStrictEqual(service.requests(), ["HEAD /", "POST /login", "GET /api/x", "POST /logout"])
      const [head, , asked, logout] = service.asked
      assert.strictEqual(asked?.headers["x-csrf-token"], "token-1")
      assert.strictEqual(asked?.headers["cookie"], "sid=user-1")
      assert.strictEqual(head?.headers["sec-fetch-mode"], "same-origin")
      assert.strictEqual(head?.headers["user-agent"], "svc-steps/1.2.3")
      assert.strictEqual(logout?.body, "_csrf=token-1")
    })
  )

  it.effect("keeps every request on the base URL, whatever path it is given", () =>
    Effect.gen(function* () {
      const service = makeService((asked) => (asked.method === "GET" ? { body: "1" } : null))
      const baseUrl = new URL("https://svc.example/app/")
      const paths = ["/api/x", "api/y", "//evil.example/z", "https://evil.example/w", "https://svc.example/app/api/v"]
      succeeded(
        yield* withSession(service, (session) => Effect.forEach(paths, (path) => get(session, path)), { baseUrl })
      )
      assert.deepStrictEqual(service.requests().slice(2, -1), [
        "GET /app/api/x",
        "GET /app/api/y",
        "GET /app//evil.example/z",
        "GET /app/https://evil.example/w",
        "GET /app/api/v"
      ])
    })
  )

  describe("login", () => {
    it.effect("S1 a rejected password is sent exactly once, by however many requests", () =>
      Effect.gen(function* () {
        const service = makeService(() => null)
        const exit = yield* withSession(service, () => Effect.void, { password: Redacted.make("wrong-canary") })
        const error = failed(exit)
        assert.strictEqual(error._tag, "LoginRefused")
        assert.strictEqual(service.served.logins, 1)
        assert.notInclude(JSON.stringify(error) + error.message, "wrong-canary")
      })
    )

    it.effect("S1 a password that is rejected in mid-session is not sent again for the next request", () =>
      Effect.gen(function* () {
        const service = makeService((asked, count) => {
          if (asked.path === "/api/x") return { status: 302, body: loginPage }
          return asked.path === "/login" && count > 1 ? { body: loginPage } : null
        })
        const exit = yield* withSession(service, (session) =>
          Effect.forEach(["/api/x", "/api/y", "/api/z"], (path) => Effect.flip(get(session, path)))
        )
        assert.deepStrictEqual(
          succeeded(exit).map((error) => error._tag),
          ["LoginRefused", "LoginRefused", "LoginRefused"]
        )
        assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 2)
        assert.notInclude(service.requests(), "POST /logout")
      })
    )

    for (const [name, head, tag] of [
      ["cookie", { headers: { "x-csrf-token": "t" } }, "session cookie"],
      ["token", { cookies: ["sid=1; Path=/"] }, "X-CSRF-TOKEN"]
    ] as const) {
      it.effect(`S2 an initial page without ${name} is LoginProtocol, and the password stays here`, () =>
        Effect.gen(function* () {
          const service = makeService((asked) => (asked.method === "HEAD" ? head : null))
          const error = failed(yield* withSession(service, () => Effect.void))
          assert.strictEqual(error._tag, "LoginProtocol")
          assert.include(error.message, tag)
          assert.deepStrictEqual(service.requests(), ["HEAD /", "HEAD /authenticate"])
        })
      )
    }

    it.effect("S2 the second initial path is asked when the first has no token", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.method === "HEAD" && asked.path === "/" ? { status: 404 } : null))
        succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.deepStrictEqual(service.requests().slice(0, 3), ["HEAD /", "HEAD /authenticate", "POST /login"])
      })
    )

    for (const status of [405, 501]) {
      it.effect(`S2 a service that refuses HEAD with ${status} is asked with GET, after the paths that might not`, () =>
        Effect.gen(function* () {
          const service = makeService((asked) => (asked.method === "HEAD" ? { status } : null))
          succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
          assert.deepStrictEqual(service.requests().slice(0, 4), [
            "HEAD /",
            "HEAD /authenticate",
            "GET /",
            "POST /login"
          ])
        })
      )
    }

    it.effect("S2 a path that answers HEAD is enough, and what GET does not bring either is said", () =>
      Effect.gen(function* () {
        const half = makeService((asked) => (asked.method === "HEAD" && asked.path === "/" ? { status: 405 } : null))
        succeeded(yield* withSession(half, (session) => get(session, "/api/x")))
        assert.deepStrictEqual(half.requests().slice(0, 3), ["HEAD /", "HEAD /authenticate", "POST /login"])
        const none = makeService((asked) => (asked.method === "HEAD" ? { status: 405 } : { body: loginPage }))
        const error = failed(yield* withSession(none, () => Effect.void))
        assert.deepStrictEqual(none.requests(), ["HEAD /", "HEAD /authenticate", "GET /", "GET /authenticate"])
        assert.include(error.message, "no X-CSRF-TOKEN header in the reply to GET /authenticate (status 200)")
      })
    )

    it.effect("S2 the newest token is used, with every answer another one", () =>
      Effect.gen(function* () {
        const service = makeService((asked, count) =>
          asked.path === "/api/x" ? { body: "1", headers: { "X-Csrf-Token": `turn-${count}` } } : null
        )
        succeeded(yield* withSession(service, (session) => Effect.forEach([1, 2, 3], () => get(session, "/api/x"))))
        assert.deepStrictEqual(
          service.asked.slice(2).map((asked) => asked.headers["x-csrf-token"]),
          ["token-1", "turn-1", "turn-2", "turn-3"]
        )
        assert.strictEqual(service.asked.at(-1)?.body, "_csrf=turn-3")
      })
    )

    it.effect("an initial page that redirects elsewhere says where", () =>
      Effect.gen(function* () {
        const service = makeService(() => ({ status: 308, headers: { location: "https://new.example/?s=secret" } }))
        const error = failed(yield* withSession(service, () => Effect.void))
        assert.include(error.message, "https://new.example")
        assert.notInclude(error.message, "secret")
      })
    )

    it.effect("the session ending between initial page and form is not a rejected password", () =>
      Effect.gen(function* () {
        const service = makeService((asked, count) =>
          asked.path === "/login" && count === 1 ? { status: 302, body: loginPage, headers: { location: "/" } } : null
        )
        succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 2)
      })
    )

    it.effect("S12 a maintenance page is LoginProtocol, not a rejected password, and not repeated", () =>
      Effect.gen(function* () {
        const page = "<html><h1>Down for maintenance</h1></html>"
        for (const said of [{ body: page }, { status: 503, body: page }, { status: 500 }]) {
          const service = makeService((asked) => (asked.path === "/login" ? said : null))
          assert.strictEqual(failed(yield* withSession(service, () => Effect.void))._tag, "LoginProtocol")
          assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 1)
        }
      })
    )

    it.effect("N16 a login whose connection breaks is not sent blindly again", () =>
      Effect.gen(function* () {
        const service = makeService((asked) =>
          asked.path === "/login" ? new TransportFault({ kind: "Broken", reason: "connection reset" }) : null
        )
        const error = failed(yield* withSession(service, () => Effect.void))
        assert.strictEqual(error._tag, "Unavailable")
        assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 1)
      })
    )

    const unreadable = new TransportFault({
      kind: "Encoding",
      reason: "its body is not in the encoding that its header names"
    })
    const unanswered: ReadonlyArray<readonly [string, Said | TransportFault, string]> = [
      ["is stopped before its answer comes", { delay: "1 hour" }, "Unavailable"],
      ["has an answer that cannot be read", unreadable, "ReplyMalformed"]
    ]
    for (const [what, said, tag] of unanswered) {
      it.effect(`S1 a login that ${what} has sent the password too: three of them, then no more`, () =>
        Effect.gen(function* () {
          const service = makeService((asked, count) =>
            asked.path === "/api/x"
              ? { status: 302, body: loginPage }
              : asked.path === "/login" && count > 1
                ? said
                : null
          )
          const impatient = (session: Session["Service"]) =>
            get(session, "/api/x").pipe(Effect.timeout("2 seconds"), Effect.flip)
          const errors = succeeded(
            yield* withSession(
              service,
              (session) => Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () => impatient(session)),
              {
                timeouts: { grace: Duration.millis(200) }
              }
            )
          )
          assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 3)
          assert.strictEqual(errors.at(-1)?._tag, tag)
        })
      )
    }

    it.effect("a request after the session's scope has closed is a defect that says so", () =>
      Effect.gen(function* () {
        const service = makeService(() => null)
        const session = succeeded(yield* withSession(service, Effect.succeed))
        const exit = yield* Effect.exit(get(session, "/api/x"))
        assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes("The session is closed"))
        assert.notInclude(service.requests(), "GET /api/x")
      })
    )

    it.effect("S10 user and password arrive byte for byte", () =>
      Effect.gen(function* () {
        for (const password of ['a"b&c%d=e+f g', "häß😀", "x".repeat(1024), "line\n", "%41", "\t\u0000"]) {
          const service = makeService((asked) =>
            asked.path === "/login" && new URLSearchParams(asked.body).get("password") === password
              ? { headers: { "x-csrf-token": "token-1" }, cookies: ["sid=user-1; Path=/"] }
              : null
          )
          succeeded(yield* withSession(service, () => Effect.void, { password: Redacted.make(password) }))
        }
      })
    )
  })

  describe("a lost session", () => {
    it.effect("S3 302 with HTML, then 403s: one login, the request again, no HTML as data", () =>
      Effect.gen(function* () {
        let alive = true
        const service = makeService((asked, count) => {
          if (asked.method === "HEAD") alive = true
          if (asked.path === "/api/x" && count === 1) {
            alive = false
            return { status: 302, headers: { location: "https://svc.example/" }, body: loginPage }
          }
          return !alive && asked.method === "GET" ? { status: 403, body: loginPage } : null
        })
        const exit = yield* withSession(service, (session) =>
          Effect.forEach(["/api/x", "/api/y", "/api/z"], (path) => get(session, path), { concurrency: "unbounded" })
        )
        assert.deepStrictEqual(succeeded(exit), ['{"path":"/api/x"}', '{"path":"/api/y"}', '{"path":"/api/z"}'])
        assert.strictEqual(service.served.logins, 2)
        assert.strictEqual(service.served.overlaps, 0)
      })
    )

    it.effect("S4 a service that says 401 for what it forbids is quoted with 401", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path === "/api/hidden" ? { status: 401 } : null))
        const error = failed(yield* withSession(service, (session) => get(session, "/api/hidden")))
        assert.deepInclude(error, { _tag: "Forbidden", status: 401 })
      })
    )

    it.effect("S4 a 403 that persists is Forbidden for that item only, and many of them cost one login", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path.startsWith("/api/no") ? { status: 403, body: "{}" } : null))
        const items = ["/api/no1", "/api/a", "/api/no2", "/api/no3", "/api/b"]
        const exit = yield* withSession(service, (session) =>
          Effect.forEach(items, (path) =>
            Effect.match(get(session, path), { onFailure: (e) => e._tag, onSuccess: () => "ok" })
          )
        )
        assert.deepStrictEqual(succeeded(exit), ["Forbidden", "ok", "Forbidden", "Forbidden", "ok"])
        assert.strictEqual(service.served.logins, 2)
      })
    )

    it.effect("S4 with nothing but forbidden items for hours the logins stay bounded, and it is never contention", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path.startsWith("/api/") ? { status: 403 } : null))
        const exit = yield* withSession(service, (session) =>
          Effect.forEach(Array.from({ length: 100 }), () =>
            Effect.andThen(Effect.sleep("9 seconds"), Effect.flip(get(session, "/api/no")))
          )
        )
        assert.isTrue(succeeded(exit).every((error) => error._tag === "Forbidden"))
        assert.isAtMost(service.served.logins, 6)
      })
    )

    it.effect("C1 a clock that is set back does not keep a lost session from a new login", () =>
      Effect.gen(function* () {
        const { clock, set } = yield* makeJumpingClock
        // Each path is forbidden once: the session is gone, and a login brings it back.
        const service = makeService((asked, count) =>
          asked.path.startsWith("/api") && count === 1 ? { status: 403 } : null
        )
        const exit = yield* withSession(
          service,
          (session) =>
            Effect.gen(function* () {
              yield* get(session, "/api/x")
              yield* Effect.sleep("2 minutes")
              set(-3_600_000)
              return yield* get(session, "/api/y")
            }),
          {},
          clock
        )
        assert.strictEqual(succeeded(exit), '{"path":"/api/y"}')
      })
    )

    it.effect("S5 the session dying at any request of the run is recovered", () =>
      Effect.gen(function* () {
        for (const status of [302, 403]) {
          for (let dies = 1; dies <= 6; dies++) {
            let total = 0
            let alive = true
            const service = makeService((asked) => {
              if (++total === dies) {
                alive = false
                return { status, body: loginPage }
              }
              if (asked.method === "HEAD") alive = true
              return alive ? null : { status: 403, body: loginPage }
            })
            const exit = yield* withSession(service, (session) =>
              Effect.forEach(["/api/list", "/api/links/1", "/api/links/2"], (path) => get(session, path))
            )
            assert.strictEqual(succeeded(exit).length, 3, `status ${status} at request ${dies}`)
            assert.isAtMost(service.served.logins, 2)
          }
        }
      })
    )

    it.effect("S5 a POST during which the session dies is not repeated; one that was refused with 403 is", () =>
      Effect.gen(function* () {
        for (const [status, safe, expected, posts] of [
          [302, false, "OutcomeUnknown", 1],
          [302, true, "ok", 2],
          [403, false, "ok", 2]
        ] as const) {
          const service = makeService((asked, count) => (asked.path === "/restore" && count === 1 ? { status } : null))
          const exit = yield* withSession(service, (session) =>
            session.http
              .post("/restore")
              .pipe(
                Effect.provideService(RepeatSafe, safe),
                Effect.match({ onFailure: (error) => error._tag as string, onSuccess: () => "ok" })
              )
          )
          assert.strictEqual(succeeded(exit), expected)
          assert.strictEqual(service.requests().filter((request) => request === "POST /restore").length, posts)
        }
      })
    )

    it.effect("S7 a session that is lost again and again ends in SessionContention after three logins", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path === "/api/x" ? { status: 302, body: loginPage } : null))
        const error = failed(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.strictEqual(error._tag, "SessionContention")
        assert.strictEqual(service.served.logins, 3)
      })
    )

    it.effect(
      "H17 HTML with 200 and a JSON type is a lost session; JSON called text/html is taken by its content",
      () =>
        Effect.gen(function* () {
          const service = makeService((asked, count) => {
            if (asked.path === "/api/x" && count === 1) {
              return { headers: { "content-type": "application/json" }, body: `\uFEFF \n${loginPage}` }
            }
            return asked.path === "/api/y" ? { headers: { "content-type": "text/html" }, body: '{"y":1}' } : null
          })
          const exit = yield* withSession(service, (session) =>
            Effect.forEach(["/api/x", "/api/y"], (path) => get(session, path))
          )
          assert.deepStrictEqual(succeeded(exit), ['{"path":"/api/x"}', '{"y":1}'])
          assert.strictEqual(service.served.logins, 2)
        })
    )

    it.effect("H17 an endpoint that is HTML after a fresh login too is handed over as it is", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path === "/page" ? { body: "<html>hello</html>" } : null))
        assert.strictEqual(
          succeeded(yield* withSession(service, (session) => get(session, "/page"))),
          "<html>hello</html>"
        )
        assert.strictEqual(service.served.logins, 2)
      })
    )
  })

  describe("one at a time", () => {
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

    it.effect("S8 a request that never ends is cut after the grace time, and the logout still comes", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path === "/api/hang" ? { delay: "1 hour" } : null))
        const layer = Session.layer(settings).pipe(
          Layer.provide([service.layer, AccountLock.layerNone, CookieJars.layer])
        )
        const program = Effect.flatMap(Session, (session) => get(session, "/api/hang")).pipe(
          Effect.provide(layer),
          Effect.timeoutOption("10 seconds"),
          Effect.andThen(Clock.currentTimeMillis)
        )
        const ended = succeeded(yield* inVirtualTime(program))
        assert.isAtMost(ended, 13_200)
        assert.strictEqual(service.served.logouts, 1)
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
      "S8 a stream recognises the lost session before it gives anything out, and breaks with a typed error",
      () =>
        Effect.gen(function* () {
          const service = makeService((asked, count) => {
            if (asked.path !== "/api/big") return null
            return count === 1 ? { body: loginPage } : { body: "[1,", after: "break" }
          })
          const exit = yield* withSession(service, (session) =>
            Effect.scoped(
              Effect.flatMap(session.stream(HttpClientRequest.get("/api/big")), (response) =>
                Effect.flip(response.text)
              )
            )
          )
          const error = succeeded(exit)
          assert.strictEqual(error.reason._tag, "DecodeError")
          assert.include(error.message, "connection reset")
          assert.strictEqual(service.served.logins, 2)
        })
    )
  })

  describe("repeating", () => {
    const times = (service: ReturnType<typeof makeService>, request: string) =>
      service.requests().filter((other) => other === request).length

    for (const status of [408, 425, 429, 500, 502, 503, 504]) {
      it.effect(`H13 ${status} six times, then ok`, () =>
        Effect.gen(function* () {
          const service = makeService((asked, count) => (asked.path === "/api/x" && count <= 6 ? { status } : null))
          succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
          assert.strictEqual(times(service, "GET /api/x"), 7)
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
          [new TransportFault({ kind: "Broken", reason: "connection reset" }), "OutcomeUnknown", 1],
          [{ status: 502 }, "OutcomeUnknown", 1],
          [{ status: 503 }, "Unavailable", 1],
          [{ status: 500 }, "OutcomeUnknown", 1],
          [{ body: "{", after: "break" }, "OutcomeUnknown", 1]
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

    it.effect("N12 headers that never come: typed after the limit, longer for slow replies", () =>
      Effect.gen(function* () {
        for (const [slow, expected] of [
          [false, "Unavailable"],
          [true, "ok"]
        ] as const) {
          const service = makeService((asked) => (asked.path === "/api/x" ? { body: "1", delay: "2 minutes" } : null))
          const exit = yield* withSession(
            service,
            (session) =>
              get(session, "/api/x").pipe(
                Effect.provideService(SlowReply, slow),
                Effect.match({ onFailure: (error) => error._tag as string, onSuccess: () => "ok" })
              ),
            { tries: 2 }
          )
          assert.strictEqual(succeeded(exit), expected)
        }
      })
    )

    it.effect("H19 a body over the limit is a typed error, not memory", () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.path === "/api/x" ? { body: "[1,2,3,4]" } : null))
        const error = failed(yield* withSession(service, (session) => get(session, "/api/x"), { bodyLimit: 8 }))
        assert.strictEqual(error._tag, "ReplyTooLarge")
      })
    )

    it.effect("TLS and proxy refusals are final", () =>
      Effect.gen(function* () {
        for (const [fault, tag] of [
          [new TransportFault({ kind: "Tls", reason: "its certificate has expired" }), "TlsRefused"],
          [new TransportFault({ kind: "Proxy", reason: "407", proxy: "proxy:1", status: 407 }), "ProxyRefused"]
        ] as const) {
          const service = makeService(() => fault)
          assert.strictEqual(failed(yield* withSession(service, () => Effect.void))._tag, tag)
          assert.strictEqual(service.asked.length, 1)
        }
      })
    )
  })

  describe("logout", () => {
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
        const layer = Session.layer(settings).pipe(
          Layer.provide([service.layer, AccountLock.layerNone, CookieJars.layer])
        )
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
        asked.path === "/api/set"
          ? { body: "1", cookies: others }
          : asked.path.startsWith("/app")
            ? { body: "1" }
            : null
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
      assert.strictEqual(error._tag, "LoginProtocol")
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
      assert.strictEqual(error._tag, "LoginRefused")
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
})
