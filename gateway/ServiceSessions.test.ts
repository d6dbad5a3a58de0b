import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { parseReaders } from "./Readers.ts"
import { makeServiceSessions } from "./ServiceSessions.ts"

const token = "ada-0123456789abcdef"
const { readers } = Result.getOrThrow(parseReaders(`ada ${token}`))

const requested = (method: string, path: string, session?: { readonly cookie: string }, body?: URLSearchParams) =>
  HttpServerRequest.fromWeb(
    new Request(`http://gateway${path}`, {
      method,
      headers: session === undefined ? {} : { cookie: session.cookie },
      ...(body === undefined ? {} : { body })
    })
  )

/** The cookie and the token of an answer. */
const sessionOf = (answer: HttpServerResponse.HttpServerResponse | null) => {
  const { headers } = HttpServerResponse.toWeb(answer ?? HttpServerResponse.empty())
  return {
    cookie: (headers.getSetCookie()[0] ?? "").replace(/;.*/, ""),
    csrf: headers.get("x-csrf-token") ?? ""
  }
}

describe("sessions of programs that know the service alone", () => {
  it.effect("however many begin one and do not log in, those who have stay logged in", () =>
    Effect.gen(function* () {
      const sessions = makeServiceSessions("/service", false)
      const begin = Effect.map(sessions.answer(requested("GET", "/"), "/", readers), sessionOf)
      const logIn = Effect.gen(function* () {
        const first = yield* begin
        const form = new URLSearchParams({ _csrf: first.csrf, username: "ada", password: token })
        return sessionOf(yield* sessions.answer(requested("POST", "/login", first, form), "/login", readers))
      })
      const nameOf = (session: { readonly cookie: string }) =>
        sessions.readerOf(requested("GET", "/api/analyses", session), readers, 0)?.name
      const ada = yield* logIn
      assert.strictEqual(nameOf(ada), "ada")
      for (let i = 0; i < 10_100; i++) yield* begin
      assert.strictEqual(nameOf(ada), "ada")
      // And who comes now can still log in.
      assert.strictEqual(nameOf(yield* logIn), "ada")
    })
  )
})
