/**
 * Reads the body of an annotations answer once, as it comes: checks that it is JSON in UTF-8 (RFC 8259), and tells `BodyParts`
 * where values begin and end, which finds the rows of `data` and the value of `header` in either order.
 *
 * Nothing is kept between chunks but the state of the grammar, so a chunk may end anywhere, also inside a number, an
 * escape or a character. Rows in their usual form are read ahead (`UsualRows.ts`); the grammar here knows everything.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colonSign,
  comma,
  digit,
  minusSign,
  openBrace,
  openBracket,
  plain,
  quote,
  space,
  zeroDigit
} from "../text/JsonBytes.ts"
import * as State from "../text/JsonStates.ts"
import { JsonString, wrongInString } from "../text/JsonString.ts"
import { deepest, Nesting, tooDeep } from "../text/Nesting.ts"
import { BodyParts, membersLevel } from "./BodyParts.ts"
import { MemberName } from "./MemberName.ts"
import { UsualRows } from "./UsualRows.ts"

/** Why a body cannot be read; `at` counts bytes from the start of the body. Says nothing of its content. */
export type ScanFault =
  | { readonly _tag: "Malformed"; readonly at: number; readonly reason: string }
  | { readonly _tag: "TooLarge"; readonly limit: number }

export interface ScanLimits {
  /** Levels of nesting, the object of the body included. */
  readonly depth: number
  /** Bytes of one row, and of the header. */
  readonly piece: number
}

export const usualLimits: ScanLimits = { depth: deepest, piece: 32 * 1024 * 1024 }

const byteOrderMark: ReadonlyArray<number> = [0xef, 0xbb, 0xbf]

export class BodyScanner {
  readonly parts: BodyParts
  readonly #limits: ScanLimits
  readonly #nesting: Nesting
  readonly #usual: UsualRows
  readonly #name = new MemberName()
  readonly #text = new JsonString()
  #state = State.start
  /** Whether the string under way is a name. */
  #inName = false
  /** The literal under way, and how many bytes of it, or of the byte order mark, have come. */
  #literal = ""
  #count = 0
  #fault: ScanFault | null = null

  /** @param marking - whether to mark the cells, in the chunks themselves */
  constructor(marking: boolean, limits: ScanLimits = usualLimits) {
    this.#limits = limits
    this.#nesting = new Nesting(limits.depth)
    this.#usual = new UsualRows(marking, this.#nesting)
    this.parts = new BodyParts(marking, this.#nesting)
  }

  /** Scans the next bytes. A fault is final. */
  push(chunk: Uint8Array): ScanFault | null {
    if (this.#fault !== null) return this.#fault
    const { length } = chunk
    const { parts } = this
    parts.beginChunk(length)
    const view = new DataView(chunk.buffer, chunk.byteOffset, length)
    let at = 0
    while (at < length && this.#fault === null) {
      if (parts.inRows && this.#state === State.value && !this.#nesting.inObject) at = this.#readAhead(chunk, view, at)
      if (at < length) at = this.#step(chunk, at)
    }
    parts.endChunk(length)
    if (parts.pending > this.#limits.piece) this.#fault ??= { _tag: "TooLarge", limit: this.#limits.piece }
    return this.#fault
  }

  /** The body has ended: a fault when it is not complete. */
  end(): ScanFault | null {
    const state = this.#state
    // A text that is a number ends with its last digit.
    const complete =
      state === State.end || (this.#nesting.depth === 0 && (state === State.after || State.mayEnd(state)))
    const reason = this.parts.size === 0 ? "its body is empty" : "it breaks off"
    this.#fault ??= complete ? null : { _tag: "Malformed", at: this.parts.size, reason }
    return this.#fault
  }

  #malformed(at: number, reason: string): number {
    this.#fault = { _tag: "Malformed", at: this.parts.size + at, reason }
    return at
  }

  #readAhead(chunk: Uint8Array, view: DataView, from: number): number {
    const usual = this.#usual
    const to = usual.read(chunk, view, from)
    this.parts.readAhead(usual.rows, usual.rowStart)
    this.#state = usual.state
    return to
  }

  /** Takes what belongs to one state, at least one byte or a change of state; returns where the next begins. */
  #step(chunk: Uint8Array, from: number): number {
    const byte = chunk[from] ?? 0
    const state = this.#state
    switch (state) {
      case State.string:
        return this.#stepString(chunk, from)
      case State.after:
        if (this.#nesting.depth === 0) {
          this.#state = State.end
          return from
        }
        if (byte === comma) {
          this.parts.separated(chunk, from)
          this.#state = this.#nesting.inObject ? State.name : State.value
          return from + 1
        }
        if (byte === closeBracket || byte === closeBrace) return this.#close(chunk, from, byte === closeBrace)
        break
      case State.value:
      case State.valueOrEnd:
        if (space[byte] === 1) break
        if (byte === closeBracket && state === State.valueOrEnd) {
          this.#state = State.after
          return from
        }
        return this.#beginValue(chunk, from, byte)
      case State.name:
      case State.nameOrEnd:
        if (byte === quote) {
          this.#inName = true
          if (this.#nesting.depth === membersLevel) this.#name.begin(byte)
          this.#state = State.string
          return from + 1
        }
        if (byte === closeBrace && state === State.nameOrEnd) {
          this.#state = State.after
          return from
        }
        break
      case State.colon:
        if (byte !== colonSign) break
        this.#state = State.value
        return from + 1
      case State.zero:
      case State.integer:
      case State.fraction:
      case State.exponentDigits:
        return this.#stepNumber(chunk, from)
      case State.minus:
      case State.point:
      case State.exponent:
      case State.exponentSign: {
        const next = State.inNumber(state, byte)
        if (next < 0) return this.#malformed(from, `expected ${State.due[state]}`)
        this.#state = next
        return from + 1
      }
      case State.literal:
        if (byte !== this.#literal.charCodeAt(this.#count)) return this.#malformed(from, `expected ${State.due[state]}`)
        if (++this.#count === this.#literal.length) this.#state = State.after
        return from + 1
      case State.start:
        return this.#begin(from, byte)
      case State.end:
        break
      default:
        return this.#stepInString(chunk, from, byte)
    }
    if (space[byte] !== 1) return this.#malformed(from, `expected ${State.due[state]}`)
    this.parts.blank(chunk, from)
    return from + 1
  }

  /** A byte order mark, which the grammar does not know but some senders do; then the value of the body. */
  #begin(from: number, byte: number): number {
    if (this.#count === byteOrderMark.length || (this.#count === 0 && byte !== byteOrderMark[0])) {
      this.#state = State.value
      return from
    }
    if (byte !== byteOrderMark[this.#count++]) return this.#malformed(from, "not JSON")
    return from + 1
  }

  #beginValue(chunk: Uint8Array, from: number, byte: number): number {
    const refusal = this.parts.refusal(byte)
    if (refusal !== null) return this.#malformed(from, refusal)
    if (byte === openBracket || byte === openBrace) return this.#open(chunk, from, byte === openBrace)
    if (byte === quote) this.#state = State.string
    else if (byte === zeroDigit) this.#state = State.zero
    else if (digit[byte] === 1) this.#state = State.integer
    else if (byte === minusSign) this.#state = State.minus
    else {
      const word = State.literals[byte]
      if (word === undefined) {
        const markup = byte === 0x3c && this.#nesting.depth === 0
        return this.#malformed(
          from,
          markup ? "a page of HTML or XML instead of JSON" : `expected ${State.due[this.#state]}`
        )
      }
      this.#literal = word
      this.#count = 1
      this.#state = State.literal
    }
    return from + 1
  }

  #open(chunk: Uint8Array, from: number, isObject: boolean): number {
    if (!this.#nesting.open(isObject)) return this.#malformed(from, tooDeep(this.#limits.depth))
    this.#state = isObject ? State.nameOrEnd : State.valueOrEnd
    this.parts.opened(chunk, from)
    return from + 1
  }

  #close(chunk: Uint8Array, from: number, isObject: boolean): number {
    if (!this.#nesting.close(isObject)) return this.#malformed(from, "brackets that do not match")
    this.parts.closed(chunk, from)
    this.#state = this.#nesting.depth === 0 ? State.end : State.after
    return from + 1
  }

  #stepString(chunk: Uint8Array, from: number): number {
    const { length } = chunk
    let at = from
    while (at < length && plain[chunk[at] ?? 0] === 1) at++
    if (this.#inName) this.#name.add(chunk, from, Math.min(at + 1, length))
    if (at === length) return at
    const byte = chunk[at] ?? 0
    if (byte === quote) {
      if (this.#inName) return this.#endName(at)
      this.#state = State.after
    } else if (byte === backslash) this.#state = State.escaped
    else if (byte < 0x20) return this.#malformed(at, "a control character inside a string")
    else if (this.#text.beginCharacter(byte)) this.#state = State.continuation
    else return this.#malformed(at, wrongInString(State.continuation))
    return at + 1
  }

  /** Escapes and characters of several bytes. */
  #stepInString(chunk: Uint8Array, from: number, byte: number): number {
    if (this.#inName) this.#name.add(chunk, from, from + 1)
    const next = this.#text.next(this.#state, byte)
    if (next < 0) return this.#malformed(from, wrongInString(this.#state))
    this.#state = next
    return from + 1
  }

  #endName(at: number): number {
    this.#inName = false
    this.#state = State.colon
    if (!this.#name.isOpen) return at + 1
    const reason = this.parts.member(this.#name.end())
    return reason === null ? at + 1 : this.#malformed(at, reason)
  }

  #stepNumber(chunk: Uint8Array, from: number): number {
    const { length } = chunk
    let at = from
    if (this.#state !== State.zero) while (at < length && digit[chunk[at] ?? 0] === 1) at++
    if (at === length) return at
    this.#state = State.inNumber(this.#state, chunk[at] ?? 0)
    if (this.#state === State.after) return at
    return at + 1
  }
}
