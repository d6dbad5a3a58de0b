/** Text of a status for the width of a terminal. */
import { columnsOfCharacter, textWidth } from "../../platform/terminal/TextWidth.ts"

/** Cut in front to `width` columns, because file names differ at their ends. */
export const cutInFront = (text: string, width: number): string => {
  const characters = [...text]
  let room = width
  let first = characters.length
  while (first > 0 && room >= columnsOfCharacter(characters[first - 1] ?? ""))
    room -= columnsOfCharacter(characters[--first] ?? "")
  if (first === 0) return text
  // The mark needs a column of its own.
  while (first < characters.length && room < 1) room += columnsOfCharacter(characters[first++] ?? "")
  return width < 1 ? "" : `…${characters.slice(first).join("")}`
}

/** Filled up with spaces to `width` columns. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - textWidth(text)))

/** The first of `texts`, the most telling first, that leaves the last column free; the last one is cut if it must be. */
export const firstThatFits = (texts: ReadonlyArray<string>, columns: number): string =>
  texts.find((text) => textWidth(text) < columns) ?? cutInFront(texts.at(-1) ?? "", columns - 1)

/** `1:02:03` or `2:03` for seconds. */
export const clockText = (seconds: number): string => {
  const two = (value: number) => String(value).padStart(2, "0")
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** Bytes per second of what came in `milliseconds`; null before a second has passed, when it would only jump. */
export const rateOf = (bytes: number, milliseconds: number): number | null =>
  milliseconds < 1000 ? null : Math.round((bytes * 1000) / milliseconds)

/** Seconds until `left` bytes have come; null when unknown. */
export const secondsLeft = (left: number | null, rate: number | null): number | null =>
  left === null || rate === null || rate === 0 ? null : Math.ceil(Math.max(0, left) / rate)
