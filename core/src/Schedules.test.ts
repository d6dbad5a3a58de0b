import { assert, describe, it } from "@effect/vitest"
import { Duration, Schema } from "effect"
import { waitAsked } from "./Schedules.ts"

describe("Retry-After", () => {
  it("H12 seconds, dates, and nothing else", () => {
    const now = Date.UTC(2026, 10, 21, 12, 0, 0)
    const seconds = (text: string | null | undefined) => {
      const wait = waitAsked(text, now)
      return wait === null ? null : Duration.toSeconds(wait)
    }
    assert.strictEqual(seconds("2"), 2)
    assert.strictEqual(seconds(" 0 "), 0)
    assert.strictEqual(seconds("Sat, 21 Nov 2026 12:00:30 GMT"), 30)
    assert.strictEqual(seconds("Saturday, 21-Nov-26 12:00:30 GMT"), 30)
    assert.strictEqual(seconds("Sat, 21 Nov 2020 12:00:30 GMT"), 0)
    for (const text of [undefined, null, "", "-1", "1e9", "1.5", "soon", "2026-11-21", "Sat, 99 Foo 2026 GMT"]) {
      assert.isNull(seconds(text), String(text))
    }
  })

  it.prop(
    "H12 any field gives null or a wait that is finite and not negative",
    [Schema.String, Schema.Int],
    ([text, now]) => {
      const wait = waitAsked(text, now)
      assert.isTrue(wait === null || (Duration.isFinite(wait) && Duration.toMillis(wait) >= 0))
    }
  )

  it("H12 a number longer than any life is a wait like any other, and never a crash", () => {
    assert.isTrue(Duration.isFinite(waitAsked("9".repeat(40), 0) ?? Duration.infinity))
  })
})
