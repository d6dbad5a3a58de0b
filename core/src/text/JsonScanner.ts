/**
 * The one reader of JSON by bytes (RFC 8259, in UTF-8): checks every byte as it comes, and tells a listener where values begin
 * and end. It serves bodies larger than memory: a chunk may end anywhere, also inside a number, an escape or a character, and
 * nothing is kept between chunks but the state of the grammar and the name under way. Nothing is parsed, so no number loses a digit.
 */

/** A text is refused beyond this many levels of lists and objects: what is deeper cannot be written again. */
export const deepest = 1000

/** What a message says of a text that is deeper. */
export const tooDeep = (most: number): string => `JSON nested deeper than ${most} levels`

/** Where a text stops being JSON. Says nothing of its content, which may be secret. */
export interface JsonFault {
  /** Bytes before the wrong one. */
  readonly at: number
  /** For example `expected a colon`. */
  readonly reason: string
}

/**
 * Hears of values and names. All offsets are in the chunk under way. The depth of a value is the number of lists and objects
 * around it. `began` and `named` may refuse the text by giving a reason.
 */
export interface JsonListener {
  /** A value begins at `at` with `byte`. */
  readonly began: (at: number, byte: number, depth: number) => string | null
  /** A value has ended before `at`; a number ends at the byte that follows it. */
  readonly ended: (at: number, depth: number) => void
  /** A name of the outermost object, quotes included, from `from` (negative where it began in an earlier chunk) up to `to`. */
  readonly named?: (name: string, from: number, to: number) => string | null
}

// States of the grammar, by what may come next.
const start = 0
const value = 1
const valueOrEnd = 2
const after = 3
const string = 4
const escaped = 5
const hex = 6
const continuation = 7
const literal = 8
const name = 9
const nameOrEnd = 10
const colon = 11
const end = 12
const minus = 13
const point = 14
const exponent = 15
const exponentSign = 16
// In these four a number may end.
const zero = 17
const integer = 18
const fraction = 19
const exponentDigits = 20

const expectation: Readonly<Record<number, string>> = {
  [start]: "a value",
  [value]: "a value",
  [valueOrEnd]: "a value or ]",
  [string]: "a closing quote",
  [escaped]: "the rest of an escape",
  [hex]: "four hexadecimal digits",
  [continuation]: "the rest of a character",
  [literal]: "true, false or null",
  [name]: 'a name in "quotes"',
  [nameOrEnd]: 'a name in "quotes" or }',
  [colon]: "a colon",
  [end]: "nothing more",
  [minus]: "a digit",
  [point]: "a digit",
  [exponent]: "a digit or a sign",
  [exponentSign]: "a digit"
}

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const comma = 0x2c

// Classes of bytes: 1 for those that belong.
const classOf = (pattern: RegExp) =>
  Uint8Array.from({ length: 256 }, (_, byte) => +pattern.test(String.fromCharCode(byte)))
/** Bytes that stand for themselves inside a string. */
const plain = classOf(/[ !#-[\]-\u007f]/)
const space = classOf(/[ \n\r\t]/)
const digit = classOf(/[0-9]/)
const hexDigit = classOf(/[0-9a-fA-F]/)
const shortEscape = classOf(/["\\/bfnrt]/)

const literals: Readonly<Record<number, string>> = { 116: "true", 102: "false", 110: "null" }
const byteOrderMark: ReadonlyArray<number> = [0xef, 0xbb, 0xbf]

/** Size limit in bytes: a longer name is no name that anybody looks for, and is told as an empty one. */
const longestName = 64 * 1024

const notUtf8 = "text that is not UTF-8"
const decoder = new TextDecoder()

export class JsonScanner {
  /** Bytes of the chunks before the one under way. */
  size = 0
  /** Lists and objects that are open. */
  depth = 0

  readonly #listener: JsonListener
  readonly #heard: number
  readonly #most: number
  /** For each open level, 1 for an object and 0 for a list. */
  readonly #objects: Uint8Array
  #state = start
  #fault: JsonFault | null = null
  /** Whether the string under way is a name. */
  #inName = false
  /** The bytes of a name of the outermost object, and where it began in the text; null outside of one. */
  #name: Array<number> | null = null
  #nameAt = 0
  #literal = ""
  /** Bytes so far of a literal, of `\u0000` or of the byte order mark, or bytes to come of a character. */
  #count = 0
  /** Bounds of the next byte of a character. */
  #low = 0
  #high = 0

  /**
   * @param heard - the depth of the innermost values that the listener hears of
   * @param most - levels of lists and objects that are accepted
   */
  constructor(listener: JsonListener, heard: number, most: number = deepest) {
    this.#listener = listener
    this.#heard = heard
    this.#most = most
    this.#objects = new Uint8Array(most + 1)
  }

  /** Reads the next bytes. A fault is final. */
  push(chunk: Uint8Array): JsonFault | null {
    for (let at = 0; at < chunk.length && this.#fault === null; ) at = this.#step(chunk, at)
    this.size += chunk.length
    return this.#fault
  }

  /** The text has ended: a fault when it is not complete. */
  end(): JsonFault | null {
    if (this.#fault !== null) return this.#fault
    // A text that is a number ends with its last digit.
    if (this.depth === 0 && this.#state >= zero) this.#ended(0)
    if (this.#state === end) return null
    this.#fault = { at: this.size, reason: this.size === 0 ? "its body is empty" : "it breaks off" }
    return this.#fault
  }

  /** What may come next, in words. */
  get expected(): string {
    const afterItem = this.#objects[this.depth] === 1 ? "a comma or }" : "a comma or ]"
    return expectation[this.#state] ?? afterItem
  }

  #refuse(at: number, reason = `expected ${this.expected}`): number {
    this.#fault = { at: this.size + at, reason }
    return at
  }

  /** Takes at least one byte, or changes the state; returns where the next token part begins. */
  #step(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0
    switch (this.#state) {
      case after:
        if (byte === comma) {
          this.#state = this.#objects[this.depth] === 1 ? name : value
          return at + 1
        }
        return space[byte] === 1 ? at + 1 : this.#close(at, byte)
      case value:
        return space[byte] === 1 ? at + 1 : this.#beginValue(chunk, at)
      case string:
        return this.#inString(chunk, at)
      case valueOrEnd:
        if (byte === closeBracket) return this.#close(at, byte)
        return space[byte] === 1 ? at + 1 : this.#beginValue(chunk, at)
      case name:
      case nameOrEnd:
        if (byte === quote) return this.#beginName(at)
        if (byte === closeBrace && this.#state === nameOrEnd) return this.#close(at, byte)
        break
      case colon:
        if (byte !== 0x3a) break
        this.#state = value
        return at + 1
      case literal:
        if (byte !== this.#literal.charCodeAt(this.#count)) return this.#refuse(at)
        return ++this.#count === this.#literal.length ? this.#ended(at + 1) : at + 1
      case escaped:
      case hex:
      case continuation:
        return this.#stringPart(at, byte)
      case start:
        return this.#begin(at, byte)
      case end:
        break
      default:
        return this.#state >= zero ? this.#inNumber(chunk, at) : this.#numberPart(at, byte)
    }
    return space[byte] === 1 ? at + 1 : this.#refuse(at)
  }

  /** A byte order mark, which the grammar does not know but some senders do; then the value. */
  #begin(at: number, byte: number): number {
    if (this.#count === byteOrderMark.length || (this.#count === 0 && byte !== byteOrderMark[0])) {
      this.#state = value
      return at
    }
    return byte === byteOrderMark[this.#count++] ? at + 1 : this.#refuse(at, "not JSON")
  }

  #beginValue(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0
    const refusal = this.depth <= this.#heard ? this.#listener.began(at, byte, this.depth) : null
    if (refusal !== null) return this.#refuse(at, refusal)
    if (byte === quote) {
      this.#state = string
      return this.#inString(chunk, at + 1)
    }
    if (byte === openBracket || byte === openBrace) return this.#open(at, byte === openBrace)
    if (digit[byte] === 1) {
      this.#state = byte === 0x30 ? zero : integer
      return this.#inNumber(chunk, at + 1)
    }
    if (byte === 0x2d) this.#state = minus
    else {
      const word = literals[byte]
      if (word === undefined) {
        const isPage = byte === 0x3c && this.depth === 0
        return isPage ? this.#refuse(at, "a page of HTML or XML instead of JSON") : this.#refuse(at)
      }
      this.#literal = word
      this.#count = 1
      this.#state = literal
    }
    return at + 1
  }

  #open(at: number, isObject: boolean): number {
    if (this.depth === this.#most) return this.#refuse(at, tooDeep(this.#most))
    this.#objects[++this.depth] = isObject ? 1 : 0
    this.#state = isObject ? nameOrEnd : valueOrEnd
    return at + 1
  }

  #close(at: number, byte: number): number {
    if (byte !== (this.#objects[this.depth] === 1 ? closeBrace : closeBracket)) return this.#refuse(at)
    this.depth--
    return this.#ended(at + 1)
  }

  #ended(at: number): number {
    this.#state = this.depth === 0 ? end : after
    if (this.depth <= this.#heard) this.#listener.ended(at, this.depth)
    return at
  }

  #beginName(at: number): number {
    this.#inName = true
    if (this.depth === 1 && this.#listener.named !== undefined) {
      this.#name = [quote]
      this.#nameAt = this.size + at
    }
    this.#state = string
    return at + 1
  }

  #endName(at: number): number {
    this.#inName = false
    this.#state = colon
    if (this.#name === null) return at
    const text = this.#name.length > longestName ? "" : String(JSON.parse(decoder.decode(Uint8Array.from(this.#name))))
    this.#name = null
    const refusal = this.#listener.named?.(text, this.#nameAt - this.size, at) ?? null
    return refusal === null ? at : this.#refuse(at - 1, refusal)
  }

  #keepName(chunk: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.#name !== null && this.#name.length <= longestName; at++)
      this.#name.push(chunk[at] ?? 0)
  }

  #inString(chunk: Uint8Array, from: number): number {
    let at = from
    while (at < chunk.length && plain[chunk[at] ?? 0] === 1) at++
    if (this.#name !== null) this.#keepName(chunk, from, Math.min(at + 1, chunk.length))
    if (at === chunk.length) return at
    const byte = chunk[at] ?? 0
    if (byte === quote) return this.#inName ? this.#endName(at + 1) : this.#ended(at + 1)
    if (byte < 0x20) return this.#refuse(at, "a control character inside a string")
    if (byte === backslash) this.#state = escaped
    else if (byte < 0xc2 || byte > 0xf4) return this.#refuse(at, notUtf8)
    else {
      // A character of two to four bytes (RFC 3629): no overlong form, no surrogate.
      this.#count = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
      this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
      this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
      this.#state = continuation
    }
    return at + 1
  }

  /** A byte of an escape, or of a character of several. */
  #stringPart(at: number, byte: number): number {
    if (this.#name !== null) this.#name.push(byte)
    if (this.#state === escaped) {
      this.#count = 4
      this.#state = byte === 0x75 ? hex : string
      return byte === 0x75 || shortEscape[byte] === 1 ? at + 1 : this.#refuse(at, "an unknown escape in a string")
    }
    if (this.#state === hex) {
      if (hexDigit[byte] !== 1) return this.#refuse(at, "an unknown escape in a string")
    } else if (byte < this.#low || byte > this.#high) return this.#refuse(at, notUtf8)
    this.#low = 0x80
    this.#high = 0xbf
    if (--this.#count === 0) this.#state = string
    return at + 1
  }

  #inNumber(chunk: Uint8Array, from: number): number {
    let at = from
    if (this.#state !== zero) while (at < chunk.length && digit[chunk[at] ?? 0] === 1) at++
    if (at === chunk.length) return at
    const byte = chunk[at] ?? 0
    if (byte === 0x2e && this.#state <= integer) this.#state = point
    else if ((byte | 0x20) === 0x65 && this.#state !== exponentDigits) this.#state = exponent
    else return this.#ended(at)
    return at + 1
  }

  /** A byte where a number cannot end yet. */
  #numberPart(at: number, byte: number): number {
    if (digit[byte] === 1) {
      if (this.#state === minus) this.#state = byte === 0x30 ? zero : integer
      else this.#state = this.#state === point ? fraction : exponentDigits
    } else if (this.#state === exponent && (byte === 0x2b || byte === 0x2d)) this.#state = exponentSign
    else return this.#refuse(at)
    return at + 1
  }
}
