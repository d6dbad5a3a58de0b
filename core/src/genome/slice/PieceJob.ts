/** What a piece of a slice is made of. A job is plain data, since another thread may make the piece. */
import { type RecordFormat, type Records, recordFormat } from "../formats/RecordFormats.ts"
import type { FragmentData } from "../index/IndexFragment.ts"

/** What all pieces of a slice have in common. */
export interface SliceJob {
  /** Where the blocks of the file end and its end-of-file block begins (bytes). */
  readonly dataEnd: number
  readonly records: Records
  /** Names of the references, in the order of the index. */
  readonly names: ReadonlyArray<string>
  /** What is wanted of each reference: starts and ends in turn, sorted, not touching. */
  readonly regions: ReadonlyArray<{ readonly ref: number; readonly bounds: ArrayLike<number> }>
  /** True when the unplaced reads are wanted. */
  readonly takeUnplaced: boolean
  /** Of the blocks that cannot be copied, 0-9. */
  readonly level: number
}

/** A virtual offset as two numbers: `block` is its coffset, `within` its uoffset. */
export type VirtualOffsetPair = readonly [block: number, within: number]

export const isBefore = (a: VirtualOffsetPair, b: VirtualOffsetPair): boolean =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])

/** The records that begin in `[begin, end)` are judged. */
export interface PieceStretch {
  /** Number of the reference, -1 for the unplaced reads. */
  readonly ref: number
  /** Where a record begins, at or before `begin`: those in between are walked over. */
  readonly from: VirtualOffsetPair
  readonly begin: VirtualOffsetPair
  readonly end: VirtualOffsetPair
  /** Records that start here or later (0-based) are not what this stretch is read for. */
  readonly until: number
  /** Where a record must begin before `end`, because the next piece starts there; null when one must begin at `end`. */
  readonly through: VirtualOffsetPair | null
  /** True when no record of the reference may follow after `end`. */
  readonly whole: boolean
}

/** Fetched bytes `[offset, offset + length)` of the file, which lie at `at` of `buffer` after `headroom` free bytes. */
export interface FetchedRange {
  readonly buffer: Uint8Array
  readonly at: number
  readonly offset: number
  readonly length: number
  /** How many bytes after it belong to its stretches too; they are fetched when records go on there. */
  readonly spare: number
}

/** Free bytes before a fetched range: the start of a block that ends in the range is put there. */
export const headroom = 0x10000

/** Why a piece cannot be made, in the words of a `FileDamaged`. */
export interface PieceDamage {
  readonly fault: "BadBlock" | "BadRecord" | "IndexMismatch"
  readonly reason: string
}

/** A finished piece. Offsets count from the beginning of its output. */
export interface PieceDone {
  /** Bytes of its output. */
  readonly bytes: number
  readonly records: number
  /** Bytes of blocks that passed as they were. */
  readonly copied: number
  readonly fragment: FragmentData
  /** Reference and start of the first and of the last record that was looked at; null when there was none. */
  readonly first: readonly [ref: number, start: number] | null
  readonly last: readonly [ref: number, start: number] | null
}

/** A slice whose pieces are being made, with what each piece looks up. A thread makes it once: a VCF may name 100,000 references. */
export interface OpenSlice extends SliceJob {
  readonly format: RecordFormat
  /** What is wanted of a reference, by its number: starts and ends in turn, as in `regions`. */
  readonly wanted: ReadonlyMap<number, ArrayLike<number>>
}

export const open = (job: SliceJob): OpenSlice => ({
  ...job,
  format: recordFormat(job.records),
  wanted: new Map(job.regions.map(({ bounds, ref }) => [ref, bounds]))
})
