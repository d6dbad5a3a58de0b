import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { until } from "../test/Executables.ts"
import { makeForwardClock } from "../test/servers/ForwardClock.ts"
import { arrive, ask, type Heard, json, logIn, logOut, postForm, say } from "../test/servers/Visitor.ts"
import { type SandboxOptions, start } from "./Sandbox.ts"

const numberOfLogins = 2

layer(NodeServices.layer, { excludeTestServices: true })("session", (it) => {
  describe("login", () => {
    it.effect("gives cookie and token before it, and new ones at it", () =>
      Effect.gen(function* () {
        const sandbox = yield* start()
        const { before, heard, pass } = yield* logIn(sandbox)
        assert.strictEqual(heard.status, 200)
        assert.match(before.cookie, /^SESSION=./)
        assert.notStrictEqual(pass.cookie, before.cookie)
        assert.notStrictEqual(pass["x-csrf-token"], before["x-csrf-token"])
        assert.isString(heard.headers["build-version"])
        assert.strictEqual((yield* ask(sandbox.url, pass, "/api/analyses")).status, 200)
        assert.strictEqual((yield* sandbox.stats).logins, 1)
      })
    )

    it.effect("S1 a wrong password: 200, no token, no session", () =>
      Effect.gen(function* () {
        const sandbox = yield* start()
        const { heard, before } = yield* logIn({ ...sandbox, password: "wrong" })
        assert.strictEqual(heard.status, 200)
        assert.isUndefined(heard.headers["x-csrf-token"])
        assert.isUndefined(heard.headers["set-cookie"])
        assert.strictEqual((yield* ask(sandbox.url, before, "/api/analyses")).status, 403)
        const { failedLogins, logins } = yield* sandbox.stats
        assert.deepStrictEqual({ failedLogins, logins }, { failedLogins: 1, logins: 0 })
      })
    )

    it.effect("a wrong password in each form of its body", () =>
      Effect.forEach(["html", "json", "empty"] as const, (badLogin) =>
        Effect.gen(function* () {
          const sandbox = yield* start({ behaviour: { badLogin } })
          const { heard } = yield* logIn({ ...sandbox, password: "wrong" })
          const type = String(heard.headers["content-type"] ?? "")
          assert.strictEqual(heard.status, 200)
          assert.strictEqual(type.split(";")[0], { html: "text/html", json: "application/json", empty: "" }[badLogin])
        })
      )
    )

    it.effect("needs the cookie and the token of the first request", () =>
      Effect.gen(function* () {
        const { password, stats, url, user } = yield* start()
        const { pass } = yield* arrive(url)
        const fields = [
          ["username", user],
          ["password", password]
        ] as const
        const noToken = yield* postForm(url, { ...pass, "x-csrf-token": "" }, "/login", fields)
        const noCookie = yield* postForm(url, { ...pass, cookie: "" }, "/login", [
          ["_csrf", pass["x-csrf-token"]],
          ...fields
        ])
        assert.deepStrictEqual([noToken.status, noCookie.status], [403, 403])
        assert.strictEqual((yield* stats).logins, 0)
      })
    )

    it.effect("the first request at / or at /authenticate, under another cookie name", () =>
      Effect.gen(function* () {
        const { url } = yield* start({ behaviour: { initialSession: "authenticate", cookieName: "JSESSIONID" } })
        const base = yield* arrive(url)
        assert.strictEqual(base.heard.status, 200)
        assert.isUndefined(base.heard.headers["x-csrf-token"])
        assert.match((yield* arrive(url, "/authenticate")).pass.cookie, /^JSESSIONID=/)
        const other = yield* start({ behaviour: { initialSession: "base" } })
        assert.strictEqual((yield* arrive(other.url, "/authenticate")).heard.status, 404)
      })
    )

    it.effect("may answer 302, with cookie and token all the same", () =>
      Effect.gen(function* () {
        const sandbox = yield* start({ behaviour: { loginRedirect: true } })
        const { heard, pass } = yield* logIn(sandbox)
        assert.strictEqual(heard.status, 302)
        assert.strictEqual((yield* ask(sandbox.url, pass, "/api/analyses")).status, 200)
      })
    )

    it.effect("S10 a password is compared byte for byte", () =>
      Effect.gen(function* () {
        const password = `q"&%+ü😀${"x".repeat(1024)}\n`
        const sandbox = yield* start({ world: { accounts: [{ user: "ada&co", password }] } })
        assert.isDefined((yield* logIn(sandbox)).heard.headers["x-csrf-token"])
        assert.isUndefined((yield* logIn({ ...sandbox, password: password.trim() })).heard.headers["x-csrf-token"])
      })
    )
  })

  describe("authenticated requests", () => {
    it.effect("are forbidden without cookie, without token, with a token of another session", () =>
      Effect.gen(function* () {
        const sandbox = yield* start()
        const { before, pass } = yield* logIn(sandbox)
        const attempts = [
          { ...pass, cookie: "" },
          { ...pass, "x-csrf-token": "" },
          { ...pass, "x-csrf-token": before["x-csrf-token"] },
          { ...pass, cookie: before.cookie }
        ]
        for (const attempt of attempts) {
          assert.strictEqual((yield* ask(sandbox.url, attempt, "/api/analyses")).status, 403)
        }
      })
    )

    it.effect("status and body of a 403 are behaviour", () =>
      Effect.gen(function* () {
        const { url } = yield* start({ behaviour: { forbiddenStatus: 401, forbiddenBody: "json" } })
        const heard = yield* say(`${url}/api/analyses`)
        assert.strictEqual(heard.status, 401)
        assert.deepStrictEqual(json(heard), { status: 401, error: "Forbidden" })
      })
    )

    it.effect("S2 a token may change with every answer", () =>
      Effect.gen(function* () {
        const sandbox = yield* start({ behaviour: { rotateToken: true } })
        const { pass } = yield* logIn(sandbox)
        const first = yield* ask(sandbox.url, pass, "/api/analyses")
        assert.strictEqual((yield* ask(sandbox.url, pass, "/api/analyses")).status, 403)
        const next = { ...pass, "x-csrf-token": String(first.headers["x-csrf-token"]) }
        assert.strictEqual((yield* ask(sandbox.url, next, "/api/analyses")).status, 200)
      })
    )

    it.effect("logout ends the session and is not a forced logout", () =>
      Effect.gen(function* () {
        const sandbox = yield* start()
        const { pass } = yield* logIn(sandbox)
        assert.strictEqual((yield* logOut(sandbox.url, pass)).status, 302)
        assert.strictEqual((yield* ask(sandbox.url, pass, "/api/analyses")).status, 403)
        const { invalidations, logouts } = yield* sandbox.stats
        assert.deepStrictEqual({ invalidations, logouts }, { invalidations: 0, logouts: 1 })
      })
    )
  })

  describe("overlap", () => {
    /** A sandbox where the lists of analyses with these numbers are answered when another request has come. */
    const held = Effect.fnUntraced(function* (options: SandboxOptions, numbers: ReadonlyArray<number>) {
      const { clock, forward } = yield* makeForwardClock()
      const faults = numbers.map((nth) => ({
        when: { endpoint: "getAnalyses" as const, nth },
        then: { delay: 60_000 }
      }))
      const sandbox = yield* Effect.provideService(start({ ...options, faults }), Clock.Clock, clock)
      const came = Effect.map(sandbox.stats, ({ requests }) => requests["getAnalyses"] ?? 0)
      /** Sends `later` when `sooner` has come, and gives both answers. */
      const both = Effect.fnUntraced(function* (sooner: Effect.Effect<Heard>, later: Effect.Effect<Heard>) {
        const before = yield* came
        const first = yield* Effect.forkChild(sooner)
        yield* until(
          "the first request comes",
          Effect.map(came, (count) => count > before)
        )
        const second = yield* later
        assert.isUndefined(first.pollUnsafe())
        yield* forward("2 minutes")
        return [yield* Fiber.join(first), second] as const
      })
      return { ...sandbox, both }
    })

    it.effect(
      "S8 strict mode answers the second request with 302 and HTML, then everything with 403 until a new login",
      () =>
        Effect.gen(function* () {
          const sandbox = yield* held({ behaviour: { strict: true } }, [1])
          const { both, url } = sandbox
          const { pass } = yield* logIn(sandbox)
          const list = ask(url, pass, "/api/analyses")
          const [first, second] = yield* both(list, list)
          assert.strictEqual(second.status, 302)
          assert.strictEqual(second.headers.location, `${url}/`)
          assert.match(String(second.headers["content-type"]), /^text\/html/)
          assert.approximately(second.body.length, 50_000, 5_000)
          assert.strictEqual(first.status, 200)
          assert.strictEqual((yield* list).status, 403)
          const again = yield* logIn(sandbox)
          assert.strictEqual((yield* ask(url, again.pass, "/api/analyses")).status, 200)
          const { invalidations, logins, maxApiInFlight, overlaps } = yield* sandbox.stats
          assert.deepStrictEqual(
            { invalidations, logins, maxApiInFlight, overlaps },
            { invalidations: 1, logins: numberOfLogins, maxApiInFlight: 2, overlaps: 1 }
          )
        })
    )

    it.effect("S7 two sessions of one account overlap too, two accounts do not", () =>
      Effect.gen(function* () {
        const world = {
          accounts: [
            { user: "a", password: "1" },
            { user: "b", password: "2" }
          ]
        } as const
        const { both, stats, url } = yield* held({ world, behaviour: { strict: true } }, [1, 3])
        const visit = (account: { user: string; password: string }) =>
          Effect.map(logIn({ url, ...account }), ({ pass }) => ask(url, pass, "/api/analyses"))
        const [a, b] = world.accounts
        const different = yield* both(yield* visit(a), yield* visit(b))
        assert.deepStrictEqual(
          different.map((heard) => heard.status),
          [200, 200]
        )
        assert.strictEqual((yield* stats).overlaps, 0)
        const [, same] = yield* both(yield* visit(a), yield* visit(a))
        assert.strictEqual(same.status, 302)
        assert.strictEqual((yield* stats).overlaps, 1)
      })
    )

    it.effect("is only counted without strict mode, and tolerated up to the limit", () =>
      Effect.gen(function* () {
        for (const behaviour of [{}, { strict: true, overlapLimit: 2 }]) {
          const sandbox = yield* held({ behaviour }, [1])
          const { pass } = yield* logIn(sandbox)
          const list = ask(sandbox.url, pass, "/api/analyses")
          const heard = yield* sandbox.both(list, list)
          assert.deepStrictEqual(
            heard.map((one) => one.status),
            [200, 200]
          )
          assert.strictEqual((yield* sandbox.stats).overlaps, 1)
        }
      })
    )
  })
})
