/**
 * BAM records in place (SAM specification, section 4.2): reads the few fields that slicing and indexing need straight
 * from the bytes, and encodes whole records. Positions are 0-based.
 */

import { binOf } from "../index/Bins.ts"

/** Bits of the flag field (SAM specification, section 1.4). */
export const Flag = {
  paired: 1,
  properPair: 2,
  unmapped: 4,
  mateUnmapped: 8,
  reverse: 16,
  mateReverse: 32,
  first: 64,
  last: 128,
  secondary: 256,
  qcFail: 512,
  duplicate: 1024,
  supplementary: 2048
} as const

/** A record with its fixed fields, without its leading block_size, is at least this long (bytes). */
export const smallest = 32

/** Size of the record at `at` in bytes, with its own 4-byte length field. */
export const recordSize = (view: DataView, at: number): number => view.getUint32(at, true) + 4

/** Index of its reference, -1 when it has none. */
export const refId = (view: DataView, at: number): number => view.getInt32(at + 4, true)

/** 0-based leftmost position, -1 when it has none. */
export const position = (view: DataView, at: number): number => view.getInt32(at + 8, true)

export const flags = (view: DataView, at: number): number => view.getUint16(at + 18, true)

/** Index of the reference of its mate, -1 when that has none. */
export const mateRefId = (view: DataView, at: number): number => view.getInt32(at + 24, true)

const nameLength = (view: DataView, at: number) => view.getUint8(at + 12)
const cigarCount = (view: DataView, at: number) => view.getUint16(at + 16, true)

const ascii = new TextDecoder("latin1")

/** The name of a sound record. */
export const nameOf = (bytes: Uint8Array, view: DataView, at: number): string =>
  ascii.decode(bytes.subarray(at + 36, at + 35 + nameLength(view, at)))

/** Where the bases and the qualities of a sound record lie in it, by its fixed fields. */
export const basesAndQualities = (view: DataView, at: number): readonly [from: number, to: number] => {
  const from = 36 + nameLength(view, at) + 4 * cigarCount(view, at)
  const bases = view.getInt32(at + 20, true)
  return [from, from + ((bases + 1) >>> 1) + bases]
}

/**
 * True when the variable parts fit into the record, so that the other functions stay inside it. The whole record must
 * lie in `view`.
 */
export const isSound = (view: DataView, at: number): boolean => {
  const size = recordSize(view, at)
  return (
    size >= smallest + 4 &&
    nameLength(view, at) > 0 &&
    view.getInt32(at + 20, true) >= 0 &&
    basesAndQualities(view, at)[1] <= size
  )
}

/** True for the CIGAR operations that move along the reference: M, D, N, = and X. */
const consumesReference = 0b110001101

const softClip = 4
/** `CG`, and the types of its value: arrays of numbers of 32 bits. */
const [cigarTag, unsigned, signed] = [0x4347, 0x4249, 0x4269]

/** The operations of a record, as places of words in it. */
interface Cigar {
  readonly first: number
  readonly count: number
}

/**
 * The CIGAR of a sound record. Where its first operation is a soft clip of all bases, the tag CG has it, as for htslib: there is no room
 * for more than 65,535 operations (section 4.2.2), and what stands in for them says little of the length.
 */
export const cigarOf = (view: DataView, at: number): Cigar => {
  const first = at + 36 + nameLength(view, at)
  const count = cigarCount(view, at)
  const bases = view.getInt32(at + 20, true)
  const isStandIn = count > 0 && view.getUint32(first, true) === ((bases << 4) | softClip) >>> 0 && refId(view, at) >= 0
  return (isStandIn ? taggedCigar(view, at, first, count, bases) : null) ?? { first, count }
}

const taggedCigar = (view: DataView, at: number, first: number, count: number, bases: number): Cigar | null => {
  const stop = at + recordSize(view, at)
  let tag = first + 4 * count + ((bases + 1) >>> 1) + bases
  while (tag !== -1 && tag + 8 <= stop) {
    const next = tagEnd(view, tag, stop)
    if (view.getUint16(tag) === cigarTag) {
      const type = view.getUint16(tag + 2)
      const real = view.getUint32(tag + 4, true)
      const isWhole = next !== -1 && next <= stop
      return isWhole && (type === unsigned || type === signed) && real >= count ? { first: tag + 8, count: real } : null
    }
    tag = next
  }
  return null
}

/** 0-based position after the last base it covers, as htslib counts: an unmapped record, or one whose CIGAR covers nothing, is one base long. */
export const end = (view: DataView, at: number): number => {
  const start = position(view, at)
  if ((flags(view, at) & Flag.unmapped) !== 0) return start + 1
  let length = 0
  const { count, first } = cigarOf(view, at)
  for (let op = first; op < first + 4 * count; op += 4) {
    const word = view.getUint32(op, true)
    if (((consumesReference >>> (word & 15)) & 1) === 1) length += word >>> 4
  }
  return start + Math.max(1, length)
}

/** True for the CIGAR operations that move along the bases of the read: M, I, S, = and X. */
const consumesRead = 0b110010011
/** Operations are numbered 0 to 9; the last, B, is of old long reads and moves along neither. */
const lastOperation = 9

/** Bytes of a value by the letter of its type; 0 for types that are not fixed. */
const valueSizes = Uint8Array.from({ length: 128 }, (_, letter) => {
  const sizes: Readonly<Record<string, number>> = { A: 1, c: 1, C: 1, s: 2, S: 2, i: 4, I: 4, f: 4, d: 8 }
  return sizes[String.fromCharCode(letter)] ?? 0
})

/** Where the tag at `at` ends, -1 when it does not end by `stop` or has no type that exists. */
const tagEnd = (view: DataView, at: number, stop: number): number => {
  if (at + 4 > stop) return -1
  const type = view.getUint8(at + 2)
  const size = valueSizes[type & 0x7f]!
  if (type < 0x80 && size > 0) return at + 3 + size
  // Z and H end with a zero byte.
  if (type === 0x5a || type === 0x48) {
    let end = at + 3
    while (end < stop && view.getUint8(end) !== 0) end++
    return end < stop ? end + 1 : -1
  }
  if (type !== 0x42 || at + 8 > stop) return -1
  const element = view.getUint8(at + 3)
  const each = element < 0x80 ? valueSizes[element]! : 0
  return each === 0 || element === 0x41 ? -1 : at + 8 + each * view.getUint32(at + 4, true)
}

/** What is wrong inside the whole record at `at`, as a phrase; null when all its parts add up, as samtools wants them to. */
export const flawOf = (bytes: Uint8Array, view: DataView, at: number): string | null => {
  if (!isSound(view, at)) return "contradicts itself"
  const tags = at + 36 + nameLength(view, at) + 4 * cigarCount(view, at)
  if (bytes[at + 35 + nameLength(view, at)] !== 0) return "has a name without its end"
  const { count, first } = cigarOf(view, at)
  const bases = view.getInt32(at + 20, true)
  let covered = 0
  for (let op = first; op < first + 4 * count; op += 4) {
    const word = view.getUint32(op, true)
    if ((word & 15) > lastOperation) return `has a CIGAR operation ${word & 15}, which does not exist`
    if (((consumesRead >>> (word & 15)) & 1) === 1) covered += word >>> 4
  }
  // Some aligners leave unmapped reads the CIGAR of a try; samtools does not compare it.
  const mapped = (flags(view, at) & Flag.unmapped) === 0
  if (mapped && count > 0 && bases > 0 && covered !== bases) return `has ${bases} bases and a CIGAR of ${covered}`
  const stop = at + recordSize(view, at)
  let tag = tags + ((bases + 1) >>> 1) + bases
  while (tag < stop) {
    const end = tagEnd(view, tag, stop)
    if (end === -1 || end > stop) return "has a tag that is not whole"
    tag = end
  }
  return null
}

export interface RecordFields {
  readonly name: string
  readonly flags: number
  readonly refId: number
  readonly position: number
  readonly mapq: number
  /** Pairs of length and operation, as in `76M2D24M`; empty for `*`. */
  readonly cigar: ReadonlyArray<
    readonly [length: number, operation: "M" | "I" | "D" | "N" | "S" | "H" | "P" | "=" | "X" | "B"]
  >
  readonly mateRefId: number
  readonly matePosition: number
  readonly templateLength: number
  readonly bases: string
  /** Phred values, one per base; empty when unknown. */
  readonly qualities: ReadonlyArray<number>
  /** Tags of type Z or i. */
  readonly tags: ReadonlyArray<readonly [name: string, value: string | number]>
}

const nibbles = "=ACMGRSVTWYHKDBN"
const codes = Uint8Array.from({ length: 256 }, (_, char) => Math.max(0, nibbles.indexOf(String.fromCharCode(char))))
const operations = "MIDNSHP=XB"
/** Names and tags are ASCII (SAM specification, section 1.4), and a buffer for each would be most of the work. */
const setText = (bytes: Uint8Array, at: number, text: string): void => {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
}

/** The record with its 4-byte length before it. */
export const encodeRecord = (record: RecordFields): Uint8Array => {
  const { name, tags } = record
  const tagBytes = tags.reduce((sum, [, value]) => sum + (typeof value === "number" ? 7 : value.length + 4), 0)
  const packed = (record.bases.length + 1) >>> 1
  const bytes = new Uint8Array(36 + name.length + 1 + 4 * record.cigar.length + packed + record.bases.length + tagBytes)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, bytes.length - 4, true)
  view.setInt32(4, record.refId, true)
  view.setInt32(8, record.position, true)
  view.setUint8(12, name.length + 1)
  view.setUint8(13, record.mapq)
  view.setUint16(16, record.cigar.length, true)
  view.setUint16(18, record.flags, true)
  view.setInt32(20, record.bases.length, true)
  view.setInt32(24, record.mateRefId, true)
  view.setInt32(28, record.matePosition, true)
  view.setInt32(32, record.templateLength, true)
  setText(bytes, 36, name)
  let at = 37 + name.length
  for (const [length, operation] of record.cigar) {
    view.setUint32(at, (length << 4) | operations.indexOf(operation), true)
    at += 4
  }
  for (let i = 0; i < record.bases.length; i++) {
    const code = codes[record.bases.charCodeAt(i) & 0xff]!
    bytes[at + (i >>> 1)]! |= i % 2 === 0 ? code << 4 : code
  }
  at += packed
  if (record.qualities.length === 0) bytes.fill(0xff, at, at + record.bases.length)
  else bytes.set(record.qualities, at)
  at += record.bases.length
  for (const [key, value] of tags) {
    setText(bytes, at, key)
    bytes[at + 2] = typeof value === "number" ? 0x69 : 0x5a
    if (typeof value === "number") view.setInt32(at + 3, value, true)
    else setText(bytes, at + 3, value)
    at += typeof value === "number" ? 7 : value.length + 4
  }
  const stop = record.position < 0 ? 0 : end(view, 0)
  view.setUint16(14, record.position < 0 ? binOf(-1, 0, 14, 5) : binOf(record.position, stop, 14, 5), true)
  return bytes
}
