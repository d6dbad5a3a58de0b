/**
 * Numbers of JSON that a JavaScript `number` cannot hold: an identifier beyond 2^53, or one with more digits than it keeps.
 * `JSON.parse` rounds them, and a rounded identifier is that of another analysis or person.
 */
import type * as Schema from "effect/Schema"

/**
 * A number kept by its digits. As text it gives the digits, in arithmetic the nearest `number`, in JSON the number as written.
 *
 * @category models
 * @since 0.1.0
 */
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

/** `JSON.rawJSON` exists since Node 21; the types of TypeScript do not have it yet. */
const { parse, rawJSON } = JSON as unknown as {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
  readonly rawJSON: (text: string) => unknown
}

/** Which numbers become an {@link ExactNumber}: all that would lose digits, or only the integers among them. */
export type Exactness = "all" | "integers"

// Sixteen digits or a large exponent anywhere in the text. A text without either loses nothing and takes the faster plain parse.
const mayLoseDigits = /\d{16}|\d\.\d{10}|[eE][+-]?\d{2}/
const longInteger = /^-?\d{16,}$/

const loses = (value: number, digits: string): boolean =>
  (digits.length >= 16 || value === 0 || !Number.isFinite(value)) && String(value) !== digits

/** `JSON.parse` with an {@link ExactNumber} for each number that loses digits; throws where that throws. */
export const parseExactly = (text: string, exactness: Exactness): Schema.Json => {
  const isKept = (digits: string) => exactness === "all" || longInteger.test(digits)
  return (
    mayLoseDigits.test(text)
      ? parse(text, (_, value, { source }) =>
          typeof value === "number" && source !== undefined && loses(value, source) && isKept(source)
            ? new ExactNumber(source)
            : value
        )
      : JSON.parse(text)
  ) as Schema.Json
}
