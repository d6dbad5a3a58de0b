/** The session and the typed client on it, against the sandbox with its open questions answered in every way. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Scope } from "effect"
import { HttpApiClient } from "effect/http-api"
import { serviceApi } from "../../core/src/contract/ServiceApi.ts"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { Session } from "../../core/src/session/Session.ts"
import { layerFetch } from "../../core/src/session/SessionFetch.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import { type RunningSandbox, type SandboxOptions, start } from "../../sandbox/Sandbox.ts"

const sessionOf = (sandbox: RunningSandbox, password = sandbox.password) =>
  Session.layer({
    baseUrl: new URL(sandbox.url),
    username: sandbox.user,
    password: Redacted.make(password),
    profile: makeSessionProfile("0.0.0"),
    tries: 2
  }).pipe(Layer.provide([ApiHttp.layer({ proxy: null, caFile: null, noProxy: "*" }), AccountLock.layerNone]))

const inSandbox = <A, E>(
  options: SandboxOptions,
  body: (sandbox: RunningSandbox) => Effect.Effect<A, E, Scope.Scope>
) => Effect.flatMap(start(options), body).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

const typedClient = Effect.flatMap(Session, (session) =>
  HttpApiClient.makeWith(serviceApi(), { httpClient: session.http })
)

/** Twelve typed calls at once through one session; gives how many analyses each saw. */
const twelveCalls = Effect.flatMap(typedClient, (api) =>
  Effect.forEach(
    Array.from({ length: 12 }),
    () => Effect.map(api.analysis.getAnalyses({ query: {} }), (reply) => JSON.stringify(reply).length),
    { concurrency: "unbounded" }
  )
)

describe("session and sandbox", () => {
  it.live("S8 strict: twelve typed calls at once never overlap", () =>
    inSandbox({ behaviour: { strict: true } }, (sandbox) =>
      Effect.gen(function* () {
        const sizes = yield* Effect.provide(twelveCalls, sessionOf(sandbox))
        assert.isAbove(Math.min(...sizes), 100)
        const stats = yield* sandbox.stats
        assert.strictEqual(stats.maxApiInFlight, 1)
        assert.strictEqual(stats.overlaps, 0)
        assert.strictEqual(stats.logins, 1)
        assert.strictEqual(stats.logouts, 1)
      })
    )
  )

  it.live("over the fetch of Effect, as where there is no Node: cookies, token and turns are the same", () =>
    inSandbox({ behaviour: { strict: true } }, (sandbox) =>
      Effect.gen(function* () {
        const layer = layerFetch({
          baseUrl: new URL(sandbox.url),
          username: sandbox.user,
          password: Redacted.make(sandbox.password),
          profile: makeSessionProfile("0.0.0")
        })
        // A lost session shows itself by a redirect, which fetch would follow to the login page.
        yield* sandbox.setFaults([{ when: { endpoint: "getAnalyses", nth: 3 }, then: { invalidate: "redirect" } }])
        assert.isAbove(Math.min(...(yield* Effect.provide(twelveCalls, layer))), 100)
        const { logins, logouts, overlaps } = yield* sandbox.stats
        assert.deepStrictEqual({ logins, logouts, overlaps }, { logins: 2, logouts: 1, overlaps: 0 })
      })
    )
  )

  for (const behaviour of [
    { initialSession: "authenticate" },
    { initialSession: "base" },
    { initialHead: "405" },
    { initialHead: "501", initialSession: "authenticate" },
    { rotateToken: true },
    { cookieName: "x-odd.name" },
    { loginRedirect: true },
    { ids: "numeric" }
  ] satisfies ReadonlyArray<SandboxOptions["behaviour"]>) {
    it.live(`S2 the service with ${JSON.stringify(behaviour)}`, () =>
      inSandbox({ behaviour: { ...behaviour, strict: true } }, (sandbox) =>
        Effect.gen(function* () {
          yield* Effect.provide(twelveCalls, sessionOf(sandbox))
          const stats = yield* sandbox.stats
          assert.strictEqual(stats.invalidations, 0)
          assert.strictEqual(stats.logins, 1)
        })
      )
    )
  }
})
