/** How a session begins: the form, the token, the cookie, and what is no login. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Duration, Effect, Exit, Redacted } from "effect"
import type { Said } from "../../../test/session/SessionGround.ts"
import { failed, get, loginPage, makeService, succeeded, withSession } from "../../../test/session/SessionGround.ts"
import { Scrubber } from "../text/Scrubber.ts"
import { RefusedLogins } from "./LoginHistory.ts"
import type { Session } from "./Session.ts"
import { TransportFault } from "./TransportFault.ts"

describe("Session, login", () => {
  it.effect("S1 a rejected password is sent exactly once, by however many requests", () =>
    Effect.gen(function* () {
      const service = makeService(() => null)
      const exit = yield* withSession(service, () => Effect.void, { password: Redacted.make("wrong-canary") })
      const error = failed(exit)
      assert.strictEqual(error._tag, "SvcLoginRefused")
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
        ["SvcLoginRefused", "SvcLoginRefused", "SvcLoginRefused"]
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
        assert.strictEqual(error._tag, "SvcLoginProtocol")
        assert.include(error.message, tag)
        assert.deepStrictEqual(service.requests(), ["HEAD /", "HEAD /authenticate"])
      })
    )
  }

  it.effect(
    "S2 the token of a session that ended is none for the next one: without a fresh one no password is sent",
    () =>
      Effect.gen(function* () {
        let over = false
        const service = makeService(({ method, path }) => {
          over ||= path === "/api/x"
          if (path === "/api/x") return { status: 302 }
          return over && method === "HEAD" ? { cookies: ["sid=other; Path=/"] } : null
        })
        const error = failed(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.strictEqual(error._tag, "SvcLoginProtocol")
        assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 1)
      })
  )

  it.effect("S2 the second initial path is asked when the first has no token", () =>
    Effect.gen(function* () {
      const service = makeService((asked) => (asked.method === "HEAD" && asked.path === "/" ? { status: 404 } : null))
      succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
      assert.deepStrictEqual(service.requests().slice(0, 3), ["HEAD /", "HEAD /authenticate", "POST /login"])
    })
  )

  it.effect("S2 where the address leads to a path of the same host, it is told, and no query", () =>
    Effect.gen(function* () {
      const service = makeService((asked) =>
        asked.method === "HEAD"
          ? asked.path === "/"
            ? { status: 301, headers: { location: "/app/;jsessionid=secret?secret=1" } }
            : { status: 404 }
          : null
      )
      const { message } = failed(yield* withSession(service, () => Effect.void))
      assert.match(message, /in the reply to HEAD \/ \(status 301, which leads to \/app\/\)$/)
    })
  )

  it.effect("S2 a path that answers tells more than a redirect before it", () =>
    Effect.gen(function* () {
      const service = makeService(({ method, path }) =>
        method !== "HEAD"
          ? null
          : path === "/"
            ? { status: 302, headers: { location: "/ui/" } }
            : { headers: { "x-csrf-token": "t" } }
      )
      const { message } = failed(yield* withSession(service, () => Effect.void))
      assert.match(message, /no session cookie in the reply to HEAD \/authenticate \(status 200\)$/)
    })
  )

  for (const status of [405, 501]) {
    it.effect(`S2 a service that refuses HEAD with ${status} is asked with GET, after the paths that might not`, () =>
      Effect.gen(function* () {
        const service = makeService((asked) => (asked.method === "HEAD" ? { status } : null))
        succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.deepStrictEqual(service.requests().slice(0, 4), ["HEAD /", "HEAD /authenticate", "GET /", "POST /login"])
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

  it.effect("S2 of a token that comes twice in one reply one is sent", () =>
    Effect.gen(function* () {
      const service = makeService((asked) =>
        asked.path === "/api/x" ? { body: "1", headers: { "X-Csrf-Token": "old, new" } } : null
      )
      succeeded(yield* withSession(service, (session) => Effect.forEach([1, 2], () => get(session, "/api/x"))))
      assert.strictEqual(service.asked[3]?.headers["x-csrf-token"], "new")
      assert.strictEqual(service.asked.at(-1)?.body, "_csrf=new")
    })
  )

  it.effect("S1 a token field that holds only a comma is none: the password was not taken", () =>
    Effect.gen(function* () {
      const service = makeService((asked) =>
        asked.path === "/login" ? { body: loginPage, headers: { "X-Csrf-Token": ", " } } : null
      )
      const error = failed(yield* withSession(service, () => Effect.void))
      assert.strictEqual(error._tag, "SvcLoginRefused")
    })
  )

  it.effect("Z5 of a token that comes twice neither is printed", () =>
    Effect.gen(function* () {
      const service = makeService((asked) =>
        asked.path === "/api/x"
          ? { body: "1", headers: { "X-Csrf-Token": "canary-old-of-two, canary-new-of-two" } }
          : null
      )
      yield* withSession(service, (session) => get(session, "/api/x"))
      const { prose } = yield* Scrubber
      assert.notMatch(prose("canary-old-of-two canary-new-of-two"), /canary/)
    })
  )

  it.effect(
    "an initial page of the same host under another scheme or port is named as the address, one of another host never",
    () =>
      Effect.gen(function* () {
        for (const [location, says, never] of [
          ["https://svc.example:8443/", /https:\/\/svc\.example:8443; give that as the address/, /another host/],
          [
            "https://idp.example/sso?x=1",
            /another host, https:\/\/idp\.example: .*The password was not sent/,
            /give that/
          ],
          ["http://portal.hotel.example/", /the login page of this network/, /give that/]
        ] as const) {
          const service = makeService(() => ({ status: 302, headers: { location } }))
          const error = failed(yield* withSession(service, () => Effect.void))
          assert.strictEqual(error._tag, "SvcLoginProtocol")
          assert.match(error.message, says)
          assert.notMatch(error.message, never)
          assert.isFalse(service.requests().some((request) => request.startsWith("POST")))
        }
      })
  )

  it.effect("S1 a password that has expired is sent once, and is no other program's doing", () =>
    Effect.gen(function* () {
      const page = { status: 302, headers: { location: "/account/change-password" } }
      const service = makeService((asked) => (asked.path === "/login" ? page : null))
      const error = failed(yield* withSession(service, () => Effect.void))
      assert.deepInclude(error, { _tag: "SvcLoginRefused", expired: true })
      assert.match(
        error.message,
        /wants a new password for ana, .*: change it in a browser, at \/account\/change-password \(it is not sent again\)/
      )
      assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 1)
    })
  )

  for (const [password, says] of [
    ["wrong\r", /password; the password ends with a line end/],
    ["wrong\n", /ends with a line end/],
    ['"wrong"', /has quotes around it/],
    ["'wrong'", /has quotes around it/],
    [" wrong", /begins or ends with a space/],
    ['wr"ong', /check user name and password \(/],
    ['"wrong', /check user name and password \(/]
  ] as const) {
    it.effect(
      `S1 S10 a refused password ${JSON.stringify(password)} was sent as it is, and what is odd about it is said`,
      () =>
        Effect.gen(function* () {
          const service = makeService(() => null)
          const error = failed(yield* withSession(service, () => Effect.void, { password: Redacted.make(password) }))
          assert.strictEqual(error._tag, "SvcLoginRefused")
          assert.match(error.message, says)
          assert.notInclude(error.message, "wrong")
          const login = service.asked.find(({ path }) => path === "/login")
          assert.strictEqual(new URLSearchParams(login?.body).get("password"), password)
        })
    )
  }

  it.effect("the session ending between initial page and form is not a rejected password", () =>
    Effect.gen(function* () {
      const service = makeService((asked, count) =>
        asked.path === "/login" && count === 1 ? { status: 302, body: loginPage, headers: { location: "/" } } : null
      )
      succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
      assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 2)
    })
  )

  it.effect(
    "S7 two logins that end alike are how the service is, unless it has let us in before; else somebody else ends them",
    () =>
      Effect.gen(function* () {
        for (const [statuses, before, tag] of [
          [[302, 302], false, "SvcLoginProtocol"],
          [[403, 403], false, "SvcForbidden"],
          [[302, 403], false, "SvcSessionContention"],
          [[302, 302], true, "SvcSessionContention"]
        ] as const) {
          const service = makeService(({ path }, count) => {
            if (path === "/api/lost") return { status: 302 }
            const status = path === "/login" ? statuses[count - (before ? 2 : 1)] : undefined
            return status === undefined ? null : { status, headers: { location: "/" } }
          })
          const exit = yield* withSession(service, (session) => (before ? get(session, "/api/lost") : Effect.void))
          assert.strictEqual(failed(exit)._tag, tag, `${statuses}, ${before}`)
        }
      })
  )

  it.effect("S12 a maintenance page is LoginProtocol, not a rejected password, and not repeated", () =>
    Effect.gen(function* () {
      const page = "<html><h1>Down for maintenance</h1></html>"
      for (const said of [{ body: page }, { status: 503, body: page }, { status: 500 }]) {
        const service = makeService((asked) => (asked.path === "/login" ? said : null))
        assert.strictEqual(failed(yield* withSession(service, () => Effect.void))._tag, "SvcLoginProtocol")
        assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 1)
      }
    })
  )

  it.effect("N16 a login whose answer breaks off is not sent again", () =>
    Effect.gen(function* () {
      const service = makeService((asked) =>
        asked.path === "/login" ? new TransportFault({ kind: "Broken", reason: "connection reset" }) : null
      )
      const error = failed(yield* withSession(service, () => Effect.void))
      assert.strictEqual(error._tag, "SvcUnavailable")
      assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 1)
    })
  )

  const cut = new TransportFault({ kind: "Unanswered", reason: "connection reset" })

  it.effect("N16 a login that is cut before a byte of the answer is repeated once, from the initial page on", () =>
    Effect.gen(function* () {
      const service = makeService((asked, count) => (asked.path === "/login" && count === 1 ? cut : null))
      succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
      assert.deepStrictEqual(service.requests().slice(0, 5), [
        "HEAD /",
        "POST /login",
        "HEAD /",
        "POST /login",
        "GET /api/x"
      ])
      const [first, second] = service.asked.filter(({ path }) => path === "/login")
      assert.strictEqual(first?.headers["cookie"], "sid=anonymous-1")
      assert.strictEqual(second?.headers["cookie"], "sid=anonymous-2")
      assert.include(second?.body, "_csrf=first-2")
    })
  )

  it.effect("N16 cut twice it is unavailable, and a password that the second answer rejects is not sent again", () =>
    Effect.gen(function* () {
      const twice = makeService((asked) => (asked.path === "/login" ? cut : null))
      const error = failed(yield* withSession(twice, () => Effect.void))
      assert.strictEqual(error.message, "svc.example is unavailable: connection reset, during the login (2 attempts)")
      assert.strictEqual(twice.requests().filter((request) => request === "POST /login").length, 2)
      const rejecting = makeService((asked, count) => (asked.path === "/login" && count === 1 ? cut : null))
      const refused = yield* withSession(rejecting, () => Effect.void, { password: Redacted.make("wrong") })
      assert.strictEqual(failed(refused)._tag, "SvcLoginRefused")
      assert.strictEqual(rejecting.requests().filter((request) => request === "POST /login").length, 2)
    })
  )

  it.effect("S12 a password that has expired, by where every call leads: 77 with the page, and one login", () =>
    Effect.gen(function* () {
      for (const [location, expired] of [
        ["https://svc.example/account/change-password;jsessionid=canary?from=canary", true],
        ["/login?expired", false],
        ["/", false]
      ] as const) {
        const service = makeService((asked) =>
          asked.path === "/api/x" ? { status: 302, headers: { location } } : null
        )
        const error = failed(yield* withSession(service, (session) => get(session, "/api/x")))
        assert.strictEqual(error._tag, expired ? "SvcLoginRefused" : "SvcSessionContention")
        assert.strictEqual(service.served.logins, expired ? 1 : 3)
        if (expired) assert.include(error.message, "change it in a browser, at /account/change-password (")
        assert.notInclude(error.message, "canary")
      }
    })
  )

  it.effect("S9 logins of a run are apart by pauses that grow", () =>
    Effect.gen(function* () {
      const service = makeService((asked) => (asked.path === "/api/x" ? { status: 302 } : null))
      failed(yield* withSession(service, (session) => get(session, "/api/x")))
      const at = service.asked.filter(({ path }) => path === "/login").map(({ at }) => at)
      const [first = 0, second = 0, third = 0] = at
      assert.isAtLeast(second - first, 1500)
      assert.isAtLeast(third - second, 15_000)
    })
  )

  it.effect("S1 N16 logins that are cut count as logins: three in ten minutes, then none", () =>
    Effect.gen(function* () {
      const service = makeService((asked, count) =>
        asked.path === "/api/x" ? { status: 302 } : asked.path === "/login" && count > 1 ? cut : null
      )
      const errors = succeeded(
        yield* withSession(service, (session) => Effect.forEach([1, 2, 3], () => Effect.flip(get(session, "/api/x"))))
      )
      assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 3)
      assert.isTrue(errors.every((error) => error.message.includes("connection reset, during the login")))
    })
  )

  it.effect("N1 a login that never left this machine is not one of the three", () =>
    Effect.gen(function* () {
      const refused = new TransportFault({ kind: "NotSent", reason: "connection refused" })
      const service = makeService(({ path }, count) => (path === "/login" && count <= 4 ? refused : null))
      succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
      assert.strictEqual(service.served.logins, 1)
    })
  )

  const unreadable = new TransportFault({
    kind: "Encoding",
    reason: "its body is not in the encoding that its header names"
  })
  const unanswered: ReadonlyArray<readonly [string, Said | TransportFault, string]> = [
    ["is stopped before its answer comes", { delay: "1 hour" }, "SvcUnavailable"],
    ["has an answer that cannot be read", unreadable, "SvcReplyMalformed"]
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
          get(session, "/api/x").pipe(Effect.timeout("45 seconds"), Effect.flip)
        const errors = succeeded(
          yield* withSession(service, (session) => Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () => impatient(session)), {
            timeouts: { grace: Duration.millis(200) }
          })
        )
        assert.strictEqual(service.requests().filter((request) => request === "POST /login").length, 3)
        assert.strictEqual(errors.at(-1)?._tag, tag)
      })
    )
  }

  it.effect("S1 a login that works clears the account of the passwords that others had refused", () =>
    Effect.gen(function* () {
      const cleared: Array<string> = []
      const refusedLogins: RefusedLogins = {
        has: () => Effect.succeed(false),
        add: () => Effect.void,
        forget: (key) => Effect.sync(() => void cleared.push(key))
      }
      const service = makeService(() => null)
      const exit = yield* withSession(service, () => Effect.void).pipe(
        Effect.provideService(RefusedLogins, refusedLogins)
      )
      succeeded(exit)
      assert.deepStrictEqual(cleared, ["https://svc.example/\nana"])
    })
  )

  it.effect("N11 an initial page that is busy is asked for again, and is no wrong address", () =>
    Effect.gen(function* () {
      const service = makeService(({ method }, count) => (method === "HEAD" && count <= 2 ? { status: 503 } : null))
      succeeded(yield* withSession(service, (session) => get(session, "/api/x")))
      const busy = makeService(() => ({ status: 503 }))
      assert.strictEqual(failed(yield* withSession(busy, () => Effect.void))._tag, "SvcUnavailable")
    })
  )

  it.effect("N16 an initial page that cannot be read is not asked for again: the next would be the same", () =>
    Effect.gen(function* () {
      const service = makeService(() => unreadable)
      assert.include(failed(yield* withSession(service, () => Effect.void)).message, "encoding")
      assert.strictEqual(service.asked.length, 1)
    })
  )

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
