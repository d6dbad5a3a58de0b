/** A session that ends in the middle of the work: it is begun again once for all who wait. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import { failed, get, loginPage, makeService, succeeded, withSession } from "../../../test/session/SessionGround.ts"
import { whyNotJson } from "./Recognition.ts"
import { JsonReply, RepeatSafe } from "./RequestMarks.ts"

describe("Session, a lost session", () => {
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
      assert.deepInclude(error, { _tag: "SvcForbidden", status: 401 })
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
      assert.deepStrictEqual(succeeded(exit), ["SvcForbidden", "ok", "SvcForbidden", "SvcForbidden", "ok"])
      assert.strictEqual(service.served.logins, 2)
    })
  )

  it.effect("S7 a session that ends twice in a minute, seen only as 403, does not forbid all that follows", () =>
    Effect.gen(function* () {
      // Another program's login ends ours before the second and before the fourth item; the other program saw the redirects.
      let alive = true
      const ends = new Set(["/api/2", "/api/4"])
      const service = makeService((asked) => {
        if (asked.path === "/login") alive = true
        if (ends.delete(asked.path)) alive = false
        return asked.path.startsWith("/api/") && !alive ? { status: 403 } : null
      })
      const exit = yield* withSession(service, (session) =>
        Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], (item) =>
          Effect.match(get(session, `/api/${item}`), { onFailure: (e) => e._tag, onSuccess: () => "ok" })
        )
      )
      assert.deepStrictEqual(succeeded(exit), Array(8).fill("ok"))
      assert.strictEqual(service.served.logins, 3)
    })
  )

  /** Each of `items` in turn, and what became of it. `ends` are the requests, counted by their order, before which the session ends. */
  const visit = Effect.fnUntraced(function* (
    items: ReadonlyArray<string>,
    { ends = [], forbidden = [] }: { readonly ends?: ReadonlyArray<number>; readonly forbidden?: ReadonlyArray<string> }
  ) {
    let alive = true
    let asked = 0
    const service = makeService(({ path }) => {
      if (path === "/login") alive = true
      if (!path.startsWith("/api/")) return null
      if (ends.includes(++asked)) alive = false
      return alive && !forbidden.includes(path) ? null : { status: 403 }
    })
    const exit = yield* withSession(service, (session) =>
      Effect.forEach(items, (item) =>
        Effect.match(get(session, item), { onFailure: (e) => e._tag as string, onSuccess: () => "ok" })
      )
    )
    return { outcomes: succeeded(exit), requests: service.requests(), logins: service.served.logins }
  })

  it.effect("S7 a session that ends again before the request after its login is told from a missing permission", () =>
    Effect.gen(function* () {
      // Request 2 meets the ended session, and so does its repetition, request 3; request 4 is the witness.
      const { logins, outcomes } = yield* visit(["/api/1", "/api/2", "/api/3"], { ends: [2, 3] })
      assert.deepStrictEqual(outcomes, ["ok", "ok", "ok"])
      assert.strictEqual(logins, 3)
    })
  )

  it.effect("S7 what was answered before is permitted: refused twice, it costs another login", () =>
    Effect.gen(function* () {
      const { logins, outcomes } = yield* visit(["/api/1", "/api/1"], { ends: [2, 3] })
      assert.deepStrictEqual(outcomes, ["ok", "ok"])
      assert.strictEqual(logins, 3)
    })
  )

  it.effect("S7 after a forbidden item the end of a session is still seen for what it is", () =>
    Effect.gen(function* () {
      const items = ["/api/1", "/api/no", "/api/2", "/api/3", "/api/4"]
      // Requests: 1, no, no, the witness, then the session ends.
      const { logins, outcomes } = yield* visit(items, { ends: [5], forbidden: ["/api/no"] })
      assert.deepStrictEqual(outcomes, ["ok", "SvcForbidden", "ok", "ok", "ok"])
      assert.strictEqual(logins, 3)
    })
  )

  it.effect("S7 a session that never lives to the next answer ends in contention, and forbids nothing", () =>
    Effect.gen(function* () {
      const ends = Array.from({ length: 20 }, (_, index) => index + 3)
      const { logins, outcomes } = yield* visit(["/api/1", "/api/2", "/api/3"], { ends })
      assert.deepStrictEqual(outcomes, ["ok", "ok", "SvcSessionContention"])
      assert.isAtMost(logins, 5)
    })
  )

  it.effect("S4 one forbidden item among hundreds costs one login and two requests, and no other item", () =>
    Effect.gen(function* () {
      const items = Array.from({ length: 300 }, (_, index) => `/api/${index}`)
      const forbidden = "/api/150"
      const { logins, outcomes, requests } = yield* visit(items, { forbidden: [forbidden] })
      assert.deepStrictEqual(
        items.filter((_, index) => outcomes[index] !== "ok"),
        [forbidden]
      )
      assert.strictEqual(logins, 2)
      assert.strictEqual(requests.filter((it) => it.startsWith("GET")).length, items.length + 2)
    })
  )

  it.effect("S4 a refusal whose page does not end is hung up on before a witness is asked", () =>
    Effect.gen(function* () {
      const pieces = { count: 100, every: 1, size: 64 * 1024 }
      const service = makeService(({ path }) => (path === "/api/no" ? { status: 403, body: "no", pieces } : null))
      const exit = yield* withSession(service, (session) =>
        Effect.andThen(get(session, "/api/1"), Effect.flip(get(session, "/api/no")))
      )
      assert.strictEqual(succeeded(exit)._tag, "SvcForbidden")
      assert.strictEqual(service.served.overlaps, 0)
    })
  )

  it.effect("S4 a PUT that was refused is sent again when the witness gets no answer: it had no effect", () =>
    Effect.gen(function* () {
      const service = makeService(({ path }, count) =>
        path === "/api/x" && count < 3 ? { status: 403 } : path === "/api/w" && count === 2 ? { status: 502 } : null
      )
      succeeded(
        yield* withSession(service, (session) => Effect.andThen(get(session, "/api/w"), session.http.put("/api/x")))
      )
      assert.strictEqual(service.requests().filter((request) => request === "PUT /api/x").length, 3)
    })
  )

  it.effect("S4 a witness that is forbidden itself by now is not believed twice", () =>
    Effect.gen(function* () {
      const later = new Set<string>()
      const service = makeService(({ path }) => (later.has(path) ? { status: 403 } : null))
      const exit = yield* withSession(service, (session) =>
        Effect.gen(function* () {
          yield* get(session, "/api/1")
          yield* get(session, "/api/2")
          for (const path of ["/api/2", "/api/no"]) later.add(path)
          const error = yield* Effect.flip(get(session, "/api/no"))
          return [error._tag, yield* get(session, "/api/3")]
        })
      )
      assert.deepStrictEqual(succeeded(exit), ["SvcForbidden", '{"path":"/api/3"}'])
      assert.strictEqual(service.served.logins, 3)
    })
  )

  it.effect("S4 however many are forbidden in a row, something that is answered shows that the session lives", () =>
    Effect.gen(function* () {
      const forbidden = Array.from({ length: 20 }, (_, item) => `/api/forbidden/${item}`)
      const { logins, outcomes } = yield* visit(["/api/1", ...forbidden], { forbidden })
      assert.deepStrictEqual(outcomes, ["ok", ...forbidden.map(() => "SvcForbidden")])
      assert.strictEqual(logins, 2)
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
      assert.isTrue(succeeded(exit).every((error) => error._tag === "SvcForbidden"))
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
        [302, false, "SvcOutcomeUnknown", 1],
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
      assert.strictEqual(error._tag, "SvcSessionContention")
      assert.strictEqual(service.served.logins, 3)
    })
  )

  it.effect("H17 HTML with 200 and a JSON type is a lost session; JSON called text/html is taken by its content", () =>
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

  const json = Effect.provideService(JsonReply, whyNotJson)

  it.effect(
    "H17 a page in place of data, for each of many analyses: three logins in ten minutes, and it is said what the page is",
    () =>
      Effect.gen(function* () {
        const page = "<html><title>Scheduled maintenance</title></html>"
        const service = makeService((asked) => (asked.path.startsWith("/api/") ? { body: page } : null))
        const exit = yield* withSession(service, (session) =>
          Effect.forEach(Array.from({ length: 12 }), (_, item) => Effect.flip(json(get(session, `/api/${item}`))))
        )
        for (const error of succeeded(exit)) {
          assert.strictEqual(error._tag, "SvcUnavailable")
          assert.include(
            error.message,
            "it shows a page in place of data (Scheduled maintenance): maintenance, or a firewall"
          )
        }
        assert.strictEqual(service.served.logins, 3)
      })
  )

  it.effect("H17 a page that goes away within half a minute is got over, with one login", () =>
    Effect.gen(function* () {
      const service = makeService(({ path }, count) => (path === "/api/1" && count < 5 ? { body: "<html>" } : null))
      const exit = yield* withSession(service, (session) => json(get(session, "/api/1")))
      assert.strictEqual(succeeded(exit), '{"path":"/api/1"}')
      assert.strictEqual(service.served.logins, 2)
    })
  )

  it.effect("H17 an answer between pages gives the logins back", () =>
    Effect.gen(function* () {
      // Each item is HTML once, as at the end of a session: twenty ends of sessions are twenty logins.
      const service = makeService(({ path }, count) =>
        path.startsWith("/api/") && count === 1 ? { body: loginPage } : null
      )
      const exit = yield* withSession(service, (session) =>
        Effect.forEach(Array.from({ length: 20 }), (_, item) => json(get(session, `/api/${item}`)))
      )
      assert.strictEqual(succeeded(exit).length, 20)
      assert.strictEqual(service.served.logins, 21)
    })
  )

  it.effect("S3 the words of Spring for an ended session are one, whoever asked, and other words are not", () =>
    Effect.gen(function* () {
      const words =
        "This session has been expired (possibly due to multiple concurrent logins being attempted as the same user)."
      for (const mark of [json, (self: ReturnType<typeof get>) => self]) {
        const service = makeService(({ path }, count) => (path === "/api/1" && count === 1 ? { body: words } : null))
        const exit = yield* withSession(service, (session) => mark(get(session, "/api/1")))
        assert.strictEqual(succeeded(exit), '{"path":"/api/1"}')
        assert.strictEqual(service.served.logins, 2)
      }
      const other = makeService(({ path }) => (path === "/api/1" ? { body: "This session is short" } : null))
      const exit = yield* withSession(other, (session) => get(session, "/api/1"))
      assert.strictEqual(succeeded(exit), "This session is short")
      assert.strictEqual(other.served.logins, 1)
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
