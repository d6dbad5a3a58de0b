/**
 * Lets the payload of a reply through as it comes, byte for byte, out of its envelope, and checks on the way that the
 * whole is JSON (RFC 8259). For bodies too large for memory, which so are read once and never parsed.
 *
 * An envelope is told by its first name. Bytes are let through before the end of the body is known: whoever keeps them
 * must wait for `end`.
 */
import { deepest } from "./ReplyText.ts"

/** Names of an envelope; no record has a field of these names. */
const envelopeNames: ReadonlyArray<string> = [
  "success",
  "response",
  "errorMessageId",
  "errorExpected",
  "errorId",
  "additionalInformation"
]

/** Bytes of an envelope besides its response, and of a name; more is no envelope that we know. */
const longestEnvelope = 65_536
const longestName = 64

// States of the grammar. Those of a number that may end are the last.
const value = 0
const valueOrEnd = 1
const after = 2
const string = 3
const escaped = 4
const hex = 5
const word = 6
const nameOrEnd = 7
const name = 8
const colon = 9
const done = 10
const minus = 11
const point = 12
const exponent = 13
const exponentSign = 14
const zero = 15
const integer = 16
const fraction = 17
const exponentDigits = 18

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39
const isHex = (byte: number) => isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
const isEscape = (byte: number) => '"\\/bfnrt'.includes(String.fromCharCode(byte))
const words: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" }

/** What the body turned out to be, once it is complete. */
export interface Verdict {
  /** The body with 0 in place of a payload that was let through: a whole envelope, null, or 0. */
  readonly outline: string
}

export class JsonPassage {
  #state = value
  #depth = 0
  /** By depth: 1 for an object. */
  readonly #objects = new Uint8Array(deepest + 1)
  #size = 0
  #form: "unknown" | "bare" | "envelope" = "unknown"
  /** While the form is unknown: the bytes so far. Of an envelope: its outline. */
  #held: Array<number> = []
  /** The name of the outermost object under way. */
  #name: Array<number> = []
  #inName = false
  #inResponse = false
  #hasResponse = false
  #word = ""
  #count = 0

  /** The next bytes of the body; the parts of the payload in them. The reason when the body is not JSON. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> | string {
    const parts: Array<Uint8Array> = []
    const length = chunk.length
    let state = this.#state
    /** Where the part under way begins; -1 when nothing is let through here. */
    let from = this.#form === "bare" || this.#inResponse ? 0 : -1
    const fault = (at: number) => `not JSON at byte ${this.#size + at + 1}`

    let i = this.#size === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0
    while (i < length) {
      const byte = chunk[i] as number
      const begins = state === value || state === valueOrEnd
      if (from < 0) {
        if (this.#form === "unknown") {
          if (begins && this.#depth === 0 && !isSpace(byte) && byte !== openBrace && byte !== 0x6e) {
            this.#form = "bare"
            from = i
          } else if (!isSpace(byte) || this.#held.length > 0) this.#held.push(byte)
        } else if (begins && this.#depth === 1 && this.#isResponse() && !isSpace(byte) && byte !== 0x6e) {
          if (this.#hasResponse) return `two payloads, the second at byte ${this.#size + i + 1}`
          this.#hasResponse = true
          this.#inResponse = true
          this.#held.push(0x30)
          from = i
        } else if (state !== done) this.#held.push(byte)
        if (this.#held.length > longestEnvelope) return "an envelope that is too large"
      }
      switch (state) {
        case string: {
          let at = i
          let end = byte
          while (end !== quote && end !== backslash && end >= 0x20) {
            at++
            if (at === length || from < 0) break
            end = chunk[at] as number
          }
          if (at > i) {
            if (this.#inName && this.#depth === 1) this.#keepName(chunk, i, at)
            i = at
            continue
          }
          if (end < 0x20) return fault(i)
          if (end === backslash) state = escaped
          else if (this.#inName) {
            this.#inName = false
            state = colon
            if (this.#form === "unknown") {
              this.#form = envelopeNames.includes(this.#nameText()) ? "envelope" : "bare"
              if (this.#form === "bare") {
                parts.push(Uint8Array.from(this.#held))
                this.#held = []
                from = i + 1
              }
            }
          } else state = after
          break
        }
        case escaped:
          if (byte === 0x75) {
            state = hex
            this.#count = 0
          } else if (isEscape(byte)) state = string
          else return fault(i)
          break
        case hex:
          if (!isHex(byte)) return fault(i)
          if (++this.#count === 4) state = string
          break
        case word:
          if (byte !== this.#word.charCodeAt(this.#count)) return fault(i)
          if (++this.#count === this.#word.length) state = after
          break
        case value:
        case valueOrEnd:
          if (isSpace(byte)) break
          if (byte === closeBracket && state === valueOrEnd) {
            this.#depth--
            state = after
          } else if (byte === quote) state = string
          else if (isDigit(byte)) state = byte === 0x30 ? zero : integer
          else if (byte === 0x2d) state = minus
          else if (byte === openBrace || byte === openBracket) {
            if (this.#depth === deepest) return `JSON nested deeper than ${deepest} levels`
            this.#objects[++this.#depth] = byte === openBrace ? 1 : 0
            state = byte === openBrace ? nameOrEnd : valueOrEnd
          } else {
            const found = words[byte]
            if (found === undefined) return fault(i)
            this.#word = found
            this.#count = 1
            state = word
          }
          break
        case nameOrEnd:
        case name:
          if (isSpace(byte)) break
          if (byte === closeBrace && state === nameOrEnd) {
            this.#depth--
            state = after
          } else if (byte === quote) {
            this.#inName = true
            if (this.#depth === 1) this.#name = []
            state = string
          } else return fault(i)
          break
        case colon:
          if (byte === 0x3a) state = value
          else if (!isSpace(byte)) return fault(i)
          break
        case minus:
          if (!isDigit(byte)) return fault(i)
          state = byte === 0x30 ? zero : integer
          break
        case point:
          if (!isDigit(byte)) return fault(i)
          state = fraction
          break
        case exponent:
          if (byte === 0x2b || byte === 0x2d) state = exponentSign
          else if (isDigit(byte)) state = exponentDigits
          else return fault(i)
          break
        case exponentSign:
          if (!isDigit(byte)) return fault(i)
          state = exponentDigits
          break
        case done:
          if (!isSpace(byte)) return fault(i)
          break
        default: {
          // After a complete value, or a number that may go on.
          if (state >= zero) {
            if (isDigit(byte) && state !== zero) break
            if (byte === 0x2e && state <= integer) {
              state = point
              break
            }
            if ((byte | 0x20) === 0x65 && state !== exponentDigits) {
              state = exponent
              break
            }
            state = after
          }
          if (isSpace(byte)) break
          if (this.#depth === 0) return fault(i)
          if (this.#depth === 1 && this.#inResponse) {
            this.#inResponse = false
            parts.push(chunk.subarray(from, i))
            from = -1
            this.#held.push(byte)
          }
          const inObject = this.#objects[this.#depth] === 1
          if (byte === comma) state = inObject ? name : value
          else if (byte === (inObject ? closeBrace : closeBracket)) this.#depth--
          else return fault(i)
        }
      }
      if (state === after && this.#depth === 0) {
        state = done
        if (this.#form === "unknown" && this.#held[0] === openBrace) {
          this.#form = "bare"
          parts.push(Uint8Array.from(this.#held))
        }
        if (from >= 0) parts.push(chunk.subarray(from, i + 1))
        from = -1
      }
      i++
    }
    if (from >= 0 && from < length) parts.push(chunk.subarray(from))
    this.#state = state
    this.#size += length
    return parts
  }

  /** After the last byte; the reason when something is missing. */
  end(): Verdict | string {
    if (this.#size === 0) return "its body is empty"
    const complete = this.#state === done || (this.#depth === 0 && this.#state >= zero)
    if (!complete) return `not JSON: it breaks off after ${this.#size} bytes`
    if (this.#form === "bare") return { outline: "0" }
    return { outline: new TextDecoder().decode(Uint8Array.from(this.#held)) }
  }

  #isResponse() {
    return this.#nameText() === "response"
  }

  #nameText() {
    return String.fromCharCode(...this.#name)
  }

  #keepName(chunk: Uint8Array, from: number, to: number) {
    for (let i = from; i < to && this.#name.length < longestName; i++) this.#name.push(chunk[i] as number)
  }
}
