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
import {
  backslash,
  closeBracket,
  comma,
  letterN,
  letterU,
  nineDigit,
  openBrace,
  openBracket,
  quote
} from "../text/JsonBytes.ts"
import type { ByteBlock } from "./ByteBlock.ts"
import { copyWords } from "./ByteBlock.ts"
import { firstOf } from "./CellMarks.ts"
import { Frame, type RowText } from "./RowText.ts"

const semicolon = 0x3b
const slash = 0x2f
const tab = 0x09
const lineFeed = 0x0a
const backslashes = backslash * 0x01010101
const semicolons = semicolon * 0x01010101

const encoder = new TextEncoder()

/** A text that is a cell or the name of one. */
const cellOfText = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')

/** The line of names. */
export const tabHeader = (names: ReadonlyArray<string>): string => `${names.map(cellOfText).join("\t")}\n`

/**
 * Rows with the analysis id first and then a cell for each of `order`.
 *
 * @param order - places among the cells of a row; null for a column that this analysis does not have
 */
export const tabSeparated = (analysisId: string, order: ReadonlyArray<number | null>): RowText => {
  const places = Int32Array.from(order, (place) => place ?? -1)
  const frame = new Frame([cellOfText(analysisId)])
  return {
    copy: null,
    room: (cellBytes) => frame.length + places.length + 1 + 2 * cellBytes,
    write: (source, starts, target, at) => {
      let end = frame.copy(0, target, at)
      for (let i = 0; i < places.length; i++) {
        const place = places[i] ?? -1
        target.bytes[end++] = tab
        if (place >= 0) end = writeCell(source, starts[place] ?? 0, (starts[place + 1] ?? 0) - 1, target, end)
      }
      target.bytes[end] = lineFeed
      return end + 1
    }
  }
}

const writeCell = (source: ByteBlock, from: number, to: number, target: ByteBlock, at: number): number => {
  const first = source.bytes[from] ?? 0
  if (first === quote) return writeText(source, from + 1, to - 1, target, at, false)
  if (first === letterN) return at
  if (first === openBracket) return writeList(source, from, to, target, at)
  if (first === openBrace) return writeJson(source, from, to, target, at, false)
  return copyWords(source, from, to, target, at)
}

const writeList = (source: ByteBlock, from: number, to: number, target: ByteBlock, at: number): number => {
  const { bytes } = source
  let end = at
  let place = from + 1
  while (place < to - 1) {
    const next = endOfItem(bytes, place)
    const first = bytes[place] ?? 0
    if (first === quote) end = writeText(source, place + 1, next - 1, target, end, true)
    else if (first === openBracket || first === openBrace) end = writeJson(source, place, next, target, end, true)
    else if (first !== letterN) end = copyWords(source, place, next, target, end)
    if (bytes[next] === comma) target.bytes[end++] = semicolon
    place = next + 1
  }
  return end
}

/** Where the item of a list ends that begins at `from`: at its comma or the closing bracket of the list. */
const endOfItem = (bytes: Uint8Array, from: number): number => {
  let depth = 0
  let at = from
  while (true) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      at++
      while (bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    } else if (depth === 0 && (byte === comma || byte === closeBracket)) return at
    // Opening brackets and braces are 0x5b and 0x7b, closing ones 0x5d and 0x7d.
    else if ((byte & 0xdf) === openBracket) depth++
    else if ((byte & 0xdf) === closeBracket) depth--
    at++
  }
}

/** JSON text as it is, with backslashes doubled and, in a list, semicolons escaped. */
const writeJson = (
  source: ByteBlock,
  from: number,
  to: number,
  target: ByteBlock,
  at: number,
  inList: boolean
): number => {
  let end = at
  for (let place = from; place < to; place++) {
    const byte = source.bytes[place] ?? 0
    if (byte === backslash || (inList && byte === semicolon)) target.bytes[end++] = backslash
    target.bytes[end++] = byte
  }
  return end
}

/** The inside of a JSON string. */
const writeText = (
  source: ByteBlock,
  from: number,
  to: number,
  target: ByteBlock,
  at: number,
  inList: boolean
): number => {
  const { bytes, words } = source
  const alsoSpecial = inList ? semicolons : backslashes
  let place = from
  let end = at
  while (place < to) {
    const word = words.getInt32(place, true)
    const one = word ^ backslashes
    const other = word ^ alsoSpecial
    const special = (((one - 0x01010101) & ~one) | ((other - 0x01010101) & ~other)) & 0x80808080
    target.words.setInt32(end, word, true)
    const usual = special === 0 ? 4 : firstOf(special)
    place += usual
    end += usual
    if (special === 0 || place >= to) continue
    if (bytes[place] === semicolon) {
      end = writeEscape(semicolon, target, end)
      place++
    } else if (bytes[place + 1] === letterU) {
      const length = escapeLength(bytes, place, to)
      end = writeCharacter(source, place, length, target, end, inList)
      place += length
    } else {
      const letter = bytes[place + 1] ?? 0
      // A quote and a slash need no escape here.
      if (letter === quote || letter === slash) target.bytes[end++] = letter
      else end = writeEscape(letter, target, end)
      place += 2
    }
  }
  // A word may go beyond the end.
  return end - (place - to)
}

const writeEscape = (letter: number, target: ByteBlock, at: number): number => {
  target.bytes[at] = backslash
  target.bytes[at + 1] = letter
  return at + 2
}

/** Bytes of the escape at `from`: 12 for the two halves of one character. */
const escapeLength = (bytes: Uint8Array, from: number, to: number): 6 | 12 =>
  from + 12 <= to &&
  (unitAt(bytes, from) & 0xfc00) === 0xd800 &&
  bytes[from + 6] === backslash &&
  bytes[from + 7] === letterU &&
  (unitAt(bytes, from + 6) & 0xfc00) === 0xdc00
    ? 12
    : 6

/** The number in the escape at `from`. */
const unitAt = (bytes: Uint8Array, from: number): number => {
  let unit = 0
  for (let at = from + 2; at < from + 6; at++) {
    const byte = bytes[at] ?? 0
    unit = unit * 16 + (byte & 0x0f) + (byte > nineDigit ? 9 : 0)
  }
  return unit
}

/** What stands for the characters that stay escaped but have a shorter escape. */
const letters: Readonly<Record<number, number>> = { 9: 0x74, 10: 0x6e, 13: 0x72, [backslash]: backslash }

/** The character of the escape at `from`; one that must not stand here, or is half a character, stays escaped. */
const writeCharacter = (
  source: ByteBlock,
  from: number,
  length: 6 | 12,
  target: ByteBlock,
  at: number,
  inList: boolean
): number => {
  const { bytes } = source
  const unit = unitAt(bytes, from)
  const letter = inList && unit === semicolon ? semicolon : letters[unit]
  if (letter !== undefined) return writeEscape(letter, target, at)
  if (length === 6 && (unit < 0x20 || (unit & 0xf800) === 0xd800)) return copyWords(source, from, from + 6, target, at)
  const point = length === 6 ? unit : 0x10000 + ((unit & 0x3ff) << 10) + (unitAt(bytes, from + 6) & 0x3ff)
  const encoded = encoder.encode(String.fromCodePoint(point))
  target.bytes.set(encoded, at)
  return at + encoded.length
}
