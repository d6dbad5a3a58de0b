/** A session from its login to its logout. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { get, makeService, succeeded, withSession } from "../../../test/session/SessionGround.ts"

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
})
