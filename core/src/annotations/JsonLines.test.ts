import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { bodyText, chance, chunksOf, tableOf } from "../../../test/annotations/Bodies.ts"
import { convert } from "../../../test/annotations/Rows.ts"
import { jsonLines } from "./AnnotationsFetch.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)
const linesOf = (text: string): ReadonlyArray<string> => {
  assert.isTrue(text === "" || text.endsWith("\n"))
  return text.split("\n").slice(0, -1)
}

describe("JSON Lines", () => {
  it("have the analysis first, and the cells byte for byte", () => {
    const body = bytesOf('{"data":[ [ "a\\u00e4/" , 1.50 , [ 1 , {"b" : null} ] ],\n["",1e400,[]]],"header":[]}')
    const columns = [
      { index: 0, name: "ID" },
      { index: 1, name: 'A"F' },
      { index: 2, name: "HPO" }
    ]
    const { reader, text } = convert([body], 3, jsonLines('A"1', columns))
    assert.deepStrictEqual(linesOf(text), [
      '{"analysisId":"A\\"1","ID":"a\\u00e4/","A\\"F":1.50,"HPO":[1,{"b":null}]}',
      '{"analysisId":"A\\"1","ID":"","A\\"F":1e400,"HPO":[]}'
    ])
    assert.deepStrictEqual([reader.rowsIn, reader.rowsOut], [2, 2])
  })

  it("hold only the analysis where there are no columns", () => {
    const { text } = convert([bytesOf('{"data":[[],[ ]]}')], 0, jsonLines("A1", []))
    assert.strictEqual(text, '{"analysisId":"A1"}\n{"analysisId":"A1"}\n')
  })

  it("a row with fewer or more cells than the header is a fault that names it", () => {
    const columns = [
      { index: 0, name: "a" },
      { index: 1, name: "b" }
    ]
    const faultOf = (rows: string) => convert([bytesOf(`{"data":[${rows}]}`)], 2, jsonLines("A1", columns)).fault
    assert.deepStrictEqual(faultOf("[1,2],[1]"), { row: 2, cells: 1, columns: 2 })
    assert.deepStrictEqual(faultOf("[1,2],[3,4],[1,2,3]"), { row: 3, cells: 3, columns: 2 })
    assert.deepStrictEqual(faultOf("[1,2,3,4,5,6,7]"), { row: 1, cells: 7, columns: 2 })
    assert.deepStrictEqual(faultOf("[]"), { row: 1, cells: 0, columns: 2 })
    assert.deepStrictEqual(faultOf("[ ]"), { row: 1, cells: 0, columns: 2 })
    assert.isNull(faultOf(""))
  })

  it.effect.prop(
    "hold what JSON.parse reads, for every split and spelling; columns in any order",
    [Schema.Int, Schema.Boolean],
    ([seed, dense]) =>
      Effect.sync(() => {
        const pick = chance(seed)
        const width = 1 + pick(5)
        const { data, header } = tableOf(pick, width, pick(8))
        const body = bodyText([["data", data]], pick, dense)
        const columns = header
          .map(({ id }, index) => ({ index, name: id }))
          .filter(() => pick(4) > 0)
          .sort(() => pick(3) - 1)
        const expected = data.map((row) => ({
          analysisId: "A1",
          ...Object.fromEntries(columns.map(({ index, name }) => [name, row[index]]))
        }))
        for (const longest of [1, 60, 5000]) {
          const { fault, text } = convert(chunksOf(body, pick, longest), width, jsonLines("A1", columns))
          assert.isNull(fault)
          const lines = linesOf(text)
          assert.deepStrictEqual(
            lines.map((line) => JSON.parse(line)),
            expected
          )
          for (const line of lines) assert.deepStrictEqual(Object.keys(JSON.parse(line))[0], "analysisId")
        }
      })
  )
})
