/** What the values of cells mean, worked out once for each different cell: columns have far fewer values than rows. */
import type { ByteBlock } from "./ByteBlock.ts"

/** Entries; a power of two. A cell whose place is taken replaces the other, so that memory is bounded. */
const places = 4096

interface Entry<A> {
  readonly bytes: Uint8Array
  readonly meaning: A
}

const decoder = new TextDecoder()

export class CellCache<A> {
  readonly #meaningOf: (value: unknown) => A
  readonly #entries: Array<Entry<A> | undefined> = Array.from({ length: places })

  /** @param meaningOf - what a value, as JSON has it, means */
  constructor(meaningOf: (value: unknown) => A) {
    this.#meaningOf = meaningOf
  }

  /** The meaning of the cell from `from` up to `to`. */
  get(source: ByteBlock, from: number, to: number): A {
    const { bytes } = source
    let hash = 0x811c9dc5
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
    const place = (hash ^ (hash >>> 15)) & (places - 1)
    const known = this.#entries[place]
    if (known !== undefined && isSame(known.bytes, bytes, from, to)) return known.meaning
    const cell = bytes.slice(from, to)
    const meaning = this.#meaningOf(JSON.parse(decoder.decode(cell)))
    this.#entries[place] = { bytes: cell, meaning }
    return meaning
  }
}

const isSame = (cell: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean => {
  if (cell.length !== to - from) return false
  for (let i = 0; i < cell.length; i++) if (cell[i] !== bytes[from + i]) return false
  return true
}
