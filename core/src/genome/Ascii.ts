/** Characters of text formats, and numbers, read where they lie: a line that is judged is seldom worth a string. */
import { decodeName } from "./ReferenceName.ts"

export const tab = 0x09
export const lineFeed = 0x0a
export const carriageReturn = 0x0d
export const hash = 0x23

const zero = 0x30

/** The digits in `[at, stop)` as a number, NaN when there are none or anything else. */
export const digitsIn = (bytes: Uint8Array, at: number, stop: number): number => {
  if (at >= stop) return Number.NaN
  let value = 0
  for (let i = at; i < stop; i++) {
    const digit = bytes[i]! - zero
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** Whether `text` stands at `at`. */
export const standsAt = (bytes: Uint8Array, at: number, text: Uint8Array): boolean => {
  if (at + text.length > bytes.length) return false
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

/** The lines of a text without their line feeds; what lies behind the last feed is one where it is not empty. */
export function* linesOf(text: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf(lineFeed, at)
    const end = feed === -1 ? text.length : feed
    yield text.subarray(at, end)
    at = end + 1
  }
}

/** Where a line of `linesOf(text)` begins in the text. */
export const startOf = (line: Uint8Array, text: Uint8Array): number => line.byteOffset - text.byteOffset

/** The lines as `decodeName` reads them, each alone: a byte that is no UTF-8 spoils no line but its own. */
export const decodeLines = (text: Uint8Array): ReadonlyArray<string> => Array.from(linesOf(text), decodeName)
