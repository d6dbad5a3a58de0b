/**
 * Takes the payload out of the envelope of a reply while the reply arrives, byte for byte, and checks that the whole body is JSON.
 * It serves bodies too large for memory: they are read once and never parsed.
 *
 * The first name of the outermost object shows whether it is an envelope. Bytes are handed on before the end of the body is
 * known to be sound: a caller that keeps them must wait for `end`.
 */
import * as Bytes from "effect/Bytes"
import { type JsonFault, type JsonListener, JsonScanner } from "../text/JsonScanner.ts"

/** The field names of an envelope. No record of the service has a field of such a name. */
const envelopeNames: ReadonlyArray<string> = [
  "success",
  "response",
  "errorMessageId",
  "errorExpected",
  "errorId",
  "additionalInformation"
]

/** Longest envelope without its `response`, in bytes: anything longer is not an envelope of this service. */
const longestEnvelope = 65_536

/** What the body turned out to be, once it is complete. */
export interface Verdict {
  /** The body with `0` in place of the payload that was handed on: an envelope, `null`, or `0` alone. */
  readonly outline: string
}

const openBrace = 0x7b
const letterN = 0x6e
const zero = Uint8Array.of(0x30)
const decoder = new TextDecoder()

export class JsonPassage implements JsonListener {
  readonly #scanner = new JsonScanner(this, 1)
  #form: "unknown" | "bare" | "envelope" = "unknown"
  /** Where the bytes go that are read next; what surrounds the body is white space, and left out. */
  #target: "nowhere" | "outline" | "payload" = "nowhere"
  /** All of the body while its form is unknown. */
  #outline: Array<Uint8Array> = []
  #outlineSize = 0
  #payload: Array<Uint8Array> = []
  #chunk: Uint8Array = new Uint8Array()
  /** How far the chunk has been taken. */
  #taken = 0
  #name = ""
  #hasResponse = false
  /** The first byte of the body. */
  #root = 0

  /** Takes the next bytes of the body and gives the parts of the payload in them, or the reason why the body is not JSON. */
  push(chunk: Uint8Array): ReadonlyArray<Uint8Array> | string {
    this.#payload = []
    this.#chunk = chunk
    this.#taken = 0
    const fault = this.#scanner.push(chunk)
    if (fault !== null) return inWords(fault)
    this.#take(chunk.length)
    return this.#outlineSize > longestEnvelope ? "an envelope that is too large" : this.#payload
  }

  /** Call after the last byte: gives the verdict, or the reason when something is missing. */
  end(): Verdict | string {
    const fault = this.#scanner.end()
    if (fault !== null) return inWords(fault)
    return { outline: this.#form === "bare" ? "0" : decoder.decode(Bytes.concat(this.#outline)) }
  }

  began(at: number, byte: number, depth: number): string | null {
    if (depth === 0) {
      this.#take(at)
      this.#root = byte
      // `null` may mean that there is no payload, and an object may be an envelope; any other value is the payload.
      if (byte === openBrace || byte === letterN) this.#target = "outline"
      else this.#becomeBare()
    } else if (this.#form === "envelope" && this.#name === "response" && byte !== letterN) {
      if (this.#hasResponse) return "two payloads"
      this.#hasResponse = true
      this.#take(at)
      this.#keep(zero)
      this.#target = "payload"
    }
    return null
  }

  ended(at: number, depth: number): void {
    if (depth === 0 && this.#form === "unknown" && this.#root === openBrace) this.#becomeBare()
    if (depth === 0) {
      this.#take(at)
      this.#target = "nowhere"
    } else if (this.#form === "envelope" && this.#target === "payload") {
      this.#take(at)
      this.#target = "outline"
    }
  }

  named(name: string): null {
    this.#name = name
    if (this.#form !== "unknown") return null
    if (envelopeNames.includes(name)) this.#form = "envelope"
    else this.#becomeBare()
    return null
  }

  /** The whole body is the payload, also what has been read of it. */
  #becomeBare(): void {
    this.#form = "bare"
    this.#target = "payload"
    this.#payload.push(...this.#outline)
    this.#outline = []
    this.#outlineSize = 0
  }

  /** Takes the chunk up to `to`. */
  #take(to: number): void {
    const part = this.#chunk.subarray(this.#taken, to)
    this.#taken = to
    if (part.length === 0) return
    if (this.#target === "payload") this.#payload.push(part)
    else if (this.#target === "outline") this.#keep(part.slice())
  }

  #keep(part: Uint8Array): void {
    this.#outline.push(part)
    this.#outlineSize += part.length
  }
}

/** The fault as a message has it; the byte is counted from 1. */
const inWords = ({ at, reason }: JsonFault): string => `${reason}, at byte ${at + 1}`
