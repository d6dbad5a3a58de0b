/** The states of the JSON grammar (RFC 8259), by what may come next. */

export const start = 0
export const value = 1
export const valueOrEnd = 2
export const after = 3
export const string = 4
export const escaped = 5
export const hex = 6
export const continuation = 7
export const literal = 8
export const name = 9
export const nameOrEnd = 10
export const colon = 11
export const end = 12
export const minus = 13
export const point = 14
export const exponent = 15
export const exponentSign = 16
// The four in which a number may end.
export const zero = 17
export const integer = 18
export const fraction = 19
export const exponentDigits = 20

/** What a message says that was expected. */
export const due: Readonly<Record<number, string>> = {
  [value]: "a value",
  [valueOrEnd]: "a value or a closing bracket",
  [after]: "a comma or a closing bracket",
  [literal]: "true, false or null",
  [name]: "a name",
  [nameOrEnd]: "a name or a closing brace",
  [colon]: "a colon",
  [end]: "the end",
  [minus]: "a digit",
  [point]: "a digit",
  [exponent]: "a digit or a sign",
  [exponentSign]: "a digit"
}

/** What a byte means in a number: the state after it, `after` when the number ended before it, -1 when it cannot be there. */
export const inNumber = (state: number, byte: number): number => {
  const isDigit = byte >= 0x30 && byte <= 0x39
  switch (state) {
    case minus:
      return byte === 0x30 ? zero : isDigit ? integer : -1
    case point:
      return isDigit ? fraction : -1
    case exponent:
      return byte === 0x2b || byte === 0x2d ? exponentSign : isDigit ? exponentDigits : -1
    case exponentSign:
      return isDigit ? exponentDigits : -1
    default:
      if (isDigit && state !== zero) return state
      if (byte === 0x2e && state <= integer) return point
      return (byte | 0x20) === 0x65 && state !== exponentDigits ? exponent : after
  }
}

/** Whether what was read so far may be the end of a text that is a single number. */
export const mayEnd = (state: number): boolean => state >= zero

/** The words of JSON by their first byte. */
export const literals: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" }
