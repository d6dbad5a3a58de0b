/** What slicing needs to know about records: how long they are and where they lie. One value for BAM, one for VCF. */
import * as BamRecord from "./formats/BamRecord.ts"
import { placeOf } from "./formats/VcfRecord.ts"

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

/** A record that does not end within so many bytes is damage. */
export const largestRecord = 0x4000000

export interface RecordFormat {
  /** What may be missing behind the last record of a file. */
  readonly terminator: Uint8Array | null
  /** Size of the record at `at`; 0 when it goes on behind the bytes, -1 when no record has that size. */
  readonly size: (data: Bytes, at: number) => number
  /**
   * False for a record that is put together from parts of two: of one that lies in two blocks, the second may be in the place of
   * another.
   */
  readonly fits: (data: Bytes, at: number, size: number) => boolean
  /** Fills `place` from the whole record `[at, at + size)`; false when it is damaged. */
  readonly place: (data: Bytes, at: number, size: number, place: RecordSpan) => boolean
}

/** Records of a file with so many references. */
const bam = (references: number): RecordFormat => ({
  terminator: null,
  size: ({ bytes, view }, at) => {
    if (at + 4 > bytes.length) return 0
    const size = BamRecord.recordSize(view, at)
    if (size < BamRecord.smallest + 4 || size > largestRecord) return -1
    return at + size > bytes.length ? 0 : size
  },
  // The length that its beginning tells leads to the next record, or to none.
  fits: () => true,
  place: ({ view }, at, _size, place) => {
    if (!BamRecord.isSound(view, at)) return false
    place.ref = BamRecord.refId(view, at)
    place.start = BamRecord.position(view, at)
    place.end = place.ref < 0 ? place.start : BamRecord.end(view, at)
    place.mapped = (BamRecord.flags(view, at) & BamRecord.Flag.unmapped) === 0
    return place.ref >= -1 && place.ref < references && place.start >= (place.ref === -1 ? -1 : 0)
  }
})

const lineFeed = 0x0a
const hash = 0x23
const tab = 0x09

/**
 * Lines with their line feeds; `names` are the references in the order of the index, `samples` the number of samples in the
 * header.
 */
const vcf = (names: ReadonlyArray<string>, samples: number): RecordFormat => {
  const numbers = new Map(names.map((name, i) => [name, i]))
  return {
    terminator: Uint8Array.of(lineFeed),
    size: ({ bytes }, at) => {
      const end = bytes.indexOf(lineFeed, at)
      return end === -1 ? 0 : end + 1 - at
    },
    fits: ({ bytes }, at, size) => {
      if (size === 1 || bytes[at] === hash) return true
      let columns = 1
      for (
        let tabAt = bytes.indexOf(tab, at);
        tabAt !== -1 && tabAt < at + size;
        tabAt = bytes.indexOf(tab, tabAt + 1)
      ) {
        columns++
      }
      // Without samples some writers leave the column of their format.
      return samples === 0 ? columns === 8 || columns === 9 : columns === 9 + samples
    },
    place: ({ bytes }, at, size, place) => {
      if (size === 1 || bytes[at] === hash) {
        place.ref = comment
        return true
      }
      const found = placeOf(bytes.subarray(at, at + size - 1))
      if (found === null) return false
      place.ref = numbers.get(found.name) ?? -1
      place.start = found.start
      place.end = found.end
      place.mapped = true
      return place.ref >= 0
    }
  }
}

/** The records of a file, as data that may go to another thread. */
export type Records =
  | { readonly format: "BAM"; readonly references: number }
  | { readonly format: "VCF"; readonly names: ReadonlyArray<string>; readonly samples: number }

export const recordFormat = (records: Records): RecordFormat =>
  records.format === "BAM" ? bam(records.references) : vcf(records.names, records.samples)
