import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { growsEvenly } from "../../../test/CpuTime.ts"
import { readJson } from "./JsonText.ts"

const parses = (text: string) => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

const fault = (text: string) => {
  const read = readJson(text)
  return Result.isFailure(read) ? [read.failure.line, read.failure.column, read.failure.reason] : null
}

describe("readJson", () => {
  it("says line and column of the first fault, and what was expected", () => {
    assert.deepStrictEqual(fault('{"a": 1,\r\n "b" 2}'), [2, 6, "expected a colon"])
    assert.deepStrictEqual(fault('{"a": 1,\n}'), [2, 1, 'expected a name in "quotes"'])
    assert.deepStrictEqual(fault("[1,]"), [1, 4, "expected a value"])
    assert.deepStrictEqual(fault("{a: 1}"), [1, 2, 'expected a name in "quotes" or }'])
    assert.deepStrictEqual(fault('{"a": 1 // no\n}'), [1, 9, "expected a comma or }"])
    assert.deepStrictEqual(fault(""), [1, 1, "expected a value"])
    assert.deepStrictEqual(fault("{}{}"), [1, 3, "expected nothing more"])
    assert.deepStrictEqual(fault('{"a":[1'), [1, 8, "expected a comma or ]"])
    assert.deepStrictEqual(fault("'a'"), [1, 1, "expected a value"])
  })

  it("accepts CRLF and a byte order mark", () => {
    assert.deepStrictEqual(
      readJson('\ufeff{\r\n"a": [1, true, null]\r\n}\r\n'),
      Result.succeed({ value: { a: [1, true, null] }, duplicates: [] })
    )
  })

  it("finds names that the outermost object gives twice, also differently escaped", () => {
    const read = readJson('{"a": {"x": 1, "x": 2}, "b": 1, "\\u0061": 2, "b": 3}')
    assert.deepStrictEqual(Result.isSuccess(read) ? read.success.duplicates : null, ["a", "b"])
  })

  it.prop("agrees with JSON.parse on whatever text", [Schema.String], ([text]) => {
    assert.strictEqual(Result.isSuccess(readJson(text)), parses(text) !== null)
  })

  const characters = [
    '"',
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "1",
    "-",
    ".",
    "e",
    " ",
    "\n",
    "t",
    "true",
    "null",
    "\\",
    "\\u00",
    "a",
    '"a":',
    "\u0000"
  ]
  it("D11 G2 a quote that is never closed is found at once, however much follows it", () => {
    growsEvenly(100_000, (size) => assert.isTrue(Result.isFailure(readJson(`{"password": "${"x".repeat(size)}`))))
  })

  it.prop(
    "agrees with JSON.parse on texts made of its tokens",
    [Schema.Array(Schema.Literals(characters))],
    ([parts]) => {
      const text = parts.join("")
      assert.strictEqual(Result.isSuccess(readJson(text)), parses(text) !== null, text)
    }
  )

  it.prop("agrees with JSON.parse on every prefix of a real file", [Schema.Int], ([at]) => {
    const whole =
      '{"target": "https://lab", "analysisIds": [1, -2.5e+3, "\\u0041"], "overwrite": false, "o": {"a": null}}'
    const text = whole.slice(0, Math.abs(at) % (whole.length + 1))
    const read = readJson(text)
    assert.deepStrictEqual(Result.isSuccess(read) ? { value: read.success.value } : null, parses(text))
  })
})
