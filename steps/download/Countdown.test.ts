import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { countdownLine, makeCountdown } from "./ResumeFiles.ts"

describe("countdown", () => {
  it("Y2 says as much as the window has room for", () => {
    const countdown = { awaited: "3 restorations pending", wake: 61_000, deadline: 3_725_000 }
    assert.strictEqual(
      countdownLine(countdown, 120),
      "3 restorations pending, looking again in 1:01, for another 1:02:05 at most; Ctrl-C keeps them for a later run"
    )
    assert.strictEqual(
      countdownLine(countdown, 80),
      "3 restorations pending, looking again in 1:01, for 1:02:05 at most"
    )
    assert.strictEqual(
      countdownLine({ ...countdown, awaited: "no answer yet", wake: -5 }, 45),
      "no answer yet, next look 0:00, end 1:02:05"
    )
    assert.strictEqual(countdownLine(countdown, 30), "next look 1:01")
    for (let columns = 20; columns < 140; columns++) {
      assert.isBelow(countdownLine({ ...countdown, awaited: "12345 restorations requested" }, columns).length, columns)
    }
  })

  it.effect("counts down while a pause lasts, and is gone when a look begins", () =>
    Effect.gen(function* () {
      const drawn: Array<ReadonlyArray<string>> = []
      const screen = { live: true, columns: () => 60, status: (lines: ReadonlyArray<string>) => void drawn.push(lines) }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const countdown = yield* makeCountdown(screen)
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(drawn, [])
          yield* countdown.begin("2 restorations pending", Duration.minutes(5), Duration.hours(2))
          yield* TestClock.adjust("1 minute")
          assert.deepStrictEqual(drawn.at(-1), ["2 restorations pending, next look 4:00, end 1:59:00"])
          yield* countdown.end
          const before = drawn.length
          assert.deepStrictEqual(drawn.at(-1), [])
          yield* TestClock.adjust("1 minute")
          assert.strictEqual(drawn.length, before)
        })
      )
      assert.deepStrictEqual(drawn.at(-1), [])
    })
  )
})
