/**
 * The short forms of `npm run crash` and `npm run powercut`: some points of the scenario, spread over its commands and the
 * ways to fail, in which the next run has to repair what the last one left.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sweep } from "../durability/CrashSweep.ts"
import { powerCuts } from "../durability/PowerCuts.ts"
import { makeScenario } from "../durability/Scenario.ts"
import { lacks, unless } from "../Lacks.ts"

describe("a scenario of all commands", unless(lacks.compiler), () => {
  it.live(
    "P1 P2 K1 K3 K8 T18 T19 holds its promises when it is killed, when the disk fails and when the power is cut",
    () =>
      Effect.gen(function* () {
        const scenario = yield* makeScenario
        const operations = scenario.legs.map((leg) => leg.operations)
        assert.isTrue(
          operations.every((count) => count > 15),
          operations.join()
        )

        const [legs, kinds] = [new Set<string>(), new Set<string>()]
        const crashes = yield* sweep([scenario], {
          stride: 149,
          first: 40,
          tell: (leg, kind, points) => {
            if (points === 0) return
            legs.add(leg)
            kinds.add(kind)
          }
        })
        assert.deepStrictEqual(crashes.failures, [])
        assert.isAbove(crashes.points, 12)
        assert.strictEqual(legs.size, scenario.legs.length, [...legs].join())
        assert.strictEqual(kinds.size, 7, [...kinds].join())

        const cuts = yield* powerCuts(scenario, { seed: 1, stride: 97, each: 2 })
        assert.deepStrictEqual(cuts.failures, [])
        assert.isAbove(cuts.syncs, 40)
        assert.isAbove(cuts.states, 5_000)
        assert.isAbove(cuts.reruns, 4)

        // What an entry leaves behind when it is gone, no run clears away.
        const resumed = yield* powerCuts(scenario, { seed: 2, stride: 25, each: 3, wanted: ["resume"] })
        assert.deepStrictEqual(resumed.failures, [])
      }),
    1_800_000
  )
})
