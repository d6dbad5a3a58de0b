/**
 * Reads the body of an annotations answer once, as it comes: checks that it is JSON in UTF-8 (RFC 8259), finds the rows of
 * `data` and the value of `header` in either order, and marks the cells (see `CellMarks.ts`).
 *
 * Nothing is kept between chunks but the state of the grammar, so a chunk may end anywhere, also inside a number, an
 * escape or a character. Rows in their usual form are read by a loop of their own, four bytes at a time; whatever it
 * does not know it leaves to the grammar, which knows everything.
 *
 * Long on purpose: a grammar is read as a whole.
 */
import {
  backslash,
  closeBrace,
  closeBracket,
  colonSign,
  comma,
  digit,
  falsWord,
  hexDigit,
  letterE,
  letterU,
  minusSign,
  nineDigit,
  nullWord,
  openBrace,
  openBracket,
  plain,
  quote,
  shortEscape,
  space,
  trueWord,
  zeroDigit
} from "../text/JsonBytes.ts"
import * as State from "../text/JsonStates.ts"
import { deepest, Nesting, tooDeep } from "../text/Nesting.ts"
import { cellEnd, rowEnd, skip } from "./CellMarks.ts"
import { afterDigits, afterNumber, afterString } from "./TokenEnds.ts"

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

/** Bytes `from` up to `to`, as offsets into a chunk. */
export interface Part {
  readonly from: number
  readonly to: number
}

const byteOrderMark: ReadonlyArray<number> = [0xef, 0xbb, 0xbf]

// Levels: inside the body's object, inside `data`, inside a row.
const members = 1
const rows = 2
const cells = 3

/** The longest a name can be that is one of ours: `header` with every letter escaped, and the quotes. */
const longestName = 6 * 6 + 2

const decoder = new TextDecoder()

export class BodyScanner {
  /** Bytes scanned. */
  size = 0
  /** Complete rows. */
  rowCount = 0
  hasData = false
  hasHeader = false
  /** Whether all of `header` has been seen. */
  headerComplete = false
  /** The part of the last chunk that lies inside the list of `data`. */
  rowsPart: Part | null = null
  /** The part of the last chunk that is the value of `header`. */
  headerPart: Part | null = null

  readonly #marking: boolean
  readonly #limits: ScanLimits
  #state = State.start
  readonly #nesting: Nesting
  #inRows = false
  /** The member of the body whose value is due or under way: data, header, or another. */
  #member = ""
  #inName = false
  /** The name of a member so far, in quotes; null when it is too long for one of ours. */
  #name: Array<number> | null = null
  /** Where the row and the header that are under way began, counted from the start of the body. */
  #pieceStart = 0
  /** Bytes so far of a literal, an escape or the byte order mark; bytes to come of a character. */
  #count = 0
  #literal = ""
  /** Bounds of the next byte of a character. */
  #low = 0
  #high = 0
  #rowsFrom = -1
  #rowsTo = -1
  #headerFrom = -1
  #headerTo = -1
  #fault: ScanFault | null = null

  /** @param marking - whether to mark the cells, in the chunks themselves */
  constructor(marking: boolean, limits: ScanLimits = usualLimits) {
    this.#marking = marking
    this.#limits = limits
    this.#nesting = new Nesting(limits.depth)
  }

  /** Scans the next bytes. A fault is final. */
  push(chunk: Uint8Array): ScanFault | null {
    if (this.#fault !== null) return this.#fault
    const { length } = chunk
    this.#rowsFrom = this.#inRows ? 0 : -1
    this.#rowsTo = length
    this.#headerFrom = this.#inHeader ? 0 : -1
    this.#headerTo = length
    const view = new DataView(chunk.buffer, chunk.byteOffset, length)
    let at = 0
    while (at < length && this.#fault === null) {
      if (this.#inRows && this.#state === State.value && this.#nesting.objects[this.#nesting.depth] === 0) {
        at = this.#runAhead(chunk, view, at)
      }
      if (at < length) at = this.#step(chunk, at)
    }
    this.rowsPart = this.#rowsFrom < 0 ? null : { from: this.#rowsFrom, to: this.#rowsTo }
    this.headerPart = this.#headerFrom < 0 ? null : { from: this.#headerFrom, to: this.#headerTo }
    this.size += length
    const inPiece = this.#inHeader || (this.#inRows && this.#nesting.depth >= cells)
    if (this.#fault === null && inPiece && this.size - this.#pieceStart > this.#limits.piece) {
      this.#fault = { _tag: "TooLarge", limit: this.#limits.piece }
    }
    return this.#fault
  }

  /** The body has ended: a fault when it is not complete. */
  end(): ScanFault | null {
    const state = this.#state
    // A text that is a number ends with its last digit.
    const complete =
      state === State.end || (this.#nesting.depth === 0 && (state === State.after || State.mayEnd(state)))
    const reason = this.size === 0 ? "its body is empty" : "it breaks off"
    this.#fault ??= complete ? null : { _tag: "Malformed", at: this.size, reason }
    return this.#fault
  }

  get #inHeader(): boolean {
    return this.#member === "header" && this.#nesting.depth >= rows
  }

  #malformed(at: number, reason: string): number {
    this.#fault = { _tag: "Malformed", at: this.size + at, reason }
    return at
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
          if (this.#inRows && this.#marking && this.#nesting.depth <= cells)
            chunk[from] = this.#nesting.depth === cells ? cellEnd : skip
          this.#state = this.#nesting.objects[this.#nesting.depth] === 1 ? State.name : State.value
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
          this.#name = this.#nesting.depth === members ? [quote] : null
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
    if (this.#inRows && this.#marking) chunk[from] = skip
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
    if (this.#nesting.depth === rows && this.#inRows && byte !== openBracket) {
      return this.#malformed(from, "a row that is not a list")
    }
    if (
      this.#nesting.depth === members &&
      (this.#member === "data" || this.#member === "header") &&
      byte !== openBracket
    ) {
      return this.#malformed(from, `${this.#member} is not a list`)
    }
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
    if (this.#inRows) {
      if (this.#nesting.depth === cells) {
        this.#pieceStart = this.size + from
        if (this.#marking) chunk[from] = skip
      }
    } else if (this.#nesting.depth === rows && this.#member === "data") {
      this.#inRows = true
      this.hasData = true
      this.#rowsFrom = from + 1
      this.#rowsTo = chunk.length
    } else if (this.#nesting.depth === rows && this.#member === "header") {
      this.#pieceStart = this.size + from
      this.hasHeader = true
      this.#headerFrom = from
      this.#headerTo = chunk.length
    }
    return from + 1
  }

  #close(chunk: Uint8Array, from: number, isObject: boolean): number {
    if (!this.#nesting.close(isObject)) return this.#malformed(from, "brackets that do not match")
    if (this.#inRows) {
      if (this.#nesting.depth === rows) {
        this.rowCount++
        if (this.#marking) chunk[from] = rowEnd
      } else if (this.#nesting.depth === members) {
        this.#inRows = false
        this.#rowsTo = from
      }
    } else if (this.#nesting.depth === members && this.#member === "header") {
      this.#headerTo = from + 1
      this.headerComplete = true
    }
    this.#state = this.#nesting.depth === 0 ? State.end : State.after
    return from + 1
  }

  #stepString(chunk: Uint8Array, from: number): number {
    const { length } = chunk
    let at = from
    while (at < length && plain[chunk[at] ?? 0] === 1) at++
    if (this.#name !== null) this.#keep(chunk, from, Math.min(at + 1, length))
    if (at === length) return at
    const byte = chunk[at] ?? 0
    if (byte === quote) {
      this.#state = this.#inName ? State.colon : State.after
      if (this.#name !== null) return this.#endName(at)
      this.#inName = false
    } else if (byte === backslash) this.#state = State.escaped
    else if (byte < 0x20) return this.#malformed(at, "a control character inside a string")
    else if (!this.#beginCharacter(byte)) return this.#malformed(at, "text that is not UTF-8")
    return at + 1
  }

  /** Escapes and characters of several bytes. */
  #stepInString(chunk: Uint8Array, from: number, byte: number): number {
    if (this.#name !== null) this.#keep(chunk, from, from + 1)
    if (this.#state === State.escaped) {
      if (byte !== letterU && shortEscape[byte] !== 1) return this.#malformed(from, "an unknown escape in a string")
      this.#state = byte === letterU ? State.hex : State.string
      this.#count = 0
    } else if (this.#state === State.hex) {
      if (hexDigit[byte] !== 1) return this.#malformed(from, "an unknown escape in a string")
      if (++this.#count === 4) this.#state = State.string
    } else {
      if (byte < this.#low || byte > this.#high) return this.#malformed(from, "text that is not UTF-8")
      this.#low = 0x80
      this.#high = 0xbf
      if (--this.#count === 0) this.#state = State.string
    }
    return from + 1
  }

  /** The first byte of a character of several; neither overlong forms nor surrogates are UTF-8 (RFC 3629). */
  #beginCharacter(byte: number): boolean {
    if (byte < 0xc2 || byte > 0xf4) return false
    this.#count = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
    this.#state = State.continuation
    return true
  }

  /** Remembers bytes of a name. */
  #keep(chunk: Uint8Array, from: number, to: number): void {
    if (this.#name === null) return
    if (this.#name.length + to - from > longestName) this.#name = []
    // An empty name grows no more: it has lost its beginning.
    else if (this.#name.length > 0) for (let at = from; at < to; at++) this.#name.push(chunk[at] ?? 0)
  }

  #endName(at: number): number {
    const bytes = this.#name ?? []
    this.#name = null
    this.#inName = false
    this.#member = bytes.length === 0 ? "" : String(JSON.parse(decoder.decode(Uint8Array.from(bytes))))
    if ((this.#member === "data" && this.hasData) || (this.#member === "header" && this.hasHeader)) {
      return this.#malformed(at, `${this.#member} is there twice`)
    }
    return at + 1
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

  /**
   * Rows in their usual form: lists of plain strings, numbers, literals and lists of these, without white space. Begins
   * where a value of a list is due, and returns how far it came; there the state is that of the grammar again.
   */
  #runAhead(chunk: Uint8Array, view: DataView, from: number): number {
    // A word, and the bytes after it that are looked at without asking, lie inside the chunk.
    const safe = chunk.length - 8
    const { objects } = this.#nesting
    const marking = this.#marking
    const deepest = this.#limits.depth
    /** Up to `taken` everything is taken; `depth` and `due` are those there. */
    let taken = from
    let depth = this.#nesting.depth
    let due = State.value
    let at = from
    while (at < safe) {
      const byte = chunk[at] ?? 0
      if (byte === quote) at = afterString(chunk, view, at + 1, safe)
      else if (byte === openBracket) {
        if (depth === deepest) break
        depth++
        objects[depth] = 0
        if (depth === cells) {
          this.#pieceStart = this.size + at
          if (marking) chunk[at] = skip
        }
        at++
        taken = at
        due = State.valueOrEnd
        if (chunk[at] !== closeBracket) continue
      } else if (depth === rows) break
      else if (byte > zeroDigit && byte <= nineDigit) at = afterNumber(chunk, afterDigits(chunk, at + 1, safe), safe)
      else if (byte === zeroDigit) at = afterNumber(chunk, at + 1, safe)
      else {
        const word = view.getInt32(at, true)
        if (word === nullWord || word === trueWord) at += 4
        else if (word === falsWord && chunk[at + 4] === letterE) at += 5
        else break
      }
      if (at >= safe) break
      let next = chunk[at] ?? 0
      if (next === comma && depth === cells) {
        if (marking) chunk[at] = cellEnd
        at++
        taken = at
        due = State.value
        continue
      }
      while (next === closeBracket && depth > rows && objects[depth] === 0 && at < safe) {
        depth--
        if (depth === rows) {
          this.rowCount++
          if (marking) chunk[at] = rowEnd
        }
        at++
        taken = at
        due = State.after
        next = chunk[at] ?? 0
      }
      if (next !== comma || objects[depth] === 1) break
      if (marking && depth <= cells) chunk[at] = depth === cells ? cellEnd : skip
      at++
      taken = at
      due = State.value
    }
    this.#nesting.depth = depth
    this.#state = due
    return taken
  }
}
