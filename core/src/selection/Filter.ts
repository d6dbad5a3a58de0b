/**
 * Filter expressions over the records of analyses: `field op value`, for example `status = DONE` or `id >= 1200`.
 *
 * Grammar: a field name (nested ones by dot), an operator, and the rest as value; spaces around the operator do not
 * count, there is no quoting. Several filters must all hold.
 */
import { Result } from "effect"
import { UsageError } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { compareNatural } from "./NaturalOrder.ts"

/** Longest first: the parser takes the first that fits. `~=` is "contains", `^=` is "starts with". */
export const operators = ["!=", ">=", "<=", "~=", "^=", "=", ">", "<"] as const
export type Operator = (typeof operators)[number]

export interface Filter {
  /** As given, for messages. */
  readonly source: string
  readonly path: ReadonlyArray<string>
  readonly operator: Operator
  readonly value: string
}

/**
 * Reads one expression in one pass over its text (no pattern that could backtrack).
 *
 * @param known - the fields that may be named, nested ones written with dots
 */
export const parse = (source: string, known: ReadonlyArray<string>): Result.Result<Filter, UsageError> => {
  const text = source.trim()
  let end = 0
  while (end < text.length && isFieldCharacter(text.charCodeAt(end))) end++
  const field = text.slice(0, end)
  const rest = text.slice(end).trimStart()
  const operator = operators.find((operator) => rest.startsWith(operator))
  if (field === "" || operator === undefined) {
    return refuse(source, `expected "field op value" with one of ${operators.join(" ")}`)
  }
  const value = rest.slice(operator.length).trimStart()
  if (value === "") return refuse(source, `no value after ${operator}`)
  // Other tools write it twice; taken as it stands, it would match nothing without a word.
  if (operator === "=" && value.startsWith("=")) return refuse(source, "equality is written with a single =")
  if (!known.includes(field)) {
    return refuse(source, `unknown field ${field}; known are ${[...known].sort(compareNatural).join(", ")}`)
  }
  return Result.succeed({ source: text, path: field.split("."), operator, value })
}

/**
 * Whether a record passes. `=` and `!=` compare numbers of the record as numbers and text exactly; the order operators
 * compare numbers (also ids kept as text) as numbers and other text naturally. Letter case counts. A missing or null
 * field passes only `!=`.
 */
export const matches = (filter: Filter, record: object): boolean => {
  const found = valueAt(record, filter.path)
  if (found === null) return filter.operator === "!="
  const text = String(found)
  switch (filter.operator) {
    case "=":
      return isEqual(found, text, filter.value)
    case "!=":
      return !isEqual(found, text, filter.value)
    case "~=":
      return text.includes(filter.value)
    case "^=":
      return text.startsWith(filter.value)
    case ">":
      return compare(text, filter.value) > 0
    case ">=":
      return compare(text, filter.value) >= 0
    case "<":
      return compare(text, filter.value) < 0
    case "<=":
      return compare(text, filter.value) <= 0
  }
}

const refuse = (source: string, reason: string) => {
  const shown = source.length > 80 ? `${source.slice(0, 80)}...` : source
  return Result.fail(new UsageError({ message: `Filter "${printable(shown)}": ${reason}` }))
}

/** Letters, digits, `_` and `.` of ASCII. */
const isFieldCharacter = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 46

const valueAt = (record: object, path: ReadonlyArray<string>): string | number | boolean | null => {
  let value: unknown = record
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
}

const isEqual = (found: string | number | boolean, text: string, wanted: string) =>
  text === wanted || (typeof found === "number" && numberOf(wanted) === found)

const compare = (text: string, wanted: string): number => {
  if (isWhole(text) && isWhole(wanted)) return compareNatural(text.replace(/^0+/, ""), wanted.replace(/^0+/, ""))
  const a = numberOf(text)
  const b = numberOf(wanted)
  return a !== null && b !== null ? a - b : compareNatural(text, wanted)
}

const isWhole = (text: string) => /^\d+$/.test(text)

/** A decimal number, or null: `Number("")`, `0x10` and `Infinity` are text here. */
const numberOf = (text: string): number | null => (/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : null)
