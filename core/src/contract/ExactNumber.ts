/**
 * Numbers of JSON that no number of the language has: an identifier beyond 2^53, or more digits than a `number` keeps.
 * `JSON.parse` rounds them to another number, which for an identifier is another analysis or person.
 */
import type { Schema } from "effect"

/** A number by its digits: as text it is those, in arithmetic the nearest `number`, in JSON the number as it was written. */
export class ExactNumber {
  readonly #digits: string

  /** @param digits - a number as JSON writes it */
  constructor(digits: string) {
    this.#digits = digits
  }

  toString(): string {
    return this.#digits
  }

  valueOf(): number {
    return Number(this.#digits)
  }

  toJSON(): unknown {
    return rawJSON(this.#digits)
  }
}

/** Since Node 21; the types of the language do not have it yet. */
const { parse, rawJSON } = JSON as unknown as {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
  readonly rawJSON: (text: string) => unknown
}

/** Which numbers are worth an {@link ExactNumber}: all that lose digits, or only the integers among them. */
export type Exactness = "all" | "integers"

// Sixteen digits or a large exponent, in whatever place: a text without them loses nothing and is parsed as ever.
const mayLoseDigits = /\d{16}|\d\.\d{10}|[eE][+-]?\d{2}/
const longInteger = /^-?\d{16,}$/

const loses = (value: number, digits: string): boolean =>
  (digits.length >= 16 || value === 0 || !Number.isFinite(value)) && String(value) !== digits

/** `JSON.parse` with an {@link ExactNumber} for each number that loses digits; throws where that throws. */
export const parseExactly = (text: string, exactness: Exactness): Schema.Json => {
  const kept = (digits: string) => exactness === "all" || longInteger.test(digits)
  return (
    mayLoseDigits.test(text)
      ? parse(text, (_, value, { source }) =>
          typeof value === "number" && source !== undefined && loses(value, source) && kept(source)
            ? new ExactNumber(source)
            : value
        )
      : JSON.parse(text)
  ) as Schema.Json
}
