/** What is looked at in the inflated content of a file while its blocks are walked. */
import type { BlockLayout, ContentPosition } from "./ContentPosition.ts"

/** A fault in the content: `at` is an index into the bytes that were taken last. */
export interface ContentFault {
  readonly at: number
  /** With the block as subject. */
  readonly phrase: string
}

/** Takes the content of a file part by part, in order; parts end anywhere. Keeps the head of a record at most. */
export interface ContentCheck {
  readonly take: (content: Uint8Array, blocks: BlockLayout) => ContentFault | null
  /** After the last part: a phrase with the file as subject, or null. */
  readonly finish: () => string | null
}

/** Content that nobody reads, such as that of an index. */
export const unread: ContentCheck = { take: () => null, finish: () => null }

/** How many records a file has; the names are those of its references. */
export interface RecordCounts {
  readonly records: number
  /** Records of each reference, in the order of the header for BAM, of appearance for VCF. */
  readonly ofReference: ReadonlyMap<string, number>
  /** Reads of each reference that have no position: htslib counts them for it, htsjdk among the unplaced. None where it is not there. */
  readonly withoutPosition: ReadonlyMap<string, number>
  /** Unplaced reads (`n_no_coor`); 0 in VCF. */
  readonly unplaced: number
  /** Whether the records stand in the order of their places. */
  readonly sorted: boolean
}

/** Hears of the records of a file, in their order, as long as they are sorted; not of unplaced reads. */
export interface RecordListener {
  /** Records of another reference follow: its number in the header for BAM, by appearance for VCF, and its name. */
  readonly enter: (reference: number, name: string) => void
  /** A record that covers `[start, end)` (0-based) begins at `place`; up to `plainEnd` for older tools. */
  readonly record: (start: number, end: number, mapped: boolean, place: ContentPosition, plainEnd: number) => void
  /** The last record of the reference ends at `place`. */
  readonly leave: (place: ContentPosition) => void
}

export interface RecordCheck extends ContentCheck {
  readonly counts: () => RecordCounts
}
