/**
 * Where the usual tokens of rows end, for a scanner that reads ahead: `safe` where that is not known yet, or where only the
 * grammar can decide. Words are read up to `safe`, so the chunk must go on for eight bytes after it.
 */
import { backslash, digit, pointSign, quote, shortEscape, specialIn } from "../text/JsonBytes.ts"
import { firstOf } from "./CellMarks.ts"

/** The position after the closing quote of a string whose content begins at `from`. */
export const afterString = (chunk: Uint8Array, view: DataView, from: number, safe: number): number => {
  let at = from
  while (at < safe) {
    const special = specialIn(view.getInt32(at, true))
    if (special === 0) {
      at += 4
      continue
    }
    at += firstOf(special)
    if (chunk[at] === quote) return at + 1
    at = afterCharacter(chunk, at, safe)
  }
  return safe
}

/** The position after an escape of two bytes, or after a character of two or three bytes in UTF-8. */
const afterCharacter = (chunk: Uint8Array, at: number, safe: number): number => {
  const byte = chunk[at] ?? 0
  const second = chunk[at + 1] ?? 0
  if (byte === backslash) return shortEscape[second] === 1 ? at + 2 : safe
  if ((second & 0xc0) !== 0x80) return safe
  if (byte >= 0xc2 && byte < 0xe0) return at + 2
  const usual = byte > 0xe0 && byte < 0xf0 && byte !== 0xed
  return usual && ((chunk[at + 2] ?? 0) & 0xc0) === 0x80 ? at + 3 : safe
}

export const afterDigits = (chunk: Uint8Array, from: number, safe: number): number => {
  let at = from
  while (at < safe && digit[chunk[at] ?? 0] === 1) at++
  return at
}

/** The position after a number whose integer part ends at `at`. */
export const afterNumber = (chunk: Uint8Array, at: number, safe: number): number => {
  if (at >= safe || chunk[at] !== pointSign) return at
  const end = afterDigits(chunk, at + 1, safe)
  return end === at + 1 ? safe : end
}
