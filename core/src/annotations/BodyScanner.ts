/**
 * Finds the rows of `data` and the value of `header` in the body of an annotations answer while it arrives, whichever comes first,
 * and checks that the whole body is JSON.
 */
import { deepest, type JsonFault, type JsonListener, JsonScanner } from "../text/JsonScanner.ts"

/** Why a body cannot be read. Says nothing of its content. */
export type ScanFault =
  | ({ readonly _tag: "Malformed" } & JsonFault)
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

// Depths of values: members of the body, and rows.
const memberDepth = 1
const rowDepth = 2

const openBracket = 0x5b

export class BodyScanner {
  /** Complete rows. */
  rowCount = 0
  hasData = false
  hasHeader = false
  /** The part of the last chunk that belongs to the list of rows, with its brackets. */
  data: Part | null = null
  /** The part of the last chunk that belongs to the value of `header`. */
  header: Part | null = null

  readonly #scanner: JsonScanner
  readonly #longest: number
  /** The member of the body whose value comes next or is being read: `data`, `header` or another. */
  #member = ""
  /** Whether the value of `data`, or of `header`, is under way. */
  #isOpen = false
  /** Where the row or the header that is under way began, in bytes from the start of the body; null between them. */
  #began: number | null = null
  #fault: ScanFault | null = null

  constructor({ depth, piece }: ScanLimits = usualLimits) {
    const listener: JsonListener = {
      began: (at, byte, depth) => this.#valueBegan(at, byte, depth),
      ended: (at, depth) => this.#valueEnded(at, depth),
      named: (name) => {
        this.#member = name
        const isThere = (name === "data" && this.hasData) || (name === "header" && this.hasHeader)
        return isThere ? `${name} is there twice` : null
      }
    }
    this.#scanner = new JsonScanner(listener, rowDepth, depth)
    this.#longest = piece
  }

  /** Bytes so far. */
  get size(): number {
    return this.#scanner.size
  }

  /** Scans the next bytes. A fault is final. */
  push(chunk: Uint8Array): ScanFault | null {
    if (this.#fault !== null) return this.#fault
    const whole = { from: 0, to: chunk.length }
    this.data = this.#isOpen && this.#member === "data" ? whole : null
    this.header = this.#isOpen && this.#member === "header" ? whole : null
    const wrong = this.#scanner.push(chunk)
    if (wrong !== null) this.#fault = { _tag: "Malformed", ...wrong }
    else if (this.#began !== null && this.size - this.#began > this.#longest)
      this.#fault = { _tag: "TooLarge", limit: this.#longest }
    return this.#fault
  }

  /** The body has ended: a fault when it is not complete. */
  end(): ScanFault | null {
    const wrong = this.#scanner.end()
    if (wrong !== null) this.#fault ??= { _tag: "Malformed", ...wrong }
    return this.#fault
  }

  #valueBegan(at: number, byte: number, depth: number): string | null {
    if (depth === rowDepth && this.#isOpen && this.#member === "data") {
      if (byte !== openBracket) return "a row that is not a list"
      this.#began = this.size + at
    }
    if (depth !== memberDepth || (this.#member !== "data" && this.#member !== "header")) return null
    if (byte !== openBracket) return `${this.#member} is not a list`
    this.#isOpen = true
    // To the end of the chunk, until the end of the list is seen.
    const rest = { from: at, to: Number.POSITIVE_INFINITY }
    if (this.#member === "data") {
      this.hasData = true
      this.data = rest
    } else {
      this.hasHeader = true
      this.header = rest
      this.#began = this.size + at
    }
    return null
  }

  #valueEnded(at: number, depth: number): void {
    if (!this.#isOpen) return
    if (depth === rowDepth && this.#member === "data") {
      this.rowCount++
      this.#began = null
    } else if (depth === memberDepth) {
      this.#isOpen = false
      this.#began = null
      if (this.#member === "data") this.data = { from: this.data?.from ?? 0, to: at }
      else this.header = { from: this.header?.from ?? 0, to: at }
    }
  }
}
