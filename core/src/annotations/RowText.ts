/** The form in which rows are written. */
import type { ByteBlock } from "./ByteBlock.ts"
import { blockOf, copyWords } from "./ByteBlock.ts"

/** Writes one row after the other into a block; cells are complete JSON values without white space around them. */
export interface RowText {
  /** The most bytes a row can take, when its cells have `cellBytes` bytes in all. */
  readonly room: (cellBytes: number) => number
  /**
   * Writes a row at `at` and returns where it ends; cell `i` of `source` goes from `starts[i]` to one byte before
   * `starts[i + 1]`.
   */
  readonly write: (source: ByteBlock, starts: Int32Array, target: ByteBlock, at: number) => number
  /** A faster way for rows of all columns in their order, if there is one. */
  readonly copy: RowCopy | null
}

/** Finds and writes cells in one go. */
export interface RowCopy {
  /** The cells of a row. */
  readonly width: number
  /** Where the row ends that was written last. */
  readonly end: number
  /**
   * Writes the row that begins at `from` and returns where it ends in the source; -1 when that is for others to decide:
   * it is not complete, has white space or another number of cells. Takes no more room than all bytes of the source do.
   */
  readonly write: (source: ByteBlock, from: number, target: ByteBlock, at: number) => number
}

const encoder = new TextEncoder()

/** What stands before, between and after the cells of each row, end to end in one block. */
export class Frame {
  /** What stands before cell i goes from `starts[i]` to `starts[i + 1]`; the last one stands after all cells. */
  readonly block: ByteBlock
  readonly starts: Int32Array

  constructor(pieces: ReadonlyArray<string>) {
    const encoded = pieces.map((piece) => encoder.encode(piece))
    this.starts = new Int32Array(pieces.length + 1)
    for (const [i, { length }] of encoded.entries()) this.starts[i + 1] = (this.starts[i] ?? 0) + length
    const all = new Uint8Array(this.length)
    for (const [i, bytes] of encoded.entries()) all.set(bytes, this.starts[i])
    this.block = blockOf(all)
  }

  get length(): number {
    return this.starts[this.starts.length - 1] ?? 0
  }

  /** Copies piece `i`. */
  copy(i: number, target: ByteBlock, at: number): number {
    return copyWords(this.block, this.starts[i] ?? 0, this.starts[i + 1] ?? 0, target, at)
  }
}
