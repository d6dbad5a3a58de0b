/** Finds the parts of JSON that a scanner has accepted, for a fraction of the time that the grammar takes. */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Where the value ends that begins at `from`, in bytes that are known to be JSON: at the comma, bracket or white space after it;
 * -1 when it is not complete before `to`.
 */
export const endOfValue = (bytes: Uint8Array, from: number, to: number): number => {
  let depth = 0
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) {
      at++
      while (at < to && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    } else if (depth === 0 && (byte === comma || byte === closeBracket || byte <= 0x20)) return at
    // Opening brackets and braces are 0x5b and 0x7b, closing ones 0x5d and 0x7d.
    else if ((byte & 0xdf) === openBracket) depth++
    else if ((byte & 0xdf) === closeBracket) depth--
  }
  return -1
}
