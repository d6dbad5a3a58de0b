import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { convert } from "../../../test/annotations/Rows.ts"
import { parseCondition } from "../text/Condition.ts"
import { jsonLines } from "./AnnotationsFetch.ts"
import { rowFilter } from "./RowFilter.ts"

const columns = ["n", "Gene", "Pos"].map((name, index) => ({ index, id: name, name, title: "" }))

/** Which of the cells of a column pass a filter; they are JSON texts. */
const passing = (source: string, ...cells: ReadonlyArray<string>): ReadonlyArray<string> => {
  const filter = Result.getOrThrow(rowFilter([Result.getOrThrow(parseCondition(source))], columns))
  const body = `{"data": [${cells.map((cell, n) => `[${n}, ${cell}, ${cell}]`).join(", ")}]}`
  const { text } = convert([new TextEncoder().encode(body)], 3, jsonLines("A", columns.slice(0, 1)), filter)
  const lines = text.split("\n").slice(0, -1)
  return lines.map((line) => cells[JSON.parse(line).n] ?? "")
}

describe("a filter on a column of no known type", () => {
  it("compares numbers as numbers, in quotes or not, of any length; nothing else has an order with a number", () => {
    const cells = ["0.5", '"0.50"', "5e-1", '"."', '""', "null", '"A"', "[]", "true"]
    assert.deepStrictEqual(passing("Pos = 0.5", ...cells), cells.slice(0, 3))
    assert.deepStrictEqual(passing("Pos != 0.5", ...cells), cells.slice(3))
    assert.deepStrictEqual(passing("Pos < 1", ...cells), cells.slice(0, 3))
    assert.deepStrictEqual(passing("Pos >= 0", ...cells), cells.slice(0, 3))
    assert.deepStrictEqual(passing("Pos > 9007199254740992", "9007199254740992", "9007199254740993"), [
      "9007199254740993"
    ])
  })

  it("compares other text exactly, also where it has escapes, and orders it naturally", () => {
    assert.deepStrictEqual(passing("Gene = BRCA1", '"BRCA1"', '"\\u0042RCA1"', '"brca1"', '"BRCA10"', '"BRCA1,X"'), [
      '"BRCA1"',
      '"\\u0042RCA1"'
    ])
    assert.deepStrictEqual(passing("Gene ~= RCA1", '"BRCA1&NBR2"', '"BRCA2"', "1"), ['"BRCA1&NBR2"'])
    assert.deepStrictEqual(passing("Gene ^= chr1", '"chr1"', '"chr17"', '"1"'), ['"chr1"', '"chr17"'])
    assert.deepStrictEqual(passing("Gene < chr10", '"chr2"', '"chr17"', "1"), ['"chr2"'])
    assert.deepStrictEqual(passing("Gene = true", "true", "false", '"true"'), ["true", '"true"'])
  })

  it("a list has what one of its items has, and != is true where = is not", () => {
    const cells = ['["X", "BRCA1"]', '[["BRCA1"]]', '["X"]', '{"BRCA1": "BRCA1"}', "[null, 5]"]
    assert.deepStrictEqual(passing("Gene = BRCA1", ...cells), cells.slice(0, 2))
    assert.deepStrictEqual(passing("Gene != BRCA1", ...cells), cells.slice(2))
    assert.deepStrictEqual(passing("Gene > 4", ...cells), ["[null, 5]"])
  })
})
