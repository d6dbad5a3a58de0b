/** Blocks that were judged and are to be written: as they are when all of a block is kept, else what is kept of it. */
import type { BgzfWriter } from "../bgzf/BgzfWriter.ts"
import type { RecordSpan } from "../formats/RecordFormats.ts"
import type { IndexFragment } from "../index/IndexFragment.ts"

/** A block that was read but not yet written: its last record may go on in the next block. */
export interface Held {
  /** Byte offset in the file. */
  readonly offset: number
  /** The deflated block. */
  readonly raw: Uint8Array
  readonly data: Uint8Array
  /** Kept bytes, as starts and ends in turn. */
  readonly ranges: Array<number>
  /** Kept records that begin here. */
  readonly records: KeptRecords
}

/** Numbers of a record: its offset in the block, reference, start, end for the index, and whether it is mapped. */
const each = 5

/** Records of one block. The next block uses the memory again: a fresh list for each would be most of what a slice leaves to the collector. */
class KeptRecords {
  #numbers = new Float64Array(each * 512)
  #length = 0

  /** Five for each record. */
  get length(): number {
    return this.#length
  }

  at(i: number): number {
    return this.#numbers[i]!
  }

  add(from: number, { mapped, reach, ref, start }: RecordSpan): void {
    const at = this.#length
    this.#length += each
    if (this.#length > this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const numbers = this.#numbers
    numbers[at] = from
    numbers[at + 1] = ref
    numbers[at + 2] = start
    numbers[at + 3] = reach
    numbers[at + 4] = mapped ? 1 : 0
  }

  clear(): void {
    this.#length = 0
  }
}

/** The same with bytes of its own: those it came with are overwritten by the next block. */
export const own = (held: Held): Held => ({ ...held, raw: held.raw.slice(), data: held.data.slice() })

/** Keeps the bytes `[from, to)` of a held block. */
export const keep = ({ ranges }: Held, from: number, to: number): void => {
  if (ranges.length > 0 && ranges[ranges.length - 1] === from) ranges[ranges.length - 1] = to
  else ranges.push(from, to)
}

/** Notes that a kept record begins at `from` of a held block. */
export const note = ({ records }: Held, from: number, span: RecordSpan): void => {
  records.add(from, span)
}

export interface SliceOutput {
  /** A block of which nothing is kept yet. */
  readonly hold: (offset: number, raw: Uint8Array, data: Uint8Array) => Held
  /** Writes what is kept of a block, which is not to be used any more. */
  readonly write: (held: Held) => void
  /** Bytes of blocks that passed as they were. */
  readonly copied: () => number
}

const isWhole = ({ data, ranges }: Held) => ranges.length === 2 && ranges[0] === 0 && ranges[1] === data.length

export const make = (writer: BgzfWriter, index: IndexFragment): SliceOutput => {
  const free: Array<KeptRecords> = []
  let copied = 0

  const addToIndex = (records: KeptRecords, i: number, block: number, within: number) => {
    const ref = records.at(i + 1)
    if (ref < 0) {
      index.close(block, within)
      index.addUnplaced(1)
    } else {
      index.add(ref, records.at(i + 2), records.at(i + 3), records.at(i + 4) === 1, block, within)
    }
  }

  const writeWhole = ({ raw, records }: Held) => {
    writer.flush()
    const block = writer.block()
    for (let i = 0; i < records.length; i += each) addToIndex(records, i, block, records.at(i))
    writer.copy(raw)
    copied += raw.length
  }

  /** Record by record, so that none straddles two blocks of the output that did not before. */
  const writeParts = ({ data, ranges, records }: Held) => {
    let next = 0
    for (let range = 0; range < ranges.length; range += 2) {
      const stop = ranges[range + 1]!
      for (let at = ranges[range]!; at < stop; ) {
        const begins = next < records.length && records.at(next) === at
        const following = begins ? next + each : next
        const end = following < records.length ? Math.min(records.at(following), stop) : stop
        writer.reserve(end - at)
        if (begins) addToIndex(records, next, writer.block(), writer.within())
        writer.write(data.subarray(at, end))
        next = following
        at = end
      }
    }
  }

  return {
    hold: (offset, raw, data) => ({ offset, raw, data, ranges: [], records: free.pop() ?? new KeptRecords() }),
    write: (held) => {
      if (held.ranges.length > 0) {
        if (isWhole(held)) writeWhole(held)
        else writeParts(held)
      }
      held.records.clear()
      free.push(held.records)
    },
    copied: () => copied
  }
}
