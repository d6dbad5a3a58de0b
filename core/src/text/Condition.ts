/**
 * Conditions that people write: `NAME op VALUE`, for example `status = DONE` or `Pos >= 43044295`.
 *
 * Grammar: the name is all before the first operator, the value all behind it; spaces around both do not count, there is no quoting.
 * What the name means, and what a value may be, says whoever has what is compared.
 */
import * as Result from "effect/Result"
import { printable } from "./Printable.ts"

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
  return a.length - b.length || compare(left, right)
}

const isDigits = (chunk: string) => chunk.charCodeAt(0) >= 48 && chunk.charCodeAt(0) <= 57

const compareChunk = (a: string, b: string): number => {
  if (!isDigits(a) || !isDigits(b)) return compare(a, b)
  // `Number` would lose digits: identifiers may have more than a double holds.
  const x = a.replace(/^0+/, "")
  const y = b.replace(/^0+/, "")
  return x.length - y.length || compare(x, y)
}

const compare = <A extends string | number>(a: A, b: A): number => (a < b ? -1 : a > b ? 1 : 0)

/** Null when one of them is no number. Whole numbers of any length compare by their digits: leading zeros do not count. */
export const compareNumbers = (left: string, right: string): number | null => {
  if (isWhole(left) && isWhole(right)) return compareNatural(left.replace(/^0+/, ""), right.replace(/^0+/, ""))
  return isNumber(left) && isNumber(right) ? compare(Number(left), Number(right)) : null
}

const isWhole = (text: string) => /^\d+$/.test(text)

/** Whether it is a decimal number: the empty text, `0x10` and `Infinity` are none. */
export const isNumber = (text: string): boolean => /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)

/** `~=` is "contains", `^=` is "starts with". */
export const operators = ["!=", ">=", "<=", "~=", "^=", "=", ">", "<"] as const
/** How a condition compares. */
export type Comparison = (typeof operators)[number]

export interface Condition {
  readonly name: string
  readonly operator: Comparison
  readonly value: string
}

const anyOperator = /[!~^]=|[<>]=?|=/

/** Reads one condition in one pass over its text; the failure is a sentence. */
export const parseCondition = (source: string): Result.Result<Condition, string> => {
  const text = source.trim()
  const found = anyOperator.exec(text)
  const { 0: operator, index } = found ?? { 0: "", index: 0 }
  const name = text.slice(0, index).trimEnd()
  if (operator === "" || name === "") {
    return Result.fail(refusalOf(source, `expected "NAME op VALUE" with one of ${operators.join(" ")}`))
  }
  const value = text.slice(index + operator.length).trimStart()
  if (value === "") return Result.fail(refusalOf(source, `no value after ${operator}`))
  // Other tools write it twice; taken as it stands, it would match nothing without a word.
  if (operator === "=" && value.startsWith("=")) {
    return Result.fail(refusalOf(source, "equality is written with a single ="))
  }
  return Result.succeed({ name, operator: operator as Comparison, value })
}

/** The sentence that says what is wrong with a condition. */
export const refusalOf = (source: string, reason: string): string => `Filter "${excerpt(source)}": ${reason}`

/** The beginning of what was written, for a message. */
export const excerpt = (text: string): string => printable(text.length > 80 ? `${text.slice(0, 80)}...` : text)

/** How a text compares with the value of a condition. */
export interface Comparing {
  readonly isEqual: (found: string) => boolean
  /** Negative, zero or positive; null where there is no order between them, of which only `!=` is true. */
  readonly orderOf: (found: string) => number | null
}

/** Whether a condition holds for a text. Letter case counts. */
export const holds = ({ operator, value }: Condition, found: string, { isEqual, orderOf }: Comparing): boolean => {
  if (operator === "~=") return found.includes(value)
  if (operator === "^=") return found.startsWith(value)
  if (operator === "=") return isEqual(found)
  if (operator === "!=") return !isEqual(found)
  const order = orderOf(found)
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
