/** The chunks that an index has for a reference, held against its records: whether each lies in one, and what lies in each. */
import type { Chunk, ReferenceIndex } from "../genome/BinIndex.ts"
import type { FilePlace } from "../genome/FilePlace.ts"
import type { OddFields } from "./OddFields.ts"
import { OffsetList } from "./OffsetList.ts"

const byBegin = (a: Chunk, b: Chunk): number => (a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : 0)

/** What lies in a chunk of the records that it is for. */
interface Held {
  /** Where the first of them begins, unless the index says the same; null before there is one. */
  first: ReadonlyArray<bigint> | null
  /** Where the last of them ends, unless the index says the same. */
  last: ReadonlyArray<bigint>
  /** Where the last record of the bin ends that lies behind this chunk, before the next one, and is held by a bin around. */
  missed: ReadonlyArray<bigint>
}

interface Bin {
  readonly id: number
  readonly chunks: ReadonlyArray<Chunk>
  readonly begins: OffsetList
  readonly ends: OffsetList
  readonly held: ReadonlyArray<Held>
  /** So many chunks begin before the records that come now, or with them; so many also end before. */
  begun: number
  passed: number
  /** It holds records of its own. */
  own: boolean
  /** The bins one level below of whose records it holds some. */
  readonly below: Set<number>
}

const binOfChunks = (id: number, unsorted: ReadonlyArray<Chunk>): Bin => {
  const chunks = unsorted.toSorted(byBegin)
  return {
    id,
    chunks,
    begins: new OffsetList(chunks.map(({ begin }) => begin)),
    ends: new OffsetList(chunks.map(({ end }) => end)),
    held: chunks.map(() => ({ first: null, last: [], missed: [] })),
    begun: 0,
    passed: 0,
    own: false,
    below: new Set()
  }
}

/** A chunk that holds the records that come now. */
interface Opened {
  readonly bin: Bin
  readonly chunk: number
}

const begin = ({ bin: { begins, held }, chunk }: Opened, place: FilePlace): void => {
  held[chunk]!.first ??= begins.is(chunk, place) ? [] : place.names()
}

const end = ({ bin: { ends, held }, chunk }: Opened, place: FilePlace): void => {
  held[chunk]!.last = ends.is(chunk, place) ? [] : place.names()
}

export class Chunks {
  private readonly bins: ReadonlyMap<number, Bin>
  /** Where chunks begin, in order. */
  private readonly begins: OffsetList
  private begun = 0
  /** The bin of the records that come now, and the chunk that holds them. */
  private run = -1
  private open: Opened | null = null
  /** The whole reference, where the index tells from where to where it goes. */
  private readonly extent: Opened | null

  constructor({ bins, extent }: ReferenceIndex) {
    this.extent = extent === null ? null : { bin: binOfChunks(-1, [extent]), chunk: 0 }
    const all = new Map<number, Bin>()
    for (const { chunks, id } of bins.values()) all.set(id, binOfChunks(id, chunks))
    this.bins = all
    const ordered = [...all.values()].flatMap(({ chunks }) => chunks).sort(byBegin)
    this.begins = new OffsetList(ordered.map(({ begin }) => begin))
  }

  /** Some chunks begin behind the last record. */
  get goOn(): boolean {
    return this.begun < this.begins.length
  }

  /** A record begins at `place`; false when a chunk begins before, and at no record. */
  begin(place: FilePlace): boolean {
    if (this.extent !== null) begin(this.extent, place)
    for (; this.goOn && !this.begins.isBehind(this.begun, place); this.begun++) {
      if (!this.begins.is(this.begun, place)) return false
      this.close(place)
    }
    return true
  }

  /** A record of `bin` begins at `place`; false when no chunk of the bin, or of one around it, holds it. */
  record(bin: number, place: FilePlace): boolean {
    if (bin === this.run && this.open?.bin.ends.isBehind(this.open.chunk, place) === true) return true
    this.close(place)
    this.run = bin
    for (let id = bin, below = -1; this.open === null; below = id, id = (id - 1) >>> 3) {
      const found = this.bins.get(id)
      if (found !== undefined) this.enter(found, below, place)
      if (id === 0) break
    }
    return this.open !== null
  }

  /** The last record ends at `place`. */
  leave(place: FilePlace): void {
    this.close(place)
    if (this.extent !== null) end(this.extent, place)
  }

  private close(place: FilePlace): void {
    if (this.open === null) return
    end(this.open, place)
    const own = this.bins.get(this.run)
    if (own !== undefined && own !== this.open.bin && own.begun > 0) own.held[own.begun - 1]!.missed = place.names()
    this.open = null
  }

  private enter(bin: Bin, below: number, place: FilePlace): void {
    const { begins, ends } = bin
    while (bin.begun < begins.length && !begins.isBehind(bin.begun, place)) bin.begun++
    while (bin.passed < bin.begun && !ends.isBehind(bin.passed, place)) bin.passed++
    // Of two that overlap, the later one.
    let chunk = bin.begun - 1
    while (chunk >= bin.passed && !ends.isBehind(chunk, place)) chunk--
    if (chunk < bin.passed) return
    if (below === -1) bin.own = true
    else bin.below.add(below)
    this.open = { bin, chunk }
    begin(this.open, place)
  }

  /**
   * After the last record: all writers let a chunk begin with the first record of its bin and end with the last, and move
   * records to a bin around theirs only together with others.
   */
  judge(name: string, odd: OddFields): void {
    if (this.extent !== null) judgeChunks(this.extent.bin, `the extent of ${name}`, odd)
    for (const bin of this.bins.values()) {
      const { below, chunks, id, own } = bin
      const what = `bin ${id} of ${name}`
      if (chunks.length === 0) odd.seeBit(`${what} is empty`)
      judgeChunks(bin, `a chunk of ${what}`, odd)
      // Small bins may all move to the outermost one.
      if (!own && below.size === 1 && id !== 0)
        odd.see([...below].map(BigInt), BigInt(id), `${what} has the wrong number`)
    }
  }
}

const judgeChunks = ({ chunks, held }: Bin, what: string, odd: OddFields): void => {
  for (const [i, chunk] of chunks.entries()) {
    const { first, last, missed } = held[i]!
    if (first === null) odd.see([], chunk.begin, `${what} holds nothing of it`)
    else if (first.length > 0) odd.see(first, chunk.begin, `${what} begins at the wrong place`)
    if (last.length > 0) odd.see([...last, ...missed], chunk.end, `${what} ends at the wrong place`)
  }
}
