/** Whether the chunks that an index has for a reference cover the records of that reference. Records come in file order. */

import type { ContentPosition } from "../genome/bgzf/ContentPosition.ts"
import type { Chunk, ReferenceIndex } from "../genome/index/BinIndex.ts"
import { OffsetList } from "./OffsetList.ts"

const byBegin = (a: Chunk, b: Chunk): number => (a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : 0)

/** The chunks of one bin, by their begins. */
interface BinChunks {
  readonly begins: OffsetList
  readonly ends: OffsetList
  /** Number of chunks that begin at the current record or before it. */
  begun: number
  /** All chunks before this one end at the current record or before it. */
  ended: number
}

const chunksOf = (unsorted: ReadonlyArray<Chunk>): BinChunks => {
  const chunks = unsorted.toSorted(byBegin)
  return {
    begins: new OffsetList(chunks.map(({ begin }) => begin)),
    ends: new OffsetList(chunks.map(({ end }) => end)),
    begun: 0,
    ended: 0
  }
}

/** Number of the chunk that holds the record at `place`, the last one of several; -1 when none does. */
const chunkAt = (chunks: BinChunks, place: ContentPosition): number => {
  const { begins, ends } = chunks
  while (chunks.begun < begins.length && !begins.isBehind(chunks.begun, place)) chunks.begun++
  while (chunks.ended < chunks.begun && !ends.isBehind(chunks.ended, place)) chunks.ended++
  for (let chunk = chunks.begun - 1; chunk >= chunks.ended; chunk--) if (ends.isBehind(chunk, place)) return chunk
  return -1
}

export class ChunkCoverage {
  readonly #bins: ReadonlyMap<number, BinChunks>
  /** Where the chunks of all bins begin, in file order. */
  readonly #begins: OffsetList
  /** Number of chunks that begin at a record that came. */
  #begun = 0
  /** Bin of the last record, and the chunk that holds it: neighbours mostly have both in common. */
  #bin = -1
  #chunks: BinChunks | null = null
  #chunk = -1

  constructor({ bins }: ReferenceIndex) {
    this.#bins = new Map(Array.from(bins.values(), ({ chunks, id }) => [id, chunksOf(chunks)]))
    const chunks = [...bins.values()].flatMap((bin) => bin.chunks)
    this.#begins = new OffsetList(chunks.sort(byBegin).map(({ begin }) => begin))
  }

  /** True when a chunk begins after the last record that came. */
  get hasMore(): boolean {
    return this.#begun < this.#begins.length
  }

  /** A record begins at `place`: false when a chunk begins before it, where no record does. */
  reach(place: ContentPosition): boolean {
    for (; this.hasMore && !this.#begins.isBehind(this.#begun, place); this.#begun++) {
      if (!this.#begins.is(this.#begun, place)) return false
      this.#bin = -1
    }
    return true
  }

  /** A record of bin `bin` begins at `place`: false when it lies in no chunk of that bin or of a larger one around it. */
  covers(bin: number, place: ContentPosition): boolean {
    if (bin === this.#bin && this.#chunks?.ends.isBehind(this.#chunk, place) === true) return true
    this.#bin = bin
    this.#chunks = null
    for (let id = bin; ; id = (id - 1) >>> 3) {
      const chunks = this.#bins.get(id)
      this.#chunk = chunks === undefined ? -1 : chunkAt(chunks, place)
      if (chunks !== undefined && this.#chunk !== -1) {
        this.#chunks = chunks
        return true
      }
      if (id === 0) return false
    }
  }
}
