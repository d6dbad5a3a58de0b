/**
 * Rows as tab-separated text, for programs that have no JSON.
 *
 * - Text stands without quotes; tab, line feed, carriage return, backslash and other control characters stay escaped as
 *   in JSON: `\t`, `\n`, `\r`, `\\`, `\b`, `\f`, `\u001b`.
 * - Numbers and true or false stand as the service sent them. null is empty.
 * - The items of a list are joined by `;`, and a `;` inside an item is `\;`. A list or object inside a list, and an object
 *   in a cell, stand as JSON text, with its backslashes doubled.
 *
 * A missing value, an empty text and an empty list look alike: JSON Lines keep them apart.
 */

import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { LocalIo } from "../Errors.ts"
import { endOfValue } from "../text/JsonText.ts"
import { analysisIdName } from "./Columns.ts"
import type { GrowingBytes, RowForm } from "./RowReader.ts"

const quote = 0x22
const backslash = 0x5c
const semicolon = 0x3b
const openBracket = 0x5b
const openBrace = 0x7b
const letterN = 0x6e
const tab = 0x09
const lineFeed = 0x0a

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A text that is a cell or the name of one. */
const cellOfText = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

/** The line of names. */
export const tabHeader = (names: ReadonlyArray<string>): string => `${names.map(cellOfText).join("\t")}\n`

/**
 * Rows with the analysis id first and then a cell for each of `order`.
 *
 * @param order - places among the cells of a row; null for a column that this analysis does not have
 */
export const tabSeparated = (analysisId: string, order: ReadonlyArray<number | null>): RowForm => {
  const begin = encoder.encode(cellOfText(analysisId))
  return ({ bytes, ends, starts }, text) => {
    text.add(begin, 0, begin.length)
    for (const cell of order) {
      text.addByte(tab)
      if (cell !== null) addCell(bytes, starts[cell] ?? 0, ends[cell] ?? 0, text)
    }
    text.addByte(lineFeed)
  }
}

const addCell = (bytes: Uint8Array, from: number, to: number, text: GrowingBytes): void => {
  const first = bytes[from]
  if (first === openBracket) addItems(bytes, from, to, text)
  else if (first === openBrace) addJson(bytes, from, to, text, false)
  else addScalar(bytes, from, to, text, false)
}

const addItems = (bytes: Uint8Array, from: number, to: number, text: GrowingBytes): void => {
  for (let at = from + 1; at < to - 1; ) {
    const next = endOfValue(bytes, at, to)
    const first = bytes[at]
    if (first === openBracket || first === openBrace) addJson(bytes, at, next, text, true)
    else addScalar(bytes, at, next, text, true)
    if (next < to - 1) text.addByte(semicolon)
    at = next + 1
  }
}

/** A number, a literal or a text. */
const addScalar = (bytes: Uint8Array, from: number, to: number, text: GrowingBytes, inList: boolean): void => {
  if (bytes[from] === letterN) return
  const isText = bytes[from] === quote
  if (isText && needsEscape(bytes, from, to, inList)) {
    const content = unquoted(decoder.decode(bytes.subarray(from, to)))
    const escaped = encoder.encode(inList ? content.replaceAll(";", "\\;") : content)
    text.add(escaped, 0, escaped.length)
  } else text.add(bytes, isText ? from + 1 : from, isText ? to - 1 : to)
}

const needsEscape = (bytes: Uint8Array, from: number, to: number, inList: boolean): boolean => {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]
    if (byte === backslash || (inList && byte === semicolon)) return true
  }
  return false
}

/** JSON text as it is, with backslashes doubled and, in a list, semicolons escaped. */
const addJson = (bytes: Uint8Array, from: number, to: number, text: GrowingBytes, inList: boolean): void => {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte === backslash || (inList && byte === semicolon)) text.addByte(backslash)
    text.addByte(byte)
  }
}

/** An escape of JSON: of two halves of one character, of one unit, or of one letter. */
const escapes = /\\(?:(u[dD][89abAB]..\\u[dD][c-fC-F]..)|u(....)|(.))/g

/** Characters that stay escaped although JSON spells them with their number. */
const letters: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" }

/** A JSON string without its quotes, and without escapes where a table needs none. */
const unquoted = (json: string): string =>
  json.slice(1, -1).replace(escapes, (found, pair?: string, unit?: string, letter?: string) => {
    if (pair !== undefined) return String(JSON.parse(`"${found}"`))
    if (letter !== undefined) return letter === '"' || letter === "/" ? letter : found
    const character = String.fromCharCode(Number.parseInt(unit ?? "", 16))
    // Half a character, and what would be a control character, have no other spelling.
    return letters[character] ?? (character < " " || /\p{Cs}/u.test(character) ? found : character)
  })

/** Takes text in order. */
export interface TextOutput {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** Forgets what was written after the first `size` bytes; false where it has been seen already. */
  readonly rewind: (size: number) => Effect.Effect<boolean, LocalIo>
}

/** The text of several analyses as it grows, with a way back for one that fails. */
export interface TextWriter {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
  /** The columns of the table: `names` when it begins with them, else those of the analysis that it began with. */
  readonly columns: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, LocalIo>
  /** What takes back all that is written from now on; false where it has been seen already. */
  readonly undo: Effect.Effect<Effect.Effect<boolean, LocalIo>>
}

interface Written {
  /** Bytes of text. */
  readonly size: number
  /** The columns of the table, once there is one. */
  readonly columns: ReadonlyArray<string> | null
}

export const makeTextWriter = (output: TextOutput): Effect.Effect<TextWriter> =>
  Effect.map(Ref.make<Written>({ size: 0, columns: null }), (written) => {
    const write: TextWriter["write"] = (bytes) =>
      bytes.length === 0
        ? Effect.void
        : Effect.andThen(
            output.write(bytes),
            Ref.update(written, (now) => ({ ...now, size: now.size + bytes.length }))
          )
    return {
      write,
      columns: Effect.fnUntraced(function* (names) {
        const { columns } = yield* Ref.get(written)
        if (columns !== null) return columns
        yield* write(encoder.encode(tabHeader([analysisIdName, ...names])))
        yield* Ref.update(written, (now) => ({ ...now, columns: names }))
        return names
      }),
      undo: Effect.map(Ref.get(written), (before) =>
        Effect.gen(function* () {
          if ((yield* Ref.get(written)).size === before.size) return true
          if (!(yield* output.rewind(before.size))) return false
          yield* Ref.set(written, before)
          return true
        })
      )
    }
  })
