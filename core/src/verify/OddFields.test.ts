import { assert, describe, it } from "@effect/vitest"
import { OddFields } from "./OddFields.ts"

describe("fields that are not as expected", () => {
  it("one alone is damage when a single bit makes the difference", () => {
    const odd = new OddFields()
    assert.isNull(odd.damage)
    odd.see([7n, 12n], 8n, "a field")
    assert.strictEqual(odd.damage, "a field: one bit differs")
    const other = new OddFields()
    other.see([7n], 1n, "a field")
    assert.isNull(other.damage)
  })

  it("several are the way of a writer", () => {
    const odd = new OddFields()
    odd.see([12n], 8n, "a field")
    odd.see([12n], 8n, "another")
    assert.isNull(odd.damage)
  })
})
