/** Bytes of JSON by name. */

export const quote = 0x22
export const backslash = 0x5c
export const comma = 0x2c
export const openBracket = 0x5b
export const closeBracket = 0x5d
export const openBrace = 0x7b
export const closeBrace = 0x7d
export const zeroDigit = 0x30
export const nineDigit = 0x39
export const minusSign = 0x2d
export const pointSign = 0x2e
export const colonSign = 0x3a
export const letterE = 0x65
export const letterN = 0x6e
export const letterU = 0x75

/** The first four bytes of the literals, as a 32-bit number with the first byte lowest. */
export const nullWord = 0x6c6c756e
export const trueWord = 0x65757274
export const falsWord = 0x736c6166

// Classes of bytes: 1 for those that belong.

const classOf = (belongs: (byte: number) => boolean) => Uint8Array.from({ length: 256 }, (_, byte) => +belongs(byte))
const isDigit = (byte: number) => byte >= zeroDigit && byte <= nineDigit

/** Bytes that stand for themselves inside a string. */
export const plain = classOf((byte) => byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== backslash)
/** Bytes inside a string that end nothing, characters of several bytes among them. */
export const inString = classOf((byte) => byte >= 0x20 && byte !== quote && byte !== backslash)
export const space = classOf((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
export const digit = classOf(isDigit)
export const hexDigit = classOf((byte) => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66))
/** What may follow a backslash, apart from `u`. */
export const shortEscape = classOf((byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)))

/**
 * Where a word has a byte that does not stand for itself inside a string: the lowest byte with its highest bit set
 * is the first one; zero when there is none.
 */
export const specialIn = (word: number): number => {
  const quotes = word ^ 0x22222222
  const backslashes = word ^ 0x5c5c5c5c
  return (
    (((word - 0x20202020) & ~word) |
      word |
      ((quotes - 0x01010101) & ~quotes) |
      ((backslashes - 0x01010101) & ~backslashes)) &
    0x80808080
  )
}
