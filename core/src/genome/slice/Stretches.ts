/** What has to be read of a file for a slice: stretches of it, in file order. */

import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { NumberRows } from "../NumberRows.ts"

/** A stretch `[begin, end)` of the file that holds wanted records. */
export interface Stretch {
  /** Number of the reference, -1 for the unplaced reads. */
  readonly ref: number
  readonly begin: VirtualOffset.VirtualOffset
  readonly end: VirtualOffset.VirtualOffset
  /** Records that start here or later (0-based) are not what this stretch is read for. */
  readonly until: number
  /** Byte offset past which nothing has to be fetched. */
  readonly fetchEnd: number
  /** Byte offset up to which its records are expected; where they go on past it, more is fetched. */
  readonly expectedEnd: number
  /** True when it is all of the reference. */
  readonly whole: boolean
}

const column = { ref: 0, until: 1, fetchEnd: 2, expectedEnd: 3, whole: 4, begin: 5, end: 6 } as const

/** Stretches as a table, made an object only when one is asked for. */
export class Stretches {
  readonly #rows = new NumberRows(7)
  /** The rows in file order, `null` where they were added in it; later ones come after them. */
  #order: Uint32Array | null = null
  #inOrder = true
  #lastBegin = 0n

  get length(): number {
    return this.#rows.length
  }

  add({ begin, end, expectedEnd, fetchEnd, ref, until, whole }: Stretch): void {
    const rows = this.#rows
    const row = rows.add(ref, until, fetchEnd, expectedEnd, whole ? 1 : 0)
    rows.setBits(row, column.begin, begin)
    rows.setBits(row, column.end, end)
    if (begin < this.#lastBegin) this.#inOrder = false
    this.#lastBegin = begin
  }

  /** Puts them in file order, all so far; those that begin at one place stay as they were added. */
  sort(): void {
    if (this.#inOrder) return
    const rows = this.#rows
    const begin = (row: number) => rows.bits(row, column.begin)
    // Most differ in their blocks, so that few comparisons need a bigint.
    const blocks = Float64Array.from({ length: rows.length }, (_, row) =>
      VirtualOffset.block(VirtualOffset.fromBits(begin(row)))
    )
    this.#order = Uint32Array.from(blocks.keys()).sort(
      (a, b) => blocks[a]! - blocks[b]! || Number(begin(a) - begin(b)) || a - b
    )
  }

  /** Stretch number `i`; undefined past the last. */
  at(i: number): Stretch | undefined {
    const rows = this.#rows
    if (i >= rows.length) return undefined
    const row = this.#order?.[i] ?? i
    return {
      ref: rows.number(row, column.ref),
      begin: VirtualOffset.fromBits(rows.bits(row, column.begin)),
      end: VirtualOffset.fromBits(rows.bits(row, column.end)),
      until: rows.number(row, column.until),
      fetchEnd: rows.number(row, column.fetchEnd),
      expectedEnd: rows.number(row, column.expectedEnd),
      whole: rows.number(row, column.whole) === 1
    }
  }
}
