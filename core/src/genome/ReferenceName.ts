/**
 * Names of references as text that leads back to their bytes: most are ASCII, some UTF-8, and a few are neither. Of these every byte
 * past ASCII becomes half of a surrogate pair, which no UTF-8 gives; so two names stay two, and a slice has the bytes of its source.
 */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const encoder = new TextEncoder()

const escaped = 0xdc00
const replacement = "\ufffd"
const escapes = /[\udc80-\udcff]/

export const decodeName = (bytes: Uint8Array): string => {
  const text = decoder.decode(bytes)
  if (!text.includes(replacement)) return text
  return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : escaped + byte)).join("")
}

/** The bytes of a name, or of text with names in it, that `decodeName` gave. */
export const encodeName = (text: string): Uint8Array => {
  if (text.isWellFormed()) return encoder.encode(text)
  const parts = Array.from(text, (char) =>
    char.length === 1 && escapes.test(char) ? Uint8Array.of(char.charCodeAt(0) - escaped) : encoder.encode(char)
  )
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
