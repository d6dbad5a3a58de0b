/** The lines of a header as bytes: a header of millions of references may be longer than a string can be. */
import { lineFeed } from "../Ascii.ts"
import { decodeName } from "../ReferenceName.ts"

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

const latin1 = new TextDecoder("latin1")

/** One character for each byte: not all writers use UTF-8. */
export const textOf = (line: Uint8Array): string => latin1.decode(line)

/** The lines as `decodeName` reads them, each alone: a byte that is no UTF-8 spoils no line but its own. */
export const decodeLines = (text: Uint8Array): ReadonlyArray<string> => Array.from(linesOf(text), decodeName)
