/**
 * The parts that the grammar finds in the body of an annotations answer: `data` with its rows, `header`, and where both lie in the
 * chunks. In the rows it marks where cells and rows end (see `CellMarks.ts`).
 */
import { openBracket } from "../text/JsonBytes.ts"
import type { Nesting } from "../text/Nesting.ts"
import { cellEnd, rowEnd, skip } from "./CellMarks.ts"

/** Level of nesting inside the object of the body, where `data` and `header` are members. */
export const membersLevel = 1
/** Level inside the list of `data`, and inside that of `header`. */
export const rowsLevel = 2
/** Level inside a row. */
export const cellsLevel = 3

/** Bytes `from` up to `to`, as offsets into a chunk. */
export interface Part {
  readonly from: number
  readonly to: number
}

export class BodyParts {
  /** Bytes of the chunks before the one under way. */
  size = 0
  /** Complete rows. */
  rowCount = 0
  hasData = false
  hasHeader = false
  /** Whether all of `header` has been seen. */
  headerComplete = false
  /** Whether the list of `data` is open. */
  inRows = false

  readonly #marking: boolean
  readonly #nesting: Nesting
  /** The member of the body whose value comes next or is being read: data, header, or another. */
  #member = ""
  /** Where the row or the header that is under way began, in bytes from the start of the body. */
  #began = 0
  // Bounds of the parts in the chunk under way, -1 where none begins.
  #rowsFrom = -1
  #rowsTo = -1
  #headerFrom = -1
  #headerTo = -1

  constructor(marking: boolean, nesting: Nesting) {
    this.#marking = marking
    this.#nesting = nesting
  }

  /** The part of the last chunk that lies inside the list of `data`. */
  get rows(): Part | null {
    return this.#rowsFrom < 0 ? null : { from: this.#rowsFrom, to: this.#rowsTo }
  }

  /** The part of the last chunk that is the value of `header`. */
  get header(): Part | null {
    return this.#headerFrom < 0 ? null : { from: this.#headerFrom, to: this.#headerTo }
  }

  /** Bytes so far of the row or header that is under way, 0 between them. */
  get pending(): number {
    const open = this.#inHeader || (this.inRows && this.#nesting.depth >= cellsLevel)
    return open ? this.size - this.#began : 0
  }

  get #inHeader(): boolean {
    return this.#member === "header" && this.#nesting.depth >= rowsLevel
  }

  beginChunk(length: number): void {
    this.#rowsFrom = this.inRows ? 0 : -1
    this.#rowsTo = length
    this.#headerFrom = this.#inHeader ? 0 : -1
    this.#headerTo = length
  }

  endChunk(length: number): void {
    this.size += length
  }

  /** The next member of the body; the reason when it cannot come again. */
  member(name: string): string | null {
    this.#member = name
    return (name === "data" && this.hasData) || (name === "header" && this.hasHeader) ? `${name} is there twice` : null
  }

  /** The reason when a value that begins with `byte` cannot stand here. */
  refusal(byte: number): string | null {
    const { depth } = this.#nesting
    if (byte === openBracket || depth > rowsLevel) return null
    if (depth === rowsLevel) return this.inRows ? "a row that is not a list" : null
    const ours = depth === membersLevel && (this.#member === "data" || this.#member === "header")
    return ours ? `${this.#member} is not a list` : null
  }

  /** A list or object has begun at `at`; `nesting` is the one inside. */
  opened(chunk: Uint8Array, at: number): void {
    const { depth } = this.#nesting
    if (this.inRows) {
      if (depth === cellsLevel) {
        this.#began = this.size + at
        if (this.#marking) chunk[at] = skip
      }
    } else if (depth === rowsLevel && this.#member === "data") {
      this.inRows = true
      this.hasData = true
      this.#rowsFrom = at + 1
      this.#rowsTo = chunk.length
    } else if (depth === rowsLevel && this.#member === "header") {
      this.#began = this.size + at
      this.hasHeader = true
      this.#headerFrom = at
      this.#headerTo = chunk.length
    }
  }

  /** Rows that were read ahead: how many ended, and where the last one began, -1 when none did. */
  readAhead(rows: number, began: number): void {
    this.rowCount += rows
    if (began >= 0) this.#began = this.size + began
  }

  /** A list or object has ended at `at`; `nesting` is the one outside. */
  closed(chunk: Uint8Array, at: number): void {
    const { depth } = this.#nesting
    if (this.inRows) {
      if (depth === rowsLevel) {
        this.rowCount++
        if (this.#marking) chunk[at] = rowEnd
      } else if (depth === membersLevel) {
        this.inRows = false
        this.#rowsTo = at
      }
    } else if (depth === membersLevel && this.#member === "header") {
      this.#headerTo = at + 1
      this.headerComplete = true
    }
  }

  /** The comma at `at`. */
  separated(chunk: Uint8Array, at: number): void {
    const { depth } = this.#nesting
    if (this.inRows && this.#marking && depth <= cellsLevel) chunk[at] = depth === cellsLevel ? cellEnd : skip
  }

  /** White space at `at`. */
  blank(chunk: Uint8Array, at: number): void {
    if (this.inRows && this.#marking) chunk[at] = skip
  }
}
