/** Filters over the records of analyses: conditions on fields of the contract, whose type decides what a value may be and how it compares. */
import * as Result from "effect/Result"
import { AnalysisApproval, AnalysisItem } from "../contract/Analyses.ts"
import { ExactNumber } from "../contract/ExactNumber.ts"
import { type FieldType, fieldTypeOf } from "../contract/Record.ts"
import { UsageError } from "../Errors.ts"
import {
  type Comparing,
  type Comparison,
  type Condition,
  compareNatural,
  compareNumbers,
  excerpt,
  holds,
  isNumber,
  parseCondition,
  refusalOf
} from "../text/Condition.ts"
import { printable } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Spelling.ts"
import { spanOf, type TimeSpan } from "../text/Timestamp.ts"

/** A condition on a field of an analysis. Several must all hold. */
export interface Filter extends Condition {
  readonly path: ReadonlyArray<string>
  readonly operand: Operand
}

/** What the value stands for: a time for a span, anything else for itself. */
export type Operand = { readonly _tag: "Text" | "Number" } | { readonly _tag: "Time"; readonly span: TimeSpan }

/**
 * A filter of a condition as it was written.
 *
 * @param known - the fields that may be named, nested ones written with dots
 */
export const parse = (source: string, known: ReadonlyMap<string, FieldType>): Result.Result<Filter, UsageError> =>
  Result.mapError(
    Result.flatMap(parseCondition(source), (condition) => {
      const { name, operator, value } = condition
      const type = known.get(name)
      if (type === undefined) {
        const names = [...known.keys()].sort(compareNatural)
        const near = nearest(name, names)
        const hint = near === null ? `; known are ${names.join(", ")}` : didYouMean(near)
        return Result.fail(refusalOf(source, `unknown field ${excerpt(name)}${hint}`))
      }
      return Result.match(operandOf(type, operator, value), {
        onFailure: (reason) => Result.fail(refusalOf(source, `${name} ${reason}`)),
        onSuccess: (operand) => Result.succeed({ ...condition, path: name.split("."), operand })
      })
    }),
    (message) => new UsageError({ message })
  )

/** The operand that a value is for a field of this type; fails with what is wrong, to be said of the field. */
const operandOf = (type: FieldType, operator: Comparison, value: string): Result.Result<Operand, string> => {
  // Both look at a text as the service wrote it, whatever it stands for.
  if (operator === "~=" || operator === "^=") return Result.succeed({ _tag: "Text" })
  switch (type._tag) {
    case "Text":
      return Result.succeed({ _tag: "Text" })
    case "Number":
      return isNumber(value)
        ? Result.succeed({ _tag: "Number" })
        : Result.fail(`is a number, which ${printable(value)} is not: write it as 12 or -1.5`)
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
 * exactly, and in an order numbers (also ids kept as text) as numbers and other text naturally. A field
 * that is missing, null or none of its type passes only `!=`.
 */
export const matches = (filter: Filter, record: object): boolean => {
  const found = textAt(record, filter.path)
  return found === null ? filter.operator === "!=" : holds(filter, found, comparingOf(filter))
}

const textAt = (record: object, path: ReadonlyArray<string>): string | null => {
  let value: unknown = record
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return typeof value === "string" || typeof value === "number" || value instanceof ExactNumber ? String(value) : null
}

const comparingOf = ({ operand, value }: Filter): Comparing => {
  const orderOf = (found: string) => {
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
  return { orderOf, isEqual: operand._tag === "Text" ? (found) => found === value : (found) => orderOf(found) === 0 }
}

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
