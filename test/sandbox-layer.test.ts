/** The sandbox as the tests of other people have it: a layer, and a clock that goes on while nothing is asked. */
import { readdirSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Schedule } from "effect"
import { Downloads } from "../core/src/download/Downloads.ts"
import { isSettled } from "../core/src/download/RestorationStatus.ts"
import * as Service from "../platform/Service.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"

const behaviour = { strict: true, restoreDelay: Duration.hours(8) }

layer(Sandbox.layerFor(Service.layer, { behaviour: behaviour }))("the sandbox as a layer, under a TestClock", (it) => {
  it.effect("has a restoration of eight hours in a moment, looked for by a schedule of one's own", () =>
    Effect.gen(function* () {
      const { folder, passTime } = yield* Sandbox
      const downloads = yield* Downloads
      const options = {
        analysisIds: ["A3"],
        filetypes: ["bam"],
        destination: folder,
        restoreArchived: "force"
      } as const
      let looks = 0
      const { statuses } = yield* passTime(
        Effect.gen(function* () {
          yield* downloads.restore(options)
          const { look } = yield* downloads.resume(options)
          return yield* Effect.repeat(
            Effect.tap(look, () => Effect.sync(() => looks++)),
            {
              schedule: Schedule.spaced("1 hour"),
              until: ({ statuses }) => statuses.every(isSettled)
            }
          )
        })
      )
      assert.deepStrictEqual(
        statuses.map(({ state }) => state._tag),
        ["Done"]
      )
      assert.include(readdirSync(folder), "S3.bam")
      assert.strictEqual(looks, 9)
      assert.isAtLeast(yield* Clock.currentTimeMillis, Duration.toMillis("8 hours"))
    })
  )

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
})
