/**
 * What stands in a JSON string besides plain bytes: escapes (RFC 8259, section 7), and characters of two to four bytes in
 * UTF-8 (RFC 3629). It may be cut anywhere.
 */
import { hexDigit, letterU, shortEscape } from "./JsonBytes.ts"
import * as State from "./JsonStates.ts"

export class JsonString {
  /** Bytes so far of `\u0000`, or bytes to come of a character. */
  #count = 0
  /** Bounds of the next byte of a character. */
  #low = 0
  #high = 0

  /** Whether `byte` may be the first of a character of several: no overlong form, no surrogate. */
  beginCharacter(byte: number): boolean {
    if (byte < 0xc2 || byte > 0xf4) return false
    this.#count = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
    return true
  }

  /** The state after `byte` in `escaped`, `hex` or `continuation`; -1 when it cannot be there. */
  next(state: number, byte: number): number {
    if (state === State.escaped) {
      this.#count = 0
      if (byte === letterU) return State.hex
      return shortEscape[byte] === 1 ? State.string : -1
    }
    if (state === State.hex) {
      if (hexDigit[byte] !== 1) return -1
      return ++this.#count === 4 ? State.string : State.hex
    }
    if (byte < this.#low || byte > this.#high) return -1
    this.#low = 0x80
    this.#high = 0xbf
    return --this.#count === 0 ? State.string : State.continuation
  }
}

/** What a message says of a byte that cannot stand there. */
export const wrongInString = (state: number): string =>
  state === State.continuation ? "text that is not UTF-8" : "an unknown escape in a string"
