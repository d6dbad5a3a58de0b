/** A host with two addresses, of which the first is dead. The resolver is the test's: not every machine has both. */
import { randomBytes } from "node:crypto"
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { liveTransfer } from "./LiveTransfer.ts"
import { good, rawServer } from "./RawServer.ts"

const addresses = [
  { address: "::1", family: 6 },
  { address: "127.0.0.1", family: 4 }
]

/** Until the scope closes every name has these addresses, for every module of this process. */
const resolver = Effect.acquireRelease(
  Effect.sync(() => {
    const { lookup } = dns
    const answer = (_host: string, _options: unknown, done: (error: null, found: typeof addresses) => void) =>
      done(null, addresses)
    Object.assign(dns, { lookup: answer })
    syncBuiltinESMExports()
    return lookup
  }),
  (lookup) =>
    Effect.sync(() => {
      Object.assign(dns, { lookup })
      syncBuiltinESMExports()
    })
)

describe("a host with several addresses", () => {
  it.live("N15 nobody answers at the first one: the file comes from the second", () =>
    Effect.gen(function* () {
      yield* resolver
      const object = randomBytes(100_000)
      // On 127.0.0.1 only.
      const server = yield* rawServer(good(object))
      const link = `http://files.test:${server.port}/s.bam`
      const transfer = yield* liveTransfer(link, object.length, {
        request: { link: Redacted.make(link) },
        target: server.url
      })
      const outcome = yield* transfer.run
      assert.strictEqual(outcome.attempts, 1)
      assert.isTrue(transfer.final()?.equals(object))
      assert.strictEqual(server.requests.length, 1)
    })
  )
})
