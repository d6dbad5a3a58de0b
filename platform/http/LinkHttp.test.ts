import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { LinkHost } from "../../core/src/transfer/LinkHost.ts"
import * as LinkHttp from "./LinkHttp.ts"

/** A resolver that is down, until it is up and leads every name to this machine. */
const resolver = Effect.acquireRelease(
  Effect.sync(() => {
    const { lookup } = dns
    const state = { down: true }
    const mended = (_host: string, _options: object, done: (error: Error | null, found?: unknown) => void) =>
      state.down
        ? done(Object.assign(new Error("down"), { code: "EAI_AGAIN" }))
        : done(null, [{ address: "127.0.0.1", family: 4 }])
    dns.lookup = mended as unknown as typeof lookup
    syncBuiltinESMExports()
    return { state, lookup }
  }),
  ({ lookup }) =>
    Effect.sync(() => {
      dns.lookup = lookup
      syncBuiltinESMExports()
    })
)

describe("link hosts", () => {
  it.effect("L7 a resolver that was down for a moment does not decide for ever which hosts may be visited", () =>
    Effect.gen(function* () {
      const { state } = yield* resolver
      const target = new URL("http://service.example:8080")
      const layer = LinkHttp.layer({ target, userAgent: "t", proxy: null, caFile: null, noProxy: "" })
      yield* Effect.gen(function* () {
        const hosts = yield* LinkHost
        const approved = Effect.result(
          hosts.approve({ file: "S1.bam", link: Redacted.make("http://127.0.0.1:9/S1.bam") })
        )
        // By its name the target is a public host, and its links do not lead to this machine.
        assert.strictEqual((yield* approved)._tag, "Failure")
        state.down = false
        yield* TestClock.adjust("61 seconds")
        assert.strictEqual((yield* approved)._tag, "Success")
      }).pipe(Effect.provide(layer))
    })
  )
})
