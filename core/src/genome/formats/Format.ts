/**
 * What the engine knows of a file format. Slices, checks of structure and verification ask such a value; outside this folder no
 * file suffix is compared.
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { FileDamaged } from "../../Errors.ts"
import type { ByteReader } from "../ByteReader.ts"
import type { Codec } from "../bgzf/Codec.ts"
import type { RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import type { VirtualOffset } from "../bgzf/VirtualOffset.ts"
import type { Indexed } from "../index/IndexBuilder.ts"
import type { TabixIndex } from "../index/TabixIndex.ts"
import type { KnownReference } from "../regions/Regions.ts"
import type { FormatNames } from "./FileNames.ts"
import type { Records } from "./RecordFormats.ts"
import type { SliceMaker } from "./SliceHeader.ts"

export interface Format extends FormatNames {
  /** The first bytes of the inflated content. */
  readonly magic: Uint8Array
  /** Reads the header. Fails with `FileDamaged`: `NotBgzf`, `BadBlock`, `Truncated`, `BadHeader`. */
  readonly open: <E>(file: string, reader: ByteReader<E>) => Effect.Effect<FormatFile, FileDamaged | E, Codec>
}

/** A file whose header was read. */
export interface FormatFile {
  /** Number of references, null where the format does not say. */
  readonly references: number | null
  /** Number of samples, null where the format has none. */
  readonly samples: number | null
  /** The header, inflated. */
  readonly header: PlainHeader
  /** The regions of a slice that `program` made, null for any other file. */
  readonly regionsOf: (program: SliceMaker) => string | null
  /** Judges every record of the file and tells listeners of them. */
  readonly records: (listeners: ReadonlyArray<RecordListener>) => RecordCheck
  /** Compares records with what the index says; a phrase when it cannot be the index of this file. */
  readonly referenceAt: (index: TabixIndex) => Result.Result<ReferenceAt, string>
  /** How to cut regions out of it by an index. */
  readonly slicing: (index: TabixIndex) => Result.Result<Slicing, string>
  /** What an index that is made of its records is of. */
  readonly indexing: Indexing
}

/** What is needed to write an index of a file. */
export interface Indexing {
  /** What the index is of, when its records are on these references, in the order of their appearance. */
  readonly of: (names: ReadonlyArray<string>) => Indexed
  /** Bases of the longest reference by the header. */
  readonly longest: number
}

/** A header without its compression. */
export interface PlainHeader {
  /** Bytes of the content of the file before the first record. */
  readonly size: number
  /** What a file of any of its records begins with. */
  readonly bytes: () => Uint8Array
}

/**
 * Takes content in parts, from where a record begins or what is none, until it tells something: `null` before that. It keeps no more of a
 * part than the beginning of a record.
 */
export type Telling<A> = (content: Uint8Array) => A | null

/** Where a record stands: number of its reference in the index, -1 for none of it, and start (0-based). */
export interface Place {
  readonly ref: number
  readonly start: number
}

/** What the records where an index leads say of themselves. */
export interface ReferenceAt {
  /** Tells where the first record stands. */
  readonly first: () => Telling<Place>
  /** Tells, where an index ends, whether a record follows that any program would have put into it. */
  readonly goesOn: () => Telling<boolean>
  /** Hears of each read that has a reference and no position, and tells that another record follows. */
  readonly placeless: (each: () => void) => Telling<true>
  /** Name of reference `i` of the index. */
  readonly nameOf: (i: number) => string
  /** Where the first record begins: an index that knows nothing ends there. */
  readonly firstRecord: VirtualOffset
}

/** What a slice needs to know of its source. */
export interface Slicing {
  /** In the order of the index; after them may stand some that only the header names. */
  readonly references: ReadonlyArray<KnownReference>
  /** False when the file may have references that nothing names, since no record is on them. */
  readonly namesAll: boolean
  readonly records: Records
  /** Where the first record begins. */
  readonly firstRecord: VirtualOffset
  /** True when the format can hold unplaced reads. */
  readonly holdsUnplaced: boolean
  /** The inflated header of the slice. */
  readonly header: (program: SliceMaker, regions: string) => Uint8Array
  /** What the index to write is of, and how long the longest reference is by the header (bases). */
  readonly indexed: Indexed
  readonly longest: number
}
