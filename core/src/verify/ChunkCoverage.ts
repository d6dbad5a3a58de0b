/** The chunks that an index has for a reference, held against its records: whether each of them lies in one. */
import type { Chunk, ReferenceIndex } from "../genome/BinIndex.ts"
import type { ContentPosition } from "../genome/ContentPosition.ts"
import { OffsetList } from "./OffsetList.ts"

const byBegin = (a: Chunk, b: Chunk): number => (a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : 0)

interface Bin {
  readonly begins: OffsetList
  readonly ends: OffsetList
  /** So many chunks begin before the records that come now, or with them; so many also end before. */
  begun: number
  passed: number
}

const binOfChunks = (unsorted: ReadonlyArray<Chunk>): Bin => {
  const chunks = unsorted.toSorted(byBegin)
  return {
    begins: new OffsetList(chunks.map(({ begin }) => begin)),
    ends: new OffsetList(chunks.map(({ end }) => end)),
    begun: 0,
    passed: 0
  }
}

export class Chunks {
  readonly #bins: ReadonlyMap<number, Bin>
  /** Where chunks begin, in order. */
  readonly #begins: OffsetList
  #begun = 0
  /** The bin of the records that come now, and the chunk that holds them. */
  #run = -1
  #bin: Bin | null = null
  #chunk = 0

  constructor({ bins }: ReferenceIndex) {
    this.#bins = new Map(Array.from(bins.values(), ({ chunks, id }) => [id, binOfChunks(chunks)]))
    const begins = [...bins.values()].flatMap(({ chunks }) => chunks.map(({ begin }) => begin))
    this.#begins = new OffsetList(begins.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  }

  /** Some chunks begin behind the last record. */
  get goOn(): boolean {
    return this.#begun < this.#begins.length
  }

  /** A record begins at `place`; false when a chunk begins before, and at no record. */
  begin(place: ContentPosition): boolean {
    for (; this.goOn && !this.#begins.isBehind(this.#begun, place); this.#begun++) {
      if (!this.#begins.is(this.#begun, place)) return false
      this.#run = -1
    }
    return true
  }

  /** A record of `bin` begins at `place`; false when no chunk of the bin, or of one around it, holds it. */
  record(bin: number, place: ContentPosition): boolean {
    if (bin === this.#run && this.#bin?.ends.isBehind(this.#chunk, place) === true) return true
    this.#run = bin
    this.#bin = null
    for (let id = bin; this.#bin === null; id = (id - 1) >>> 3) {
      const found = this.#bins.get(id)
      if (found !== undefined) this.#enter(found, place)
      if (id === 0) break
    }
    return this.#bin !== null
  }

  #enter(bin: Bin, place: ContentPosition): void {
    const { begins, ends } = bin
    while (bin.begun < begins.length && !begins.isBehind(bin.begun, place)) bin.begun++
    while (bin.passed < bin.begun && !ends.isBehind(bin.passed, place)) bin.passed++
    // Of two that overlap, the later one.
    let chunk = bin.begun - 1
    while (chunk >= bin.passed && !ends.isBehind(chunk, place)) chunk--
    if (chunk < bin.passed) return
    this.#bin = bin
    this.#chunk = chunk
  }
}
