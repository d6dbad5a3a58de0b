/**
 * Turns scanned rows into text: bytes with marks go in as they come, blocks of text come out.
 *
 * Works on a window of the rows that is larger than any of them, so that memory does not grow with the body.
 */
import { ByteBlock } from "./ByteBlock.ts"
import { cellEnd, firstOf, marksIn, rowEnd, skip, stop } from "./CellMarks.ts"
import type { RowCopy, RowText } from "./RowText.ts"

/** Decides by its cells which rows are written. */
export interface RowChoice {
  /** Cell `i` goes from `starts[i]` to one byte before `starts[i + 1]`; no white space is around it. */
  readonly accepts: (source: ByteBlock, starts: Int32Array) => boolean
}

/**
 * - `hungry`: everything is converted, but for the beginning of a row.
 * - `full`: the text must be taken away before more can be converted.
 */
export type Conversion = "hungry" | "full" | RowFault

/** A row that does not fit the header. */
export interface RowFault {
  /** Number of the row, 1-based. */
  readonly row: number
  readonly cells: number
  readonly columns: number
}

/** Bytes of the window at the start; it grows for larger rows. */
const usualWindow = 256 * 1024
/** Bytes of text that are worth a write. */
const usualText = 768 * 1024

export class RowConverter {
  /** Rows seen. */
  rowsIn = 0
  /** Rows written. */
  rowsOut = 0

  readonly #width: number
  readonly #text: RowText
  readonly #choice: RowChoice | null
  readonly #copy: RowCopy | null
  readonly #starts: Int32Array
  #window: ByteBlock
  #from = 0
  #to = 0
  #out: ByteBlock
  #outLength = 0
  /** How many cells the last indexed row has. */
  #cells = 0

  /**
   * @param width - cells of each row
   * @param choice - null for all rows
   */
  constructor(width: number, text: RowText, choice: RowChoice | null, windowSize = usualWindow) {
    this.#width = width
    this.#text = text
    this.#choice = choice
    this.#copy = choice === null && text.copy?.width === width ? text.copy : null
    this.#starts = new Int32Array(width + 2)
    this.#window = new ByteBlock(windowSize)
    this.#out = new ByteBlock(usualText + text.room(windowSize))
  }

  /** Where the next bytes of the rows go; never empty. After putting some there, say so with `filled`. */
  get space(): Uint8Array {
    if (this.#from > 0) {
      this.#window.bytes.copyWithin(0, this.#from, this.#to)
      this.#to -= this.#from
      this.#from = 0
    } else if (this.#to === this.#window.capacity) {
      const larger = new ByteBlock(2 * this.#window.capacity)
      larger.bytes.set(this.#window.bytes.subarray(0, this.#to))
      this.#window = larger
    }
    return this.#window.bytes.subarray(this.#to, this.#window.capacity)
  }

  filled(length: number): void {
    this.#to += length
  }

  /** The text so far; whoever takes it must have used it before converting again. */
  takeText(): Uint8Array {
    const text = this.#out.bytes.subarray(0, this.#outLength)
    this.#outLength = 0
    return text
  }

  /** Bytes of text that wait to be taken. */
  get textLength(): number {
    return this.#outLength
  }

  /** Converts the rows that are complete. */
  convert(): Conversion {
    const { bytes } = this.#window
    bytes[this.#to] = stop
    while (true) {
      while (bytes[this.#from] === skip) this.#from++
      if (this.#copy !== null) {
        if (!this.#makeRoom(this.#to - this.#from)) return "full"
        const next = this.#copy.write(this.#window, this.#from, this.#out, this.#outLength)
        if (next >= 0) {
          this.rowsIn++
          this.rowsOut++
          this.#outLength = this.#copy.end
          this.#from = next
          continue
        }
      }
      const next = this.#index(this.#from)
      if (next < 0) return "hungry"
      if (this.#cells !== this.#width) return { row: this.rowsIn + 1, cells: this.#cells, columns: this.#width }
      if (!this.#makeRoom(next - this.#from)) return "full"
      this.rowsIn++
      if (this.#choice === null || this.#choice.accepts(this.#window, this.#starts)) {
        this.#outLength = this.#text.write(this.#window, this.#starts, this.#out, this.#outLength)
        this.rowsOut++
      }
      this.#from = next
    }
  }

  /** Whether there is room for a row of this many bytes; false when the text must be taken away first. */
  #makeRoom(cellBytes: number): boolean {
    const room = this.#text.room(cellBytes)
    if (this.#outLength + room <= this.#out.capacity) return true
    if (this.#outLength > 0) return false
    this.#out = new ByteBlock(room)
    return true
  }

  /** Finds the cells of the row at `from`; returns where the next row begins, or -1 when this one is not complete. */
  #index(from: number): number {
    const { bytes, words } = this.#window
    const starts = this.#starts
    let cell = 0
    let skips = false
    let at = from
    starts[0] = from
    while (true) {
      const marks = marksIn(words.getInt32(at, true))
      if (marks === 0) {
        at += 4
        continue
      }
      at += firstOf(marks)
      const mark = bytes[at] ?? stop
      at++
      if (mark === cellEnd) {
        cell++
        // An array of numbers takes nothing past its end; the count shows that the row is too long.
        starts[cell] = at
      } else if (mark === rowEnd) break
      else if (mark === skip) skips = true
      else return -1
    }
    starts[cell + 1] = at
    if (skips) this.#close(from, at)
    this.#cells = cell === 0 && bytes[from] === rowEnd ? 0 : cell + 1
    return at
  }

  /** Moves the cells of a row together where white space was between them. */
  #close(from: number, to: number): void {
    const { bytes } = this.#window
    let cell = 0
    let end = from
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? stop
      if (byte === skip) continue
      bytes[end++] = byte
      if (byte <= rowEnd) this.#starts[++cell] = end
    }
  }
}
