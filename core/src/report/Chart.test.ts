import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { durationText } from "../text/Quantity.ts"
import { byteScale, countText, elapsedTicks, groupedCount, momentText, momentTicks } from "./Chart.ts"

const day = 24 * 60 * 60 * 1000

describe("scales", () => {
  it("durations in the two units that matter", () => {
    const texts = [0, 349, 9_949, 12_400, 59_600, 214_000, 3_599_900, 7_500_000, 356_400_000].map(durationText)
    assert.deepStrictEqual(texts, [
      "0 s",
      "0.3 s",
      "9.9 s",
      "12 s",
      "60 s",
      "3 min 34 s",
      "60 min",
      "2 h 5 min",
      "4 d 3 h"
    ])
  })

  it("counts and times as people write them", () => {
    assert.deepStrictEqual([0, 999, 1000, 1_234_567].map(countText), ["0", "999", "1,000", "1,234,567"])
    assert.deepStrictEqual([groupedCount(1, "entry", "entries"), groupedCount(2, "file")], ["1 entry", "2 files"])
    assert.strictEqual(momentText(Date.UTC(2026, 10, 1, 4, 5, 6)), "1 Nov 2026, 04:05 UTC")
    assert.strictEqual(momentText(Date.UTC(2026, 10, 1, 4, 5, 6), true), "1 Nov 2026, 04:05:06 UTC")
  })

  it.prop("Y4 an axis of time has few ticks in order, none outside, no two alike", [Schema.Int], ([n]) => {
    const span = Math.abs(n)
    for (const ticks of [elapsedTicks(span, 6), momentTicks(5 * day, 5 * day + Math.min(span, 1000 * day), 6)]) {
      assert.isAtMost(ticks.length, 7)
      for (const [index, { at }] of ticks.entries()) {
        assert.isAtLeast(at, 0)
        assert.isAtMost(at, 1)
        assert.isAbove(at, ticks[index - 1]?.at ?? -1)
      }
    }
    const texts = elapsedTicks(span, 6).map(({ text }) => text)
    assert.strictEqual(new Set(texts).size, texts.length)
  })

  it.prop("Y4 an axis of bytes is round, reaches the largest, and wastes less than half", [Schema.Int], ([n]) => {
    const largest = Math.abs(n)
    const { step, top } = byteScale(largest, 4)
    assert.isAtLeast(top, largest)
    assert.isAtMost(top / step, 4)
    assert.strictEqual(Math.round(top / step), top / step)
    if (largest > 4) assert.isAtMost(top, largest * 2.5)
  })
})
