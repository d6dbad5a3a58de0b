/** Bytes through the gateway, from a link host that does not give them at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AdviceOf } from "../../core/src/Errors.ts"
import type { FaultRule } from "../../sandbox/Faults.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { adviceOf } from "../../steps/main/Advice.ts"
import { ask } from "../GatewayGround.ts"
import { startGatewayHere } from "../GatewayLayer.ts"

const ofLink = (then: FaultRule["then"], when: FaultRule["when"] = {}): FaultRule => ({
  when: { plane: "link", file: "S1.bam", ...when },
  then
})

/** A gateway that relays and passes restorations on. */
const gateway = startGatewayHere({ relay: true, allowRestore: true }).pipe(Effect.provideService(AdviceOf, adviceOf))

describe("the relay", () => {
  it.live("L2 N6 gives a file whole although connections break and its link ends while it is read", () =>
    Effect.gen(function* () {
      const { setFaults, stats } = yield* Sandbox
      const { url } = yield* gateway
      const whole = yield* ask(`${url}/files/A1/S1.bam`)
      assert.strictEqual(whole.status, 200)
      yield* setFaults([ofLink({ reset: 70_000 }, { nth: 1 }), ofLink({ expireLink: "now" }, { nth: 2 })])
      const again = yield* ask(`${url}/files/A1/S1.bam`)
      assert.strictEqual(again.status, 200)
      assert.strictEqual(Buffer.compare(again.bytes, whole.bytes), 0)
      const { expiredLinks, faultsFired, files, requests } = yield* stats
      assert.deepStrictEqual([faultsFired, expiredLinks, requests["getFileDownloadLinks"]], [2, 1, 2])
      assert.isAtLeast(files["A1/S1.bam"]?.requests ?? 0, 3)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("L3 of a file in cold storage that the service lists as there, nothing is asked for in vain", () =>
    Effect.gen(function* () {
      const { setFaults } = yield* Sandbox
      const { url } = yield* gateway
      const refused = Effect.map(ask(`${url}/files/A1/S1.bam`), ({ status, text }) => {
        assert.strictEqual(status, 409, text)
        return JSON.parse(text)
      })
      const body = "<Error><Code>InvalidObjectState</Code></Error>"
      yield* setFaults([ofLink({ status: 403, body })])
      for (const { message, restoreUrl } of [yield* refused, yield* refused]) {
        assert.isNull(restoreUrl)
        assert.match(message, /^S1\.bam is in the archive: \S+ answers 403, InvalidObjectState.*tell its operators/)
        assert.notInclude(message, "restoreUrl")
      }
      // One that went there since it was listed is restored: the service was asked for another link, and lists it as archived.
      yield* setFaults([ofLink({ archive: true })])
      const listed = yield* refused
      assert.match(listed.message, /with a POST to restoreUrl/)
      assert.strictEqual((yield* ask(listed.restoreUrl, { method: "POST" })).status, 202)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})
