/** Blocks that were judged and are to be written: as they are when all of a block is kept, else what is kept of it. */
import type { BgzfWriter } from "./BgzfWriter.ts"
import type { IndexFragment } from "./IndexFragment.ts"
import type { RecordSpan } from "./RecordFormat.ts"

/** A block that was read but not yet written: its last record may go on in the next block. */
export interface Held {
  /** Byte offset in the file. */
  readonly offset: number
  /** The deflated block. */
  readonly raw: Uint8Array
  readonly data: Uint8Array
  /** Kept bytes, as starts and ends in turn. */
  readonly ranges: Array<number>
  /** Kept records that begin here, five numbers each: offset, reference, start, end, mapped. */
  readonly records: Array<number>
}

export const hold = (offset: number, raw: Uint8Array, data: Uint8Array): Held => ({
  offset,
  raw,
  data,
  ranges: [],
  records: []
})

/** The same with bytes of its own: those it came with are overwritten by the next block. */
export const own = (held: Held): Held => ({ ...held, raw: held.raw.slice(), data: held.data.slice() })

/** Keeps the bytes `[from, to)` of a held block. */
export const keep = ({ ranges }: Held, from: number, to: number): void => {
  if (ranges.length > 0 && ranges[ranges.length - 1] === from) ranges[ranges.length - 1] = to
  else ranges.push(from, to)
}

/** Notes that a kept record begins at `from` of a held block. */
export const note = ({ records }: Held, from: number, place: RecordSpan): void => {
  records.push(from, place.ref, place.start, place.end, place.mapped ? 1 : 0)
}

export interface SliceOutput {
  readonly write: (held: Held) => void
  /** Bytes of blocks that passed as they were. */
  readonly copied: () => number
}

const isWhole = ({ data, ranges }: Held) => ranges.length === 2 && ranges[0] === 0 && ranges[1] === data.length

export const make = (writer: BgzfWriter, index: IndexFragment): SliceOutput => {
  let copied = 0

  const addToIndex = (records: ReadonlyArray<number>, i: number, block: number, within: number) => {
    if (records[i + 1]! < 0) {
      index.close(block, within)
      index.addUnplaced(1)
    } else {
      index.add(records[i + 1]!, records[i + 2]!, records[i + 3]!, records[i + 4] === 1, block, within)
    }
  }

  const writeWhole = ({ raw, records }: Held) => {
    writer.flush()
    const block = writer.block()
    for (let i = 0; i < records.length; i += 5) addToIndex(records, i, block, records[i]!)
    writer.copy(raw)
    copied += raw.length
  }

  /** Record by record, so that none straddles two blocks of the output that did not before. */
  const writeParts = ({ data, ranges, records }: Held) => {
    let next = 0
    for (let range = 0; range < ranges.length; range += 2) {
      const stop = ranges[range + 1]!
      for (let at = ranges[range]!; at < stop; ) {
        const begins = records[next] === at
        const following = begins ? next + 5 : next
        const end = following < records.length ? Math.min(records[following]!, stop) : stop
        writer.reserve(end - at)
        if (begins) addToIndex(records, next, writer.block(), writer.within())
        writer.write(data.subarray(at, end))
        next = following
        at = end
      }
    }
  }

  return {
    write: (held) => {
      if (held.ranges.length === 0) return
      if (isWhole(held)) writeWhole(held)
      else writeParts(held)
    },
    copied: () => copied
  }
}
