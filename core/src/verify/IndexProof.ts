/**
 * Holds an index against every record of its file while the file is read: each record lies in a chunk of its bin or of one around
 * it, each chunk begins where a record begins, and no reader is led past a record. A flipped bit that does no such harm is
 * found by a checksum of the file only. Where records are only counted, their number on each reference must be that of the index.
 */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../Errors.ts"
import type { RecordCounts, RecordListener } from "../genome/bgzf/ContentCheck.ts"
import type { ContentPosition } from "../genome/bgzf/ContentPosition.ts"
import * as VirtualOffset from "../genome/bgzf/VirtualOffset.ts"
import type { BinIndex, Chunk, ReferenceIndex } from "../genome/index/BinIndex.ts"
import { binOf } from "../genome/index/Bins.ts"
import { addressable, readerFloors } from "../genome/index/IndexRules.ts"
import type { TabixIndex } from "../genome/index/TabixIndex.ts"
import { counted } from "../text/Quantity.ts"

export interface IndexProof extends RecordListener {
  /** After the last record: what is wrong, with the index as subject; null when nothing is. */
  readonly fault: () => string | null
  /** What other tools miss with it as well, with the index as subject; null when nothing. */
  readonly note: () => string | null
}

interface Reference {
  readonly name: string
  readonly chunks: ChunkCoverage
  readonly linearOffsets: LinearOffsets
}

export const make = ({ columns, index }: TabixIndex): IndexProof => {
  const { depth, minShift } = index
  const numbers = columns === null ? null : new Map(columns.names.map((name, i) => [name, i]))
  const seen = new Set<number>()
  let current: Reference | null = null
  let found: string | null = null
  let missed = 0
  let firstMissed = ""
  /** Records that it leads to by REF and END alone. */
  let cut = 0

  const referenceOf = (name: string, said: ReferenceIndex): Reference => ({
    name,
    chunks: new ChunkCoverage(said),
    linearOffsets: new LinearOffsets(said, index)
  })

  const wrong = (what: string) => {
    found = what
    current = null
  }

  const judge = ({ chunks, name }: Reference) => {
    if (chunks.hasMore) wrong(`it points to a place where no record of ${name} begins`)
  }

  return {
    enter: (reference, name) => {
      const number = numbers === null ? reference : numbers.get(name)
      if (number === undefined || found !== null) return
      const said = index.reference(number)
      seen.add(number)
      // References of which the index has nothing are compared by the counts.
      if (said.bins.size > 0) current = referenceOf(name, said)
    },
    record: (start, longest, mapped, place, plainEnd) => {
      if (current === null) return
      const { chunks, linearOffsets, name } = current
      const at = () => `${name}:${start + 1}, in the block at byte ${place.block}`
      if (!chunks.reach(place)) return wrong(`it points to a place before the record at ${at()}, where none begins`)
      // Writers differ in the bin of a record that has a reference and no position.
      if (start < 0) return
      const leadsTo = (end: number) =>
        chunks.covers(binOf(start, end, minShift, depth), place) && linearOffsets.reaches(end, place)
      const isCut = plainEnd < longest && !leadsTo(longest)
      const end = isCut ? plainEnd : longest
      if (isCut) cut++
      if (end > addressable(index)) {
        return wrong(
          `it leads to the first ${addressable(index)} bases of a reference, and not to the record at ${at()}`
        )
      }
      if (!chunks.covers(binOf(start, end, minShift, depth), place))
        return wrong(`it does not lead to the record at ${at()}`)
      if (linearOffsets.reaches(end, place)) return
      if (mapped) return wrong(`it leads readers past the record at ${at()}`)
      // Older samtools left unmapped reads out of what readers skip by.
      if (missed === 0) firstMissed = at()
      missed++
    },
    leave: () => {
      if (current !== null) judge(current)
      current = null
    },
    fault: () => {
      for (let number = 0; number < index.references && found === null; number++) {
        if (seen.has(number)) continue
        judge(referenceOf(columns?.names[number] ?? `reference ${number + 1}`, index.reference(number)))
      }
      return found
    },
    note: () =>
      cut > 0
        ? `it was made by htslib before 1.22, and leads to ${counted(cut, "record")} by REF and END alone, not by SVLEN or LEN: index the file anew`
        : missed === 0
          ? null
          : `it leads samtools past ${counted(missed, "unmapped read")}, the first at ${firstMissed}: index the file anew`
  }
}

/** The offsets at which an index lets readers begin: the linear index of BAI and TBI, loffset of CSI. Records come in file order. */
class LinearOffsets {
  /** 0-based positions, ascending; for each, `#offsets` says where a reader begins that wants the records after it. */
  readonly #positions: Float64Array
  readonly #offsets: OffsetList
  /** Number of positions that were compared: no later record ends before them. */
  #compared = 0

  constructor(said: ReferenceIndex, index: BinIndex) {
    const floors = readerFloors(said, index)
    this.#positions = Float64Array.from(floors, ({ position }) => position)
    this.#offsets = new OffsetList(floors.map(({ offset }) => offset))
  }

  /** A record that begins at `place` ends before base `end` (0-based): false when a reader would begin after it. */
  reaches(end: number, place: ContentPosition): boolean {
    for (; this.#compared < this.#positions.length && this.#positions[this.#compared]! < end; this.#compared++) {
      if (this.#offsets.isBehind(this.#compared, place)) return false
    }
    return true
  }
}

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

/** Whether the chunks that an index has for a reference cover the records of that reference. Records come in file order. */
class ChunkCoverage {
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

/** Virtual offsets taken apart into numbers: every record of a file is compared with some. */
class OffsetList {
  readonly length: number
  readonly #blocks: Float64Array
  readonly #withins: Uint16Array

  constructor(offsets: ReadonlyArray<bigint>) {
    this.length = offsets.length
    this.#blocks = Float64Array.from(offsets, (bits) => VirtualOffset.block(VirtualOffset.fromBits(bits)))
    this.#withins = Uint16Array.from(offsets, (bits) => VirtualOffset.within(VirtualOffset.fromBits(bits)))
  }

  /** Offset `i` lies after `place`. */
  isBehind(i: number, place: ContentPosition): boolean {
    const block = this.#blocks[i]!
    return block > place.block || (block === place.block && this.#withins[i]! > place.within)
  }

  /** Offset `i` means `place`. */
  is(i: number, place: ContentPosition): boolean {
    return place.is(this.#blocks[i]!, this.#withins[i]!)
  }
}

/**
 * Whether an index covers its data file: as many records of each reference as the walk through the data has counted, and none
 * that it does not lead to. Gives notes on what could not be compared. Fails with `FileDamaged` `IndexMismatch` where counts
 * differ, where records are of a reference that has no entry in the index, or with the `fault` that the walk has found.
 * References without counts, which some writers leave out, are not compared. Reads that have a reference and no position may be counted
 * for it or among the unplaced.
 */
export const compareRecords = (
  file: string,
  { columns, index }: TabixIndex,
  data: string,
  counted: RecordCounts,
  fault: string | null
): Effect.Effect<ReadonlyArray<string>, FileDamaged> => {
  const damaged = (reason: string) => Effect.fail(new FileDamaged({ file, fault: "IndexMismatch", reason }))
  const mismatch = (reason: string) => damaged(`it does not cover ${data}: ${reason}`)
  if (!counted.sorted) return mismatch("its records are not in order, so no index can serve it")
  let hasCounts = false
  let moved = 0
  const names = columns?.names ?? [...counted.ofReference.keys()]
  for (const [i, name] of names.entries()) {
    const { bins, counts } = index.reference(i)
    const found = counted.ofReference.get(name) ?? 0
    if (counts === null) {
      if (found > 0 && bins.size === 0) return mismatch(`it has nothing of the ${found} records on ${name}`)
      continue
    }
    hasCounts = true
    const claimed = counts.mapped + counts.unmapped
    const apart = found - claimed
    if (apart !== 0 && apart !== counted.withoutPosition.get(name)) {
      return mismatch(`it counts ${claimed} records on ${name}, and there are ${found}`)
    }
    moved += apart
  }
  const covered = new Set(names)
  const missing = [...counted.ofReference].find(([name, found]) => found > 0 && !covered.has(name))
  if (missing !== undefined) return mismatch(`it does not know ${missing[0]}, which has ${missing[1]} records`)
  const compared = (notes: ReadonlyArray<string>) =>
    fault === null ? Effect.succeed(notes) : damaged(`it does not fit ${data}: ${fault}`)
  const { unplaced } = index
  if (unplaced === null || columns !== null || unplaced === counted.unplaced + moved) return compared([])
  // bamtools counts nothing, and writes 0 here.
  if (unplaced === 0 && !hasCounts) return compared([`it counts none of the ${counted.unplaced} unplaced reads`])
  return mismatch(`it counts ${unplaced} unplaced reads, and there are ${counted.unplaced + moved}`)
}
