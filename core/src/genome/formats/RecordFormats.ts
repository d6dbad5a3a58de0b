/** How the records of each format are read: how long they are, where they lie, and whether they are sound. */
import { printable } from "../../text/Printable.ts"
import { carriageReturn, hash, lineFeed, tab } from "../Ascii.ts"
import { decodeName } from "../ReferenceName.ts"
import * as BamRecord from "./BamRecord.ts"
import { columnsFault, emptyAtEnd, mostSiteColumns, placeOf, tabsIn } from "./VcfRecord.ts"

/** Where a record lies; one value is filled again and again. */
export interface RecordSpan {
  /** Number of the reference, -1 for none, `comment` for no record at all. */
  ref: number
  /** 0-based. */
  start: number
  /** 0-based, after the last base. */
  end: number
  mapped: boolean
}

/** A run of inflated bytes that records are read from. */
export interface Bytes {
  readonly bytes: Uint8Array
  readonly view: DataView
}

export const bytesOf = (bytes: Uint8Array): Bytes => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
})

/** `RecordSpan.ref` of a line that is no record. */
export const comment = -2
/** The same of a record whose reference the index does not name. */
export const unlisted = -3

/** Most bytes of a record, as of a header: a whole chromosome that was aligned is one record. One that does not end within them is damage. */
export const largestRecord = 0x20000000

export interface RecordFormat {
  /** What may be missing after the last record of a file. */
  readonly terminator: Uint8Array | null
  /**
   * Size of the record at `at`; 0 when it goes on past the bytes, -1 when no record is as its first bytes say. `known` bytes of it were
   * looked at before, without its end: looking at all of them for each block is quadratic.
   */
  readonly size: (data: Bytes, at: number, known?: number) => number
  /** Most bytes that the record at `at` can have, by its first bytes; they were looked at by `size`. */
  readonly most: (data: Bytes, at: number) => number
  /** Bytes `[from, to)` of the record at `at` that none of these functions looks at, as far as its first bytes say; they were looked at by `size`. */
  readonly unjudged: (data: Bytes, at: number) => readonly [from: number, to: number]
  /** `RecordSpan.ref` of the record at `at` by its first bytes alone; null when they do not lie in the bytes, or are of no record. */
  readonly refAt: (data: Bytes, at: number) => number | null
  /**
   * False for a record that is put together from parts of two: of one that lies in two blocks, the second may be in the place of
   * another.
   */
  readonly fits: (data: Bytes, at: number, size: number) => boolean
  /** What is wrong with the whole record `[at, at + size)` so that tools of the format refuse it, as a phrase; null when nothing is. */
  readonly flaw: (data: Bytes, at: number, size: number) => string | null
  /** What a person calls the whole record `[at, at + size)`. */
  readonly nameOf: (data: Bytes, at: number, size: number) => string
  /** Fills `span` from the whole record `[at, at + size)`; false when it is damaged. */
  readonly readSpan: (data: Bytes, at: number, size: number, span: RecordSpan) => boolean
}

/** What reading the records of a format needs of its header and index. */
interface RecordNeeds {
  readonly BAM: {
    readonly references: number
  }
  readonly VCF: {
    /** The references in the order of the index. */
    readonly names: ReadonlyArray<string>
    /** Number of samples in the header. */
    readonly samples: number
  }
}

/** The records of a file. */
export type Records<F extends keyof RecordNeeds = keyof RecordNeeds> = {
  readonly [K in F]: { readonly format: K } & RecordNeeds[K]
}[F]

/** Everything is judged. */
const nothing = [0, 0] as const

const bam = ({ references }: RecordNeeds["BAM"]): RecordFormat => ({
  terminator: null,
  size: ({ bytes, view }, at) => {
    if (at + 4 > bytes.length) return 0
    const size = BamRecord.recordSize(view, at)
    if (size < BamRecord.smallest + 4 || size > largestRecord) return -1
    if (at + size <= bytes.length) return size
    // What is no record seldom looks like one: hundreds of MB are not gathered for it.
    return at + BamRecord.smallest + 4 <= bytes.length && !BamRecord.isSound(view, at) ? -1 : 0
  },
  most: ({ bytes, view }, at) => (at + 4 > bytes.length ? largestRecord : BamRecord.recordSize(view, at)),
  unjudged: ({ bytes, view }, at) =>
    at + BamRecord.smallest + 4 > bytes.length ? nothing : BamRecord.basesAndQualities(view, at),
  refAt: ({ bytes, view }, at) => (at + 8 > bytes.length ? null : BamRecord.refId(view, at)),
  // The length at its beginning leads to the next record, or to none.
  fits: () => true,
  flaw: ({ bytes, view }, at) => {
    const mate = BamRecord.mateRefId(view, at)
    return mate < -1 || mate >= references ? "has a mate on no reference" : BamRecord.flawOf(bytes, view, at)
  },
  nameOf: ({ bytes, view }, at) => printable(BamRecord.nameOf(bytes, view, at)),
  readSpan: ({ view }, at, _size, span) => {
    if (!BamRecord.isSound(view, at)) return false
    span.ref = BamRecord.refId(view, at)
    span.start = BamRecord.position(view, at)
    span.end = span.ref < 0 ? span.start : BamRecord.end(view, at)
    span.mapped = (BamRecord.flags(view, at) & BamRecord.Flag.unmapped) === 0
    return span.ref >= -1 && span.ref < references && span.start >= -1
  }
})

/** A comment or a blank line: an index of tabix may begin at one in the header. */
const isNoRecord = (bytes: Uint8Array, at: number, size: number): boolean =>
  size === 1 || bytes[at] === hash || (size === 2 && bytes[at] === carriageReturn)

/** Columns of a line with its line feed. */
const columnsIn = (bytes: Uint8Array, at: number, size: number): number => tabsIn(bytes, at, at + size - 1) + 1

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** Lines with their line feeds. */
const vcf = ({ names, samples }: RecordNeeds["VCF"]): RecordFormat => {
  const numbers = new Map(names.map((name, i) => [name, i]))
  /** Columns of the first record that was kept or goes on in a later block; of use where the header has no samples. */
  let usual: number | null = null
  /** Why tools refuse a line for its columns. */
  const faultOf = (bytes: Uint8Array, at: number, size: number, columns: number): string | null =>
    columnsFault(samples, columns, emptyAtEnd(bytes, at, at + size - 1))
  return {
    terminator: Uint8Array.of(lineFeed),
    size: ({ bytes }, at, known = 0) => {
      const end = bytes.indexOf(lineFeed, at + known)
      return end === -1 ? 0 : end + 1 - at
    },
    most: () => largestRecord,
    unjudged: () => nothing,
    refAt: ({ bytes }, at) => {
      const end = bytes.indexOf(tab, at)
      const name = bytes.subarray(at, end)
      // The tab may be of a later line.
      const isNone = end === -1 || name[0] === hash || name.includes(lineFeed)
      return isNone ? null : (numbers.get(decodeName(name)) ?? unlisted)
    },
    fits: ({ bytes }, at, size) => {
      if (isNoRecord(bytes, at, size)) return true
      const columns = columnsIn(bytes, at, size)
      if (faultOf(bytes, at, size, columns) !== null) return false
      // Some writers leave the samples, or the column of their format, out of the header alone: the first record is believed.
      usual ??= columns
      return samples > 0 || columns <= mostSiteColumns || columns === usual
    },
    flaw: ({ bytes }, at, size) => {
      const columns = columnsIn(bytes, at, size)
      const fault = faultOf(bytes, at, size, columns)
      if (fault === null) usual ??= columns
      return fault === null ? null : `has ${fault}`
    },
    nameOf: ({ bytes }, at, size) => {
      const [, , id = ""] = textOf(bytes.subarray(at, at + Math.min(size, 1024))).split("\t")
      return printable(id.slice(0, 60))
    },
    readSpan: ({ bytes }, at, size, span) => {
      if (isNoRecord(bytes, at, size)) {
        span.ref = comment
        return true
      }
      const found = placeOf(bytes.subarray(at, at + size - 1))
      if (found === null) return false
      span.ref = numbers.get(found.name) ?? -1
      span.start = found.start
      span.end = found.end
      span.mapped = true
      return span.ref >= 0
    }
  }
}

const recordFormats: { readonly [F in keyof RecordNeeds]: (needs: RecordNeeds[F]) => RecordFormat } = {
  BAM: bam,
  VCF: vcf
}

export const recordFormat = <F extends keyof RecordNeeds>(records: Records<F>): RecordFormat =>
  recordFormats[records.format](records)
