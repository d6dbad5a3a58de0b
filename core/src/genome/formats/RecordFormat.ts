/** What slicing needs to know about records: how long they are and where they lie. */

/** Where a record lies; one value is filled again and again. */
export interface RecordSpan {
  /** Number of the reference, -1 for none, `comment` for no record at all. */
  ref: number
  /** 0-based. */
  start: number
  /** 0-based, after the last base. */
  end: number
  /** The same by every rule that a reader may have, for the index. */
  reach: number
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

/** Most bytes of a record: one that does not end within them is damage. */
export const largestRecord = 0x4000000

export interface RecordFormat {
  /** What may be missing after the last record of a file. */
  readonly terminator: Uint8Array | null
  /** Size of the record at `at`; 0 when it goes on past the bytes, -1 when no record has that size. */
  readonly size: (data: Bytes, at: number) => number
  /**
   * False for a record that is put together from parts of two: of one that lies in two blocks, the second may be in the place of
   * another.
   */
  readonly fits: (data: Bytes, at: number, size: number) => boolean
  /** Fills `span` from the whole record `[at, at + size)`; false when it is damaged. */
  readonly readSpan: (data: Bytes, at: number, size: number, span: RecordSpan) => boolean
}
