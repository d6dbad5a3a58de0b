import { assert, describe, it } from "@effect/vitest"
import { spanOf, timeOf } from "./Timestamp.ts"

const noon = Date.UTC(2026, 10, 21, 12)
const day = 86_400_000

describe("times", () => {
  it("are UTC without an offset; offsets with and without a colon, short forms and small letters are read", () => {
    for (const text of [
      "2026-11-21T12:00:00Z",
      "2026-11-21T12:00:00",
      "2026-11-21 12:00",
      " 2026-11-21t12:00:00.000999z ",
      "2026-11-21T14:00:00+02:00",
      "2026-11-21T07:30:00-0430"
    ]) {
      assert.strictEqual(timeOf(text), noon, text)
    }
    assert.strictEqual(timeOf("2026-11-21T12:00:00.25Z"), noon + 250)
  })

  it("a leap second is the second before it", () => {
    assert.strictEqual(timeOf("2026-12-31T23:59:60Z"), Date.UTC(2026, 11, 31, 23, 59, 59))
  })

  it("anything else is no time, never a wrong one", () => {
    for (const text of [null, "", "soon", "2026-11-21", "1763726400000", "2026-13-45T99:99:99Z", "21.11.2026 12:00"]) {
      assert.isNull(timeOf(text), String(text))
    }
    for (const text of ["2026-02-29", "2026-02-30T12:00:00Z", "2026-11-31T00:00:00+14:00"]) {
      assert.isNull(spanOf(text), text)
    }
    assert.isNotNull(timeOf("2028-02-29T12:00:00Z"))
  })

  it("a day, month or year is all of it, in UTC; with a time of day it is one instant", () => {
    const start = noon - day / 2
    assert.deepStrictEqual(spanOf(" 2026-11-21 "), { start, end: start + day })
    assert.deepStrictEqual(spanOf("2026-12"), { start: Date.UTC(2026, 11), end: Date.UTC(2027, 0) })
    assert.deepStrictEqual(spanOf("2028"), { start: Date.UTC(2028, 0), end: Date.UTC(2029, 0) })
    assert.deepStrictEqual(spanOf("2026-11-21T12:00"), { start: noon, end: noon + 1 })
    for (const text of ["", "31.12.2030", "2026-13", "2026-1-1", "20261121", "today"]) assert.isNull(spanOf(text), text)
  })
})
