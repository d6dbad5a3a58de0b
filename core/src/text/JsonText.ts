/**
 * Where a text stops being JSON, as line and column, and which names its outermost object gives twice: both things that
 * `JSON.parse` does not say, or only together with a piece of the text, which may hold a password.
 */
import * as Result from "effect/Result"
import { deepest, Nesting } from "./Nesting.ts"

export interface JsonFault {
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  readonly expected: string
}

/** `not JSON: expected a colon at line 2, column 6` */
export const faultText = ({ column, expected, line }: JsonFault): string =>
  `not JSON: expected ${expected} at line ${line}, column ${column}`

export interface JsonText {
  readonly value: unknown
  readonly duplicates: ReadonlyArray<string>
}

// One token at the current place. Linear, also where a quote is never closed: no part of a string can be read in two ways.
const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings
  /[ \t\r\n]*(?:([{}[\]:,])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))/y

type Wanted = "value" | "value or ]" | "name" | "name or }" | ":" | ", or }" | ", or ]" | "the end"

const inWords: Readonly<Record<Wanted, string>> = {
  value: "a value",
  "value or ]": "a value or ]",
  name: 'a name in "quotes"',
  "name or }": 'a name in "quotes" or }',
  ":": "a colon",
  ", or }": "a comma or }",
  ", or ]": "a comma or ]",
  "the end": "nothing more"
}

const faultAt = (text: string, offset: number, expected: string): JsonFault => {
  const before = text.slice(0, offset)
  const line = before.split("\n").length
  return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1, expected }
}

/** Reads a whole JSON text (RFC 8259), with or without a byte order mark. */
export const readJson = (source: string): Result.Result<JsonText, JsonFault> => {
  const text = source.startsWith("\ufeff") ? source.slice(1) : source
  const nesting = new Nesting()
  const names = new Set<string>()
  const duplicates: Array<string> = []
  let wanted: Wanted = "value"
  let place = 0

  const afterValue = (): Wanted => {
    return nesting.depth === 0 ? "the end" : nesting.inObject ? ", or }" : ", or ]"
  }
  /** What comes after this token, or null when it does not fit. */
  const next = (mark: string | undefined, string: string | undefined): Wanted | null => {
    const wantsValue = wanted === "value" || wanted === "value or ]"
    const wantsName = wanted === "name" || wanted === "name or }"
    if (mark === undefined) {
      if (wantsValue) return afterValue()
      if (!wantsName || string === undefined) return null
      if (nesting.depth === 1) {
        const name = String(JSON.parse(string))
        if (names.has(name)) duplicates.push(name)
        names.add(name)
      }
      return ":"
    }
    if ((mark === "{" || mark === "[") && wantsValue) {
      if (!nesting.open(mark === "{")) return null
      return mark === "{" ? "name or }" : "value or ]"
    }
    if (mark === ":" && wanted === ":") return "value"
    if (mark === "," && wanted === ", or }") return "name"
    if (mark === "," && wanted === ", or ]") return "value"
    if (
      (mark === "}" && (wanted === "name or }" || wanted === ", or }")) ||
      (mark === "]" && (wanted === "value or ]" || wanted === ", or ]"))
    ) {
      nesting.close(mark === "}")
      return afterValue()
    }
    return null
  }

  while (true) {
    token.lastIndex = place
    const found = token.exec(text)
    const rest = /[^ \t\r\n]/g
    rest.lastIndex = place
    const start = rest.exec(text)?.index ?? text.length
    if (start === text.length && wanted === "the end") break
    const following: Wanted | null = found === null ? null : next(found[1], found[2])
    if (following === null) {
      const isDeep = nesting.depth === deepest && /[{[]/.test(text.charAt(start))
      return Result.fail(faultAt(text, start, isDeep ? `at most ${deepest} levels of nesting` : inWords[wanted]))
    }
    wanted = following
    place = token.lastIndex
  }
  return Result.succeed({ value: JSON.parse(text), duplicates })
}
