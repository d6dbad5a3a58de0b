/**
 * Turns the list of rows into text: the bytes of the list go in as they come, text comes out.
 *
 * Only the row under way is kept, so memory does not grow with the list.
 */
import { endOfValue } from "../text/JsonText.ts"

/** Bytes that grow at their end. */
export class GrowingBytes {
  bytes: Uint8Array = new Uint8Array(128 * 1024)
  length = 0

  /** Adds bytes `from` up to `to` of `source`. */
  add(source: Uint8Array, from: number, to: number): void {
    this.#makeRoom(to - from)
    const target = this.bytes
    let end = this.length
    // Cells and names are short: a loop is faster than a view of each.
    if (to - from > 64) target.set(source.subarray(from, to), end)
    else for (let at = from; at < to; at++) target[end++] = source[at] ?? 0
    this.length += to - from
  }

  addByte(byte: number): void {
    this.#makeRoom(1)
    this.bytes[this.length++] = byte
  }

  /** Removes the first `count` bytes. */
  dropFirst(count: number): void {
    this.bytes.copyWithin(0, count, this.length)
    this.length -= count
  }

  /** All bytes, which are then no longer kept; good until the next change. */
  take(): Uint8Array {
    const all = this.bytes.subarray(0, this.length)
    this.length = 0
    return all
  }

  #makeRoom(count: number): void {
    if (this.length + count <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.length + count))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
  }
}

/** A row whose cells are complete JSON values, spelled as the service sent them, without white space between tokens. */
export interface Row {
  readonly bytes: Uint8Array
  /** Cell `i` goes from `starts[i]` up to `ends[i]`. */
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
}

/** Writes a row at the end of a text. */
export type RowForm = (row: Row, text: GrowingBytes) => void

/** Decides by its cells whether a row is written. */
export interface RowChoice {
  readonly accepts: (row: Row) => boolean
}

/** A row that does not fit the header. */
export interface RowFault {
  /** Number of the row, 1-based. */
  readonly row: number
  readonly cells: number
  readonly columns: number
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const closeBracket = 0x5d

export class RowReader {
  rowsIn = 0
  rowsOut = 0

  readonly #width: number
  readonly #form: RowForm
  readonly #choice: RowChoice | null
  readonly #text = new GrowingBytes()
  /** The list from the row under way on. */
  readonly #window = new GrowingBytes()
  /** Bytes of the window in which the row under way is known not to be complete. */
  #searched = 0
  /** Whether the bracket that opens the list has been seen. */
  #isInside = false
  readonly #starts: Array<number> = []
  readonly #ends: Array<number> = []

  /** @param width - columns of the header */
  constructor(width: number, form: RowForm, choice: RowChoice | null = null) {
    this.#width = width
    this.#form = form
    this.#choice = choice
  }

  /** Bytes of text that wait to be taken. */
  get textLength(): number {
    return this.#text.length
  }

  /** The text so far, which is then no longer kept; good until the next call. */
  takeText(): Uint8Array {
    return this.#text.take()
  }

  /** Takes the next bytes of the list, at least one, which a scanner has accepted; a fault is final. */
  push(chunk: Uint8Array): RowFault | null {
    const window = this.#window
    window.add(chunk, 0, chunk.length)
    // A large row is searched again only when twice as much of it has come, so that time does not grow with its square.
    const isLast = chunk[chunk.length - 1] === closeBracket
    if (window.length < 2 * this.#searched && !isLast) return null
    let done = this.#isInside ? 0 : 1
    for (let at = done; at < window.length; ) {
      const byte = window.bytes[at] ?? 0
      if (byte !== openBracket) {
        // What stands between rows, or ends the list.
        done = ++at
        continue
      }
      const next = this.#row(at + 1)
      if (typeof next !== "number") return next
      if (next < 0) break
      done = at = next
    }
    this.#isInside = true
    window.dropFirst(done)
    this.#searched = window.length
    return null
  }

  /** Reads the cells of the row whose content begins at `from`; returns where it ends, -1 when it is not complete. */
  #row(from: number): number | RowFault {
    const { bytes, length } = this.#window
    let cells = 0
    for (let at = from; at < length; ) {
      const byte = bytes[at] ?? 0
      if (byte === closeBracket) return this.#write(cells) ?? at + 1
      if (byte <= 0x20 || byte === comma) {
        at++
        continue
      }
      const end = endOfValue(bytes, at, length)
      if (end < 0) return -1
      if (cells < this.#width) {
        this.#starts[cells] = at
        this.#ends[cells] = end
      }
      cells++
      at = end
    }
    return -1
  }

  #write(cells: number): RowFault | null {
    this.rowsIn++
    if (cells !== this.#width) return { row: this.rowsIn, cells, columns: this.#width }
    const row: Row = { bytes: this.#window.bytes, starts: this.#starts, ends: this.#ends }
    for (let cell = 0; cell < cells; cell++) {
      const start = row.starts[cell] ?? 0
      if (mayHaveBlanks(row.bytes[start])) this.#ends[cell] = closeUp(row.bytes, start, row.ends[cell] ?? 0)
    }
    if (this.#choice?.accepts(row) === false) return null
    this.#form(row, this.#text)
    this.rowsOut++
    return null
  }
}

/** Only a list or an object has white space between its tokens. */
const mayHaveBlanks = (first: number | undefined): boolean => first === openBracket || first === 0x7b

/** Removes the white space between the tokens of a cell; returns where it ends then. */
const closeUp = (bytes: Uint8Array, from: number, to: number): number => {
  let end = from
  let inString = false
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) inString = !inString
    else if (byte === backslash) bytes[end++] = bytes[at++] ?? 0
    else if (byte <= 0x20 && !inString) continue
    bytes[end++] = bytes[at] ?? 0
  }
  return end
}
