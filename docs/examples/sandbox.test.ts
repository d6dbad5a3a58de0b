/**
 * Tests with the service in a box: each block has one of its own, with what goes wrong in it.
 *
 *     npx vitest run sandbox.test.ts
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Schedule } from "effect"
import { Client, Downloads, Ids, Restorations } from "svc-steps"
import { Service } from "svc-steps/node"
import { Sandbox } from "svc-steps/sandbox"

/** Strict: the session ends when two requests overlap, as that of the real service does. */
layer(Sandbox.layerFor(Service.layer, { behaviour: { strict: true } }))("a service", (it) => {
  it.effect("says no, and then goes on", () =>
    Effect.gen(function* () {
      const { setFaults, stats } = yield* Sandbox
      const { getPersonAnalyses } = yield* Client.ServiceClient
      yield* setFaults([{ when: { endpoint: "getPersonAnalyses", nth: 1 }, then: { status: 422 } }])
      const error = yield* Effect.flip(getPersonAnalyses(Ids.LimsId.make("LIMS-0001")))
      assert.strictEqual(error._tag, "SvcRequestRejected")
      assert.isNotEmpty(yield* getPersonAnalyses(Ids.LimsId.make("LIMS-0001")))
      assert.strictEqual((yield* stats).faultsFired, 1)
    })
  )
})

layer(Sandbox.layerFor(Service.layer))("a service that is away for a moment", (it) => {
  it.effect("is asked again", () =>
    Effect.gen(function* () {
      const { passTime, setFaults } = yield* Sandbox
      const { getAnalyses } = yield* Client.ServiceClient
      yield* setFaults([{ when: { endpoint: "getAnalyses", nth: 1 }, then: { status: 503 } }])
      // The client waits before it asks again, and in a test no time passes by itself.
      assert.isNotEmpty(yield* passTime(getAnalyses()))
    })
  )
})

const slow = { restoreDelay: Duration.hours(8) }

layer(Sandbox.layerFor(Service.layer, { behaviour: slow }))("a restoration of eight hours", (it) => {
  it.effect("takes a moment", () =>
    Effect.gen(function* () {
      const { folder, passTime } = yield* Sandbox
      const downloads = yield* Downloads.Downloads
      const options = { analysisIds: ["A3"], destination: folder, restoreArchived: "force" } as const
      yield* downloads.restore(options)
      const { look } = yield* downloads.resume(options)
      const areBack = Effect.map(look, ({ statuses }) => statuses.every(Restorations.isSettled))
      yield* passTime(Effect.repeat(areBack, { schedule: Schedule.spaced("1 hour"), until: (back) => back }))
      assert.strictEqual(yield* Clock.currentTimeMillis, Duration.toMillis("8 hours"))
    })
  )
})
