/** The sandbox as the tests of other people have it: a layer, and a clock that goes on while nothing is asked. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { Downloads } from "../core/src/download/Downloads.ts"
import * as Service from "../platform/Service.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"

layer(Sandbox.layerFor(Service.layer, { behaviour: { strict: true } }))(
  "the sandbox as a layer, under a TestClock",
  (it) => {
    it.effect("passes the time of a repeat, and lets no request run into its timeout", () =>
      Effect.gen(function* () {
        const { passTime, setFaults, stats } = yield* Sandbox
        const downloads = yield* Downloads
        yield* setFaults([{ when: { endpoint: "getFileDownloadLinks", nth: 1 }, then: { status: 503 } }])
        const before = yield* Clock.currentTimeMillis
        const plan = yield* passTime(downloads.plan({ analysisIds: ["A1"] }))
        assert.lengthOf(plan.failures, 0)
        // The repeat waited for half a second or so, and not for a minute.
        const waited = (yield* Clock.currentTimeMillis) - before
        assert.isTrue(waited > 0 && waited < 10_000, `${waited}`)
        assert.strictEqual((yield* stats).faultsFired, 1)
      })
    )
  }
)
