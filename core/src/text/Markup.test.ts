import { assert, describe, it } from "@effect/vitest"
import { titleOf } from "./Markup.ts"

describe("titleOf", () => {
  it("is the title of a page in one line, and is looked for at its beginning only", () => {
    assert.strictEqual(titleOf("<html><head><TITLE lang='en'> Down\n for  now </TITLE>"), "Down for now")
    assert.strictEqual(titleOf("no page"), null)
    assert.strictEqual(titleOf(`${" ".repeat(10_000)}<title>Late</title>`), null)
    // Ten times as many beginnings took a hundred times as long: hours for these.
    assert.strictEqual(titleOf("<title".repeat(1_000_000)), null)
  })
})
