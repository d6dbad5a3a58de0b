import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { bodyText, chance, chunksOf, type Json, tableOf } from "../../../test/annotations/Bodies.ts"
import { convert } from "../../../test/annotations/Rows.ts"
import { tabHeader, tabSeparated } from "./TabSeparated.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** One cell as the table has it. */
const cellOf = (json: string) => {
  const { text } = convert([bytesOf(`{"data":[[${json}]]}`)], 1, tabSeparated("A1", [0]))
  assert.match(text, /^A1\t[^\t\n\r]*\n$/)
  return text.slice("A1\t".length, -1)
}

/** What a reader of the table makes of a text. */
const unescaped = (text: string): string =>
  text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, letter: string) =>
    letter.length > 1
      ? String.fromCharCode(Number.parseInt(letter.slice(1), 16))
      : ({ t: "\t", n: "\n", r: "\r", b: "\b", f: "\f" }[letter] ?? letter)
  )

/** At semicolons with an even number of backslashes before them. */
const betweenItems = /(?<=(?:^|[^\\])(?:\\\\)*);/

/** Nested JSON can be spelled in many ways: what it says is compared. */
const normal = (text: string) => (/^[[{]/.test(text) ? JSON.stringify(JSON.parse(text)) : text)

const textOf = (value: Json): string =>
  typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)

describe("the table", () => {
  it("has text without quotes, and escapes only what would break a line or a cell", () => {
    assert.strictEqual(cellOf('"a b"'), "a b")
    assert.strictEqual(cellOf('"said \\"no\\""'), 'said "no"')
    assert.strictEqual(cellOf('"tab\\tline\\nreturn\\r\\u0009\\u000A\\u000d"'), "tab\\tline\\nreturn\\r\\t\\n\\r")
    assert.strictEqual(cellOf('"back\\\\slash \\u005c \\/ \\u002f"'), "back\\\\slash \\\\ / /")
    assert.strictEqual(cellOf('"\\b\\f\\u001b\\u0000"'), "\\b\\f\\u001b\\u0000")
    assert.strictEqual(cellOf('"Gr\\u00f6\\u00dfe – \\u20AC \\ud83e\\uddec"'), "Größe – € \u{1f9ec}")
    assert.strictEqual(cellOf('"\\ud83e \\uddec\\ud83e\\u0041"'), "\\ud83e \\uddec\\ud83eA")
    assert.strictEqual(cellOf('"a;b"'), "a;b")
  })

  it("writes numbers and literals as they came, and nothing for null", () => {
    assert.deepStrictEqual(["1.50", "-0", "1E+2", "true", "false", "null", '""', "[]"].map(cellOf), [
      "1.50",
      "-0",
      "1E+2",
      "true",
      "false",
      "",
      "",
      ""
    ])
  })

  it("joins lists by semicolons, and keeps what is nested deeper as JSON", () => {
    assert.strictEqual(cellOf('["NM_1","NM_2.1"]'), "NM_1;NM_2.1")
    assert.strictEqual(cellOf('[1,null,true,"",2.50]'), "1;;true;;2.50")
    assert.strictEqual(cellOf('["a;b","\\u003b","c\\\\"]'), "a\\;b;\\;;c\\\\")
    assert.strictEqual(cellOf('[["a;","]"],{"b":"}\\n"}]'), '["a\\;","]"];{"b":"}\\\\n"}')
    assert.strictEqual(cellOf('{"a": [1, "x\\"y;"]}'), '{"a":[1,"x\\\\"y;"]}')
  })

  it("has a line of names, and empty cells for columns that an analysis lacks", () => {
    assert.strictEqual(tabHeader(["analysisId", 'a"b', "c\td\\"]), 'analysisId\ta"b\tc\\td\\\\\n')
    const body = bytesOf('{"data":[["x","y"]]}')
    assert.strictEqual(convert([body], 2, tabSeparated("A\t1", [1, null, 0])).text, "A\\t1\ty\t\tx\n")
  })

  it.effect.prop(
    "gives back what JSON.parse reads, for every split and spelling",
    [Schema.Int, Schema.Boolean],
    ([seed, dense]) =>
      Effect.sync(() => {
        const pick = chance(seed)
        const { data } = tableOf(pick, 3, 5)
        const body = bodyText([["data", data]], pick, dense)
        const { text } = convert(chunksOf(body, pick, 80), 3, tabSeparated("A1", [0, 1, 2]))
        const lines = text.split("\n")
        assert.strictEqual(lines.pop(), "")
        assert.strictEqual(lines.length, data.length)
        for (const [i, line] of lines.entries()) {
          const cells = line.split("\t").slice(1)
          assert.strictEqual(cells.length, 3)
          for (const [j, cell] of cells.entries()) {
            const value = data[i]?.[j] ?? null
            if (Array.isArray(value)) {
              const items = value.length === 0 ? [] : cell.split(betweenItems)
              assert.deepStrictEqual(
                items.map((item) => normal(unescaped(item))),
                value.map((item) => normal(textOf(item)))
              )
            } else assert.strictEqual(normal(unescaped(cell)), normal(textOf(value)))
          }
        }
      })
  )
})
