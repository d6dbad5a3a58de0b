/** A host with two addresses, of which the first is dead. The resolver is the test's: not every machine has both. */
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { vi } from "vitest"
import { liveTransfer } from "./LiveTransfer.ts"
import { good, rawServer } from "./RawServer.ts"

const addresses = vi.hoisted(() => [
  { address: "::1", family: 6 },
  { address: "127.0.0.1", family: 4 }
])

vi.mock("node:dns", async (original) => ({
  ...(await original<typeof import("node:dns")>()),
  lookup: (_host: string, _options: unknown, done: (error: null, found: typeof addresses) => void) =>
    done(null, addresses)
}))

describe("a host with several addresses", () => {
  it.live("N15 nobody answers at the first one: the file comes from the second", () =>
    Effect.gen(function* () {
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
