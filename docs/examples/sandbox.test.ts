/**
 * Tests with the service in a box: each block has one of its own, with what goes wrong in it.
 *
 *     npx vitest run sandbox.test.ts
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { LimsId, ServiceClient } from "svc-steps"
import { sandboxLayer } from "./sandbox-layer.ts"

const analysesOf = (id: string) => ServiceClient.use(({ getPersonAnalyses }) => getPersonAnalyses(LimsId.make(id)))

layer(sandboxLayer())("a service", (it) => {
  it.effect("lists the analyses of a person", () =>
    Effect.gen(function* () {
      const analyses = yield* analysesOf("LIMS-0001")
      assert.include(
        analyses.map(({ id }) => String(id)),
        "A1"
      )
    })
  )

  it.effect("does not know everybody", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(analysesOf("LIMS-9999"))
      assert.strictEqual(error._tag, "SvcNotFound")
    })
  )
})

const refusing = { when: { endpoint: "getPersonAnalyses" }, then: { status: 422 } } as const

layer(sandboxLayer({ faults: [refusing] }))("a service that says no", (it) => {
  it.effect("is heard", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(analysesOf("LIMS-0001"))
      assert.deepInclude(error, { _tag: "SvcRequestRejected", status: 422 })
    })
  )
})
