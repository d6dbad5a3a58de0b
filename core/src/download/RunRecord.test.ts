import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeJumpingClock } from "../../../test/JumpingClock.ts"
import { makeRunRecord } from "./RunRecord.ts"

describe("the record of a run", () => {
  it.effect("C1 it lasted as long as it took, also when the clock was set back meanwhile", () =>
    Effect.gen(function* () {
      const { clock, set } = yield* makeJumpingClock
      const record = yield* Effect.provideService(makeRunRecord, Clock.Clock, clock)
      yield* TestClock.adjust("1500 millis")
      set(-7_200_000)
      assert.strictEqual(yield* Effect.provideService(record.milliseconds, Clock.Clock, clock), 1500)
    })
  )
})
