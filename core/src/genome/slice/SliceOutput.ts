/** Blocks that were judged, and what is kept of them: as they are when that is all, else made anew. */
import * as Bgzf from "../bgzf/Bgzf.ts"
import type { RecordSpan } from "../formats/RecordFormats.ts"
import type { IndexBuilder } from "../index/IndexBuilder.ts"

/** A block that was read but not yet passed on: its last record may go on in the next block. */
export interface Held {
  /** Byte offset in the file. */
  readonly offset: number
  /** The deflated block. */
  readonly raw: Uint8Array
  /** Its content, of `size` bytes; null of one in the midst of a record, which passes as it is or not at all. */
  readonly data: Uint8Array | null
  readonly size: number
  /** Kept bytes, as starts and ends in turn. */
  readonly ranges: Array<number>
  /** Kept records that begin here. */
  readonly records: KeptRecords
}

export interface SliceBlock {
  /** The whole block as it was, or the content of one that is to be deflated, or of any where content is wanted. */
  readonly bytes: Uint8Array
  readonly isCopied: boolean
  /** The records that begin in it. */
  readonly records: KeptRecords
}

/** Numbers of a record: its offset in the block, reference, start, end for the index, and whether it is mapped. */
const each = 5

/** Records of one block. A later block uses the memory again: a fresh list for each would be most of what a slice leaves to the collector. */
class KeptRecords {
  #numbers = new Float64Array(0)
  #length = 0

  /** Five for each record. */
  get length(): number {
    return this.#length
  }

  at(i: number): number {
    return this.#numbers[i]!
  }

  add(from: number, ref: number, start: number, end: number, mapped: number): void {
    const at = this.#length
    this.#length += each
    if (this.#length > this.#numbers.length) {
      const larger = new Float64Array(Math.max(each * 512, 2 * this.#numbers.length))
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const numbers = this.#numbers
    numbers[at] = from
    numbers[at + 1] = ref
    numbers[at + 2] = start
    numbers[at + 3] = end
    numbers[at + 4] = mapped
  }

  /** Adds record `i` of others, which begins at `from` here. */
  addFrom(others: KeptRecords, i: number, from: number): void {
    const numbers = others.#numbers
    this.add(from, numbers[i + 1]!, numbers[i + 2]!, numbers[i + 3]!, numbers[i + 4]!)
  }

  clear(): void {
    this.#length = 0
  }
}

/** Keeps the bytes `[from, to)` of a held block. */
export const keep = ({ ranges }: Held, from: number, to: number): void => {
  if (ranges.length > 0 && ranges[ranges.length - 1] === from) ranges[ranges.length - 1] = to
  else ranges.push(from, to)
}

/** Notes that a kept record begins at `from` of a held block. */
export const note = ({ records }: Held, from: number, { end, mapped, ref, start }: RecordSpan): void =>
  records.add(from, ref, start, end, mapped ? 1 : 0)

/** Adds the records of a block, which begins at `offset` of the slice, to the index. */
export const addToIndex = ({ records }: SliceBlock, index: IndexBuilder, offset: number): void => {
  for (let i = 0; i < records.length; i += each) {
    const ref = records.at(i + 1)
    if (ref < 0) {
      index.close(offset, records.at(i))
      index.addUnplaced(1)
    } else index.add(ref, records.at(i + 2), records.at(i + 3), records.at(i + 4) === 1, offset, records.at(i))
  }
}

export interface SliceOutput {
  /** A block of which nothing is kept yet. */
  readonly hold: (offset: number, raw: Uint8Array, data: Uint8Array) => Held
  /** A block with bytes of its own: those it came with are overwritten. One that is `inside` of a record has no other. */
  readonly own: (held: Held, isInside: boolean) => Held
  /** Passes on what is kept of a block, which is not to be used any more. */
  readonly put: (held: Held) => void
  /** What comes next begins a block of its own. */
  readonly flush: () => void
  /** The blocks that are complete since the last call. */
  readonly take: () => ReadonlyArray<SliceBlock>
  /** A block is not used any more. */
  readonly giveBack: (block: SliceBlock) => void
  /** Bytes of blocks that passed as they were. */
  readonly copied: () => number
}

const isWhole = ({ ranges, size }: Held) => ranges.length === 2 && ranges[0] === 0 && ranges[1] === size

/** What a slice is made as: the blocks of a file, or the records alone, inflated, whose bytes nobody uses again. */
export type OutputForm = "blocks" | "content"

export const make = (form: OutputForm): SliceOutput => {
  const freeRecords: Array<KeptRecords> = []
  const freePayloads: Array<Uint8Array> = []
  const newRecords = () => freeRecords.pop() ?? new KeptRecords()
  let done: Array<SliceBlock> = []
  let copied = 0
  /** The content of the block that is being filled. */
  let payload: Uint8Array | null = null
  let used = 0
  let records = newRecords()

  const flush = () => {
    if (payload === null || used === 0) return
    done.push({ bytes: payload.subarray(0, used), isCopied: false, records })
    payload = null
    used = 0
    records = newRecords()
  }
  /** Appends bytes, which may fill several blocks. */
  const append = (bytes: Uint8Array) => {
    for (let from = 0; from < bytes.length; ) {
      payload ??= freePayloads.pop() ?? new Uint8Array(Bgzf.maxPayload)
      const step = Math.min(bytes.length - from, Bgzf.maxPayload - used)
      payload.set(bytes.subarray(from, from + step), used)
      used += step
      from += step
      if (used === Bgzf.maxPayload) flush()
    }
  }

  /** Record by record, so that none straddles two blocks of the slice that did not before, unless it is longer than a block. */
  const putParts = ({ data, ranges, records: held }: Held) => {
    if (data === null) return
    let next = 0
    for (let range = 0; range < ranges.length; range += 2) {
      const stop = ranges[range + 1]!
      for (let at = ranges[range]!; at < stop; ) {
        const begins = next < held.length && held.at(next) === at
        const following = begins ? next + each : next
        const end = following < held.length ? Math.min(held.at(following), stop) : stop
        if (used + end - at > Bgzf.maxPayload) flush()
        if (begins) records.addFrom(held, next, used)
        append(data.subarray(at, end))
        next = following
        at = end
      }
    }
  }

  return {
    hold: (offset, raw, data) => ({ offset, raw, data, size: data.length, ranges: [], records: newRecords() }),
    own: (held, isInside) => ({
      ...held,
      raw: form === "blocks" ? held.raw.slice() : held.raw,
      data: form === "blocks" && isInside ? null : (held.data?.slice() ?? null)
    }),
    put: (held) => {
      if (held.ranges.length > 0 && isWhole(held)) {
        flush()
        if (form === "content" && held.data !== null)
          return void done.push({ bytes: held.data.slice(), isCopied: false, records: held.records })
        done.push({ bytes: held.raw, isCopied: true, records: held.records })
        copied += held.raw.length
        return
      }
      if (held.ranges.length > 0) putParts(held)
      held.records.clear()
      freeRecords.push(held.records)
    },
    flush,
    take: () => {
      const taken = done
      done = []
      return taken
    },
    giveBack: ({ bytes, isCopied, records }) => {
      records.clear()
      freeRecords.push(records)
      if (!isCopied && form === "blocks") freePayloads.push(new Uint8Array(bytes.buffer))
    },
    copied: () => copied
  }
}
