/**
 * Which rows are wanted: those for which every filter holds, each a condition on a column by its name.
 *
 * Nobody says what type a column has, so cells compare by what they are: numbers as numbers, in quotes or not; other text is equal
 * exactly and has its natural order; between a number and other text there is no order. `true` and `false` are text. A list has what
 * one of its items has, and `!=` is true where `=` is not. null and objects have nothing: they pass only `!=`.
 */
import * as Result from "effect/Result"
import { type Comparing, type Condition, compareNatural, compareNumbers, holds, isNumber } from "../text/Condition.ts"
import { endOfValue } from "../text/JsonText.ts"
import { type Column, pick } from "./Columns.ts"
import type { RowChoice } from "./RowReader.ts"

/** The choice of rows of these columns, null for all; the failure is one sentence. */
export const rowFilter = (
  filters: ReadonlyArray<Condition>,
  columns: ReadonlyArray<Column>
): Result.Result<RowChoice | null, string> => {
  if (filters.length === 0) return Result.succeed(null)
  return Result.map(
    pick(
      columns,
      filters.map(({ name }) => name)
    ),
    (named) => {
      const tests = filters.map((filter, i) => ({ cell: named[i]?.index ?? 0, passes: cellTest(filter) }))
      return {
        accepts: ({ bytes, ends, starts }) =>
          tests.every(({ cell, passes }) => passes(bytes, starts[cell] ?? 0, ends[cell] ?? 0))
      }
    }
  )
}

/** Whether a cell passes: the JSON value from one byte up to another. */
type CellTest = (bytes: Uint8Array, from: number, to: number) => boolean

const cellTest = (filter: Condition): CellTest => {
  const comparing = comparingWith(filter.value)
  if (filter.operator === "!=") {
    const equal: Condition = { ...filter, operator: "=" }
    return (bytes, from, to) => !someText(bytes, from, to, (text) => holds(equal, text, comparing))
  }
  return (bytes, from, to) => someText(bytes, from, to, (text) => holds(filter, text, comparing))
}

const comparingWith = (value: string): Comparing => ({
  isEqual: (found) => found === value || compareNumbers(found, value) === 0,
  orderOf: (found) =>
    compareNumbers(found, value) ?? (isNumber(found) || isNumber(value) ? null : compareNatural(found, value))
})

const quote = 0x22
const openBracket = 0x5b
const openBrace = 0x7b
const letterN = 0x6e

const decoder = new TextDecoder()

/** Whether it is true of the text that a cell is, or of one that its list has. */
const someText = (bytes: Uint8Array, from: number, to: number, isTrue: (text: string) => boolean): boolean => {
  const first = bytes[from]
  if (first === letterN || first === openBrace) return false
  if (first !== openBracket) {
    const json = decoder.decode(bytes.subarray(from, to))
    return isTrue(first === quote ? String(JSON.parse(json)) : json)
  }
  for (let at = from + 1; at < to - 1; ) {
    const next = endOfValue(bytes, at, to)
    if (someText(bytes, at, next, isTrue)) return true
    at = next + 1
  }
  return false
}
