/** Characters of text formats, and numbers, read where they lie: a line that is judged is seldom worth a string. */

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
