/**
 * Filter expressions over the records of analyses: `field op value`, for example `status = DONE` or `id >= 1200`.
 *
 * Grammar: a field name (nested ones by dot), an operator, and the rest as value; spaces around the operator do not
 * count, there is no quoting. Several filters must all hold. The type of its field decides what a value may be and how
 * it compares.
 */
import * as Result from "effect/Result"
import { AnalysisApproval, AnalysisItem } from "../contract/Analyses.ts"
import { ExactNumber } from "../contract/ExactNumber.ts"
import { type FieldType, fieldTypeOf } from "../contract/Record.ts"
import { UsageError } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Spelling.ts"
import { spanOf, type TimeSpan } from "../text/Timestamp.ts"

const chunks = /\d+|\D+/g

/**
 * The order of identifiers as people read them: runs of digits compare as whole numbers of any length, the rest as text (`9` before
 * `10`, `A9` before `A10`). Negative, zero or positive.
 */
export const compareNatural = (left: string, right: string): number => {
  const a = left.match(chunks) ?? []
  const b = right.match(chunks) ?? []
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const order = compareChunk(a[i] ?? "", b[i] ?? "")
    if (order !== 0) return order
  }
  return a.length - b.length || compareText(left, right)
}

const isDigits = (chunk: string) => chunk.charCodeAt(0) >= 48 && chunk.charCodeAt(0) <= 57

const compareChunk = (a: string, b: string): number => {
  if (!isDigits(a) || !isDigits(b)) return compareText(a, b)
  // `Number` would lose digits: identifiers may have more than a double holds.
  const x = a.replace(/^0+/, "")
  const y = b.replace(/^0+/, "")
  return x.length - y.length || compareText(x, y)
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Longest first: the parser takes the first that fits. `~=` is "contains", `^=` is "starts with". */
export const operators = ["!=", ">=", "<=", "~=", "^=", "=", ">", "<"] as const
/** How a filter compares. */
export type Comparison = (typeof operators)[number]

/** A condition on a field of an analysis. */
export interface Filter {
  /** As given, for messages. */
  readonly source: string
  readonly path: ReadonlyArray<string>
  readonly operator: Comparison
  readonly value: string
  readonly operand: Operand
}

/** What the value stands for: a time for a span, anything else for itself. */
export type Operand = { readonly _tag: "Text" | "Number" } | { readonly _tag: "Time"; readonly span: TimeSpan }

/**
 * Reads one expression in one pass over its text (no pattern that could backtrack).
 *
 * @param known - the fields that may be named, nested ones written with dots
 */
export const parse = (source: string, known: ReadonlyMap<string, FieldType>): Result.Result<Filter, UsageError> => {
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
  const type = known.get(field)
  if (type === undefined) {
    const names = [...known.keys()].sort(compareNatural)
    const near = nearest(field, names)
    const hint = near === null ? `; known are ${names.join(", ")}` : didYouMean(near)
    return refuse(source, `unknown field ${field}${hint}`)
  }
  return Result.match(operandOf(type, operator, value), {
    onFailure: (reason) => refuse(source, `${field} ${reason}`),
    onSuccess: (operand) => Result.succeed({ source: text, path: field.split("."), operator, value, operand })
  })
}

/** The operand that a value is for a field of this type; fails with what is wrong, to be said of the field. */
const operandOf = (type: FieldType, operator: Comparison, value: string): Result.Result<Operand, string> => {
  // Both look at a text as the service wrote it, whatever it stands for.
  if (operator === "~=" || operator === "^=") return Result.succeed({ _tag: "Text" })
  switch (type._tag) {
    case "Text":
      return Result.succeed({ _tag: "Text" })
    case "Number":
      return numberOf(value) === null
        ? Result.fail(`is a number, which ${printable(value)} is not: write it as 12 or -1.5`)
        : Result.succeed({ _tag: "Number" })
    case "Time": {
      const span = spanOf(value)
      return span === null
        ? Result.fail(
            `is a time, which ${printable(value)} is not: write it as 2030-12-31 (all of that day, in UTC) or 2030-12-31T14:30:00Z`
          )
        : Result.succeed({ _tag: "Time", span })
    }
    case "Enumeration": {
      const { words } = type
      if (operator !== "=" && operator !== "!=") return Result.fail(`is one of ${words.join(", ")}: use = or !=`)
      // The service may have words that no release knows yet; what is nearly a known one is a slip.
      const near = words.includes(value) ? null : nearest(value, words)
      return near === null
        ? Result.succeed({ _tag: "Text" })
        : Result.fail(`has no ${printable(value)}${didYouMean(near)} Letter case counts`)
    }
  }
}

/**
 * Whether a record passes. Numbers compare as numbers and times as instants, whatever their form; other text is equal
 * exactly, and in an order numbers (also ids kept as text) as numbers and other text naturally. Letter case counts. A field
 * that is missing, null or none of its type passes only `!=`.
 */
export const matches = ({ operand, operator, path, value }: Filter, record: object): boolean => {
  const found = textAt(record, path)
  if (found === null) return operator === "!="
  if (operator === "~=") return found.includes(value)
  if (operator === "^=") return found.startsWith(value)
  if (operator === "=") return isEqual(found, operand, value)
  if (operator === "!=") return !isEqual(found, operand, value)
  const order = orderOf(found, operand, value)
  if (order === null) return false
  switch (operator) {
    case ">":
      return order > 0
    case ">=":
      return order >= 0
    case "<":
      return order < 0
    case "<=":
      return order <= 0
  }
}

const refuse = (source: string, reason: string) => {
  const shown = source.length > 80 ? `${source.slice(0, 80)}...` : source
  return Result.fail(new UsageError({ message: `Filter "${printable(shown)}": ${reason}` }))
}

/** Letters, digits, `_` and `.` of ASCII. */
const isFieldCharacter = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 46

const textAt = (record: object, path: ReadonlyArray<string>): string | null => {
  let value: unknown = record
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return typeof value === "string" || typeof value === "number" || value instanceof ExactNumber ? String(value) : null
}

const isEqual = (found: string, operand: Operand, value: string): boolean =>
  operand._tag === "Text" ? found === value : orderOf(found, operand, value) === 0

/** Negative, zero or positive; null when what was found is none of the type. */
const orderOf = (found: string, operand: Operand, value: string): number | null => {
  switch (operand._tag) {
    case "Text":
      return compareNumbers(found, value) ?? compareNatural(found, value)
    case "Number":
      return compareNumbers(found, value)
    case "Time": {
      const time = spanOf(found)?.start
      const { end, start } = operand.span
      return time === undefined ? null : time < start ? -1 : time < end ? 0 : 1
    }
  }
}

/** Null when one of them is no number. Whole numbers of any length compare by their digits: leading zeros do not count. */
const compareNumbers = (left: string, right: string): number | null => {
  if (isWhole(left) && isWhole(right)) return compareNatural(left.replace(/^0+/, ""), right.replace(/^0+/, ""))
  const [a, b] = [numberOf(left), numberOf(right)]
  return a === null || b === null ? null : a - b
}

const isWhole = (text: string) => /^\d+$/.test(text)

/** A decimal number, or null: `Number("")`, `0x10` and `Infinity` are text here. */
const numberOf = (text: string): number | null => (/^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : null)

/**
 * The fields of an analysis record that filters may name, with their types: those of the contract, so that a mistake is
 * found before the first request. Nested ones with a dot, such as `analysisApproval.userName`.
 */
export const filterFields: ReadonlyMap<string, FieldType> = new Map(
  Object.entries(AnalysisItem.schema.fields).flatMap(([field, schema]) =>
    field === "analysisApproval"
      ? Object.entries(AnalysisApproval.schema.fields).map(
          ([nested, schema]) => [`${field}.${nested}`, fieldTypeOf(schema)] as const
        )
      : [[field, fieldTypeOf(schema)] as const]
  )
)
