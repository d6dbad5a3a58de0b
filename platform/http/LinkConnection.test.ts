import { Duplex } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ByteRing } from "./ByteRing.ts"
import { LinkConnection } from "./LinkConnection.ts"

describe("LinkConnection", () => {
  it("gives bytes that lie at the end of the ring without waiting for more, which cannot join them", () => {
    const ring = new ByteRing(1024 * 1024)
    const connection = new LinkConnection(new Duplex({ read() {}, write() {} }), ring)
    const arrive = (length: number) => {
      for (let left = length; left > 0; ) {
        const portion = Math.min(left, ring.target.length)
        ring.filled(portion)
        left -= portion
      }
      connection.received()
    }
    /** Fails when the bytes do not come at once. */
    const available = (enough: number) => Effect.runSync(connection.available(enough)).length
    arrive(700_000)
    assert.strictEqual(available(700_000), 700_000)
    connection.take(700_000)
    arrive(450_000)
    const first = 1024 * 1024 - 700_000
    assert.strictEqual(available(450_000), first)
    connection.take(first)
    assert.strictEqual(available(450_000 - first), 450_000 - first)
  })
})
