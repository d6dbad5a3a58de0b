import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { idsIn } from "./InputFile.ts"

describe("a list of identifiers in a file", () => {
  it("has one a line, without comments and blank lines, each once, with the ends of lines of any system", () => {
    const text = "\ufeff# cohort 7\nA1\r\n\n  A2  # the second\nA1\n\t#A3\rA#4\n"
    assert.deepStrictEqual(idsIn(text), ["A1", "A2", "A#4"])
    assert.deepStrictEqual(idsIn(" \n# nothing\n"), [])
  })

  it.prop(
    "gives back what was written, in its order",
    [Schema.Array(Schema.Literals(["A1", "S-2", "7", "ä"]))],
    ([ids]) => {
      const written = ids.flatMap((id, at) => [`${" ".repeat(at % 3)}${id}${at % 2 === 0 ? " # said" : ""}`, "#", ""])
      assert.deepStrictEqual(idsIn(written.join("\n")), [...new Set(ids)])
    }
  )
})
