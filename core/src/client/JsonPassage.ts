/**
 * Takes the payload out of the envelope of a reply while the reply arrives, byte for byte, and checks that the whole body is JSON
 * (RFC 8259). It serves bodies too large for memory: they are read once and never parsed.
 *
 * The first name of the outermost object shows whether it is an envelope. Bytes are handed on before the end of the body is
 * known to be sound: a caller that keeps them must wait for `end`.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colonSign,
  comma,
  digit,
  hexDigit,
  inString,
  letterN,
  letterU,
  minusSign,
  openBrace,
  openBracket,
  quote,
  shortEscape,
  space,
  zeroDigit
} from "../text/JsonBytes.ts"
import * as State from "../text/JsonStates.ts"
import { Nesting, tooDeep } from "../text/Nesting.ts"

/** The field names of an envelope. No record of the service has a field of such a name. */
const envelopeNames: ReadonlyArray<string> = [
  "success",
  "response",
  "errorMessageId",
  "errorExpected",
  "errorId",
  "additionalInformation"
]

/** Longest envelope without its `response`, and longest name, in bytes: anything longer is not an envelope of this service. */
const longestEnvelope = 65_536
const longestName = 64

/** Whether the payload is the whole body, or stands in an envelope. */
type Form = "unknown" | "bare" | "envelope"

/** What the body turned out to be, once it is complete. */
export interface Verdict {
  /** The body with `0` in place of the payload that was handed on: an envelope, `null`, or `0` alone. */
  readonly outline: string
}

export class JsonPassage {
  #state = State.value
  readonly #nesting = new Nesting()
  #size = 0
  #form: Form = "unknown"
  /** All bytes so far while the form is unknown; the outline once the body is an envelope. */
  #held: Array<number> = []
  /** The name that is being read in the outermost object. */
  #name: Array<number> = []
  #inName = false
  #inResponse = false
  #hasResponse = false
  #word = ""
  #count = 0
  #fault: string | null = null
  /** Where in the current chunk the part begins that is passed on, -1 when none is; then the parts passed on so far. */
  #from = -1
  #parts: Array<Uint8Array> = []

  /** Takes the next bytes of the body and gives the parts of the payload in them, or the reason why the body is not JSON. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> | string {
    this.#parts = []
    this.#from = this.#form === "bare" || this.#inResponse ? 0 : -1
    let at = this.#size === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0
    while (at < chunk.length && this.#fault === null) {
      if (this.#from < 0) this.#hold(chunk[at] ?? 0, at)
      at = this.#step(chunk, at)
      if (this.#state === State.after && this.#nesting.depth === 0) this.#finish(chunk, at)
    }
    if (this.#fault !== null) return this.#fault
    if (this.#from >= 0 && this.#from < chunk.length) this.#parts.push(chunk.subarray(this.#from))
    this.#size += chunk.length
    return this.#parts
  }

  /** Call after the last byte: gives the verdict, or the reason when something is missing. */
  end(): Verdict | string {
    if (this.#size === 0) return "its body is empty"
    const complete = this.#state === State.end || (this.#nesting.depth === 0 && State.mayEnd(this.#state))
    if (!complete) return `not JSON: it breaks off after ${this.#size} bytes`
    if (this.#form === "bare") return { outline: "0" }
    return { outline: decoder.decode(Uint8Array.from(this.#held)) }
  }

  /** Keeps a byte that is outside the payload, unless the payload begins with it. */
  #hold(byte: number, at: number): void {
    const begins = (this.#state === State.value || this.#state === State.valueOrEnd) && space[byte] !== 1
    if (this.#form === "unknown") {
      // `null` may mean that there is no payload, and an object may be an envelope; any other value is the payload.
      if (begins && this.#nesting.depth === 0 && byte !== openBrace && byte !== letterN) {
        this.#form = "bare"
        this.#from = at
      } else if (space[byte] !== 1 || this.#held.length > 0) this.#held.push(byte)
    } else if (begins && this.#nesting.depth === 1 && this.#nameText() === "response" && byte !== letterN) {
      if (this.#hasResponse) this.#fault = `two payloads, the second at byte ${this.#size + at + 1}`
      this.#hasResponse = true
      this.#inResponse = true
      this.#held.push(zeroDigit)
      this.#from = at
    } else if (this.#state !== State.end) this.#held.push(byte)
    if (this.#held.length > longestEnvelope) this.#fault = "an envelope that is too large"
  }

  /** Skips the plain bytes of a string. Outside the payload it takes one byte at a time, since each is kept. */
  #inString(chunk: Uint8Array, from: number): number {
    const last = this.#from < 0 ? from + 1 : chunk.length
    let at = from
    while (at < last && inString[chunk[at] ?? 0] === 1) at++
    if (this.#inName && this.#nesting.depth === 1) this.#keepName(chunk, from, at)
    if (at === last) return at
    const byte = chunk[at] ?? 0
    if (byte === backslash) this.#state = State.escaped
    else if (byte === quote) this.#endString(at)
    else this.#refuse(at)
    return at + 1
  }

  #endString(at: number): void {
    this.#state = this.#inName ? State.colon : State.after
    if (this.#inName && this.#form === "unknown") {
      this.#form = envelopeNames.includes(this.#nameText()) ? "envelope" : "bare"
      if (this.#form === "bare") {
        this.#parts.push(Uint8Array.from(this.#held))
        this.#held = []
        this.#from = at + 1
      }
    }
    this.#inName = false
  }

  /** Reads the token part at offset `at` of the chunk; returns the offset after it. */
  #step(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0
    switch (this.#state) {
      case State.string:
        return this.#inString(chunk, at)
      case State.after:
        if (space[byte] !== 1) this.#after(chunk, byte, at)
        break
      case State.value:
      case State.valueOrEnd:
        if (space[byte] !== 1) this.#begin(byte, at)
        break
      case State.name:
      case State.nameOrEnd:
        if (space[byte] !== 1) this.#beginName(byte, at)
        break
      case State.colon:
        if (byte === colonSign) this.#state = State.value
        else if (space[byte] !== 1) this.#refuse(at)
        break
      case State.escaped:
      case State.hex:
        this.#escape(byte, at)
        break
      case State.literal:
        this.#literal(byte, at)
        break
      case State.end:
        if (space[byte] !== 1) this.#refuse(at)
        break
      default:
        return this.#inNumber(chunk, at)
    }
    return at + 1
  }

  #beginName(byte: number, at: number): void {
    if (byte === quote) {
      this.#inName = true
      if (this.#nesting.depth === 1) this.#name = []
      this.#state = State.string
    } else if (byte === closeBrace && this.#state === State.nameOrEnd) this.#close(true, at)
    else this.#refuse(at)
  }

  #begin(byte: number, at: number): void {
    if (byte === closeBracket && this.#state === State.valueOrEnd) this.#close(false, at)
    else if (byte === quote) this.#state = State.string
    else if (digit[byte] === 1) this.#state = byte === zeroDigit ? State.zero : State.integer
    else if (byte === minusSign) this.#state = State.minus
    else if (byte === openBrace || byte === openBracket) {
      if (!this.#nesting.open(byte === openBrace)) this.#fault = tooDeep()
      this.#state = byte === openBrace ? State.nameOrEnd : State.valueOrEnd
    } else {
      this.#word = State.literals[byte] ?? ""
      if (this.#word === "") this.#refuse(at)
      this.#count = 1
      this.#state = State.literal
    }
  }

  #escape(byte: number, at: number): void {
    if (this.#state === State.escaped) {
      if (byte !== letterU && shortEscape[byte] !== 1) this.#refuse(at)
      this.#state = byte === letterU ? State.hex : State.string
      this.#count = 0
    } else if (hexDigit[byte] !== 1) this.#refuse(at)
    else if (++this.#count === 4) this.#state = State.string
  }

  #literal(byte: number, at: number): void {
    if (byte !== this.#word.charCodeAt(this.#count)) this.#refuse(at)
    else if (++this.#count === this.#word.length) this.#state = State.after
  }

  /** Reads the digits of a number up to the first other byte: a point, a sign, an exponent, or what follows the number. */
  #inNumber(chunk: Uint8Array, from: number): number {
    const last = this.#from < 0 ? from + 1 : chunk.length
    let at = from
    if (this.#state > State.zero) while (at < last && digit[chunk[at] ?? 0] === 1) at++
    if (at === last) return at
    const next = State.inNumber(this.#state, chunk[at] ?? 0)
    if (next < 0) this.#refuse(at)
    this.#state = next
    return next === State.after ? this.#step(chunk, at) : at + 1
  }

  /** Reads the byte that follows a complete value. */
  #after(chunk: Uint8Array, byte: number, at: number): void {
    const { depth, inObject } = this.#nesting
    if (depth === 1 && this.#inResponse) {
      this.#inResponse = false
      this.#parts.push(chunk.subarray(this.#from, at))
      this.#from = -1
      this.#held.push(byte)
    }
    if (depth > 0 && byte === comma) this.#state = inObject ? State.name : State.value
    else this.#close(byte === closeBrace, at, byte === closeBrace || byte === closeBracket)
  }

  #close(isObject: boolean, at: number, isBracket = true): void {
    if (!isBracket || !this.#nesting.close(isObject)) this.#refuse(at)
    this.#state = State.after
  }

  /** Called when the value of the body is complete; `at` is the offset after its last byte. */
  #finish(chunk: Uint8Array, at: number): void {
    this.#state = State.end
    if (this.#form === "unknown" && this.#held[0] === openBrace) {
      this.#form = "bare"
      this.#parts.push(Uint8Array.from(this.#held))
    }
    if (this.#from >= 0) this.#parts.push(chunk.subarray(this.#from, at))
    this.#from = -1
  }

  #refuse(at: number): void {
    this.#fault = `not JSON at byte ${this.#size + at + 1}`
  }

  #nameText(): string {
    return String.fromCharCode(...this.#name)
  }

  #keepName(chunk: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to && this.#name.length < longestName; i++) this.#name.push(chunk[i] ?? 0)
  }
}

const decoder = new TextDecoder()
