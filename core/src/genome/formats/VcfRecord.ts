/** The place and the columns of a VCF line, read from its bytes (VCF specification, section 1.6.1). */
import { carriageReturn, digitsIn, standsAt, tab } from "../Ascii.ts"
import { decodeName } from "../ReferenceName.ts"

export interface VcfPlace {
  readonly name: string
  /** 0-based; POS 0, which stands for a telomere, counts as 1. */
  readonly start: number
  /** 0-based, after the last base by whatever goes furthest, as for htslib since 1.22 whatever the version of the file: REF, END, SVLEN and LEN. */
  readonly end: number
  /** The same by REF or END alone, as for htslib before that: an index may have been made so. */
  readonly plainEnd: number
}

const plus = 0x2b
const comma = 0x2c
const minus = 0x2d
const colon = 0x3a
const semicolon = 0x3b
const less = 0x3c
const greater = 0x3e
const encoder = new TextEncoder()

/** Columns of a line, counted from 0. */
const [position, reference, alternative, information, format] = [1, 3, 4, 7, 8]

/** Columns that a line has to have in a file of so many samples. */
const leastColumns = (samples: number): number => (samples === 0 ? 8 : 9 + samples)

/** Tabs in `[at, stop)`. */
export const tabsIn = (bytes: Uint8Array, at: number, stop: number): number => {
  let tabs = 0
  for (let i = at; i < stop; i++) if (bytes[i] === tab) tabs++
  return tabs
}

/** Empty columns that end the line `[at, stop)`, which has no line feed. */
export const emptyAtEnd = (bytes: Uint8Array, at: number, stop: number): number => {
  let end = stop
  if (bytes[end - 1] === carriageReturn) end--
  let empty = 0
  while (end - empty > at && bytes[end - 1 - empty] === tab) empty++
  return empty
}

/**
 * Why tools refuse a line of so many columns, `empty` of them empty ones at its end, as words after "of" or "has"; null when they do
 * not. bcftools reads lines that end with tabs, and any that are longer where the header has no samples.
 */
export const columnsFault = (samples: number, columns: number, empty: number): string | null => {
  const least = leastColumns(samples)
  const fits = columns >= least && (samples === 0 || columns - empty <= least)
  return fits ? null : `${columns} columns, and ${least} are expected`
}

/** One more than a line without samples has to have: some writers end it with a tab. */
export const mostSiteColumns = leastColumns(0) + 1

/** Symbolic alleles whose SVLEN counts bases of the reference; an insertion has its bases elsewhere. */
const spanning = ["CNV", "DEL", "DUP", "INV"].map((name) => encoder.encode(`<${name}`))
/** Alleles of reference blocks, whose LEN counts bases. */
const blocks = ["<*>", "<NON_REF>"].map((name) => encoder.encode(name))
const endKey = encoder.encode("END=")
const lengthKey = encoder.encode("SVLEN=")
const blockKey = encoder.encode("LEN")

/** No BCF can hold a larger value, and such a one counts as missing. */
const largestValue = 0x7fffffff

/** The digits that `[at, stop)` begins with as a number, NaN when there are none. A CR or a second value may follow. */
const firstNumber = (line: Uint8Array, at: number, stop: number): number => {
  let end = at
  while (end < stop && line[end]! >= 0x30 && line[end]! <= 0x39) end++
  return digitsIn(line, at, end)
}

/** A length, 0 when there is none; deletions have had a negative one. */
const lengthIn = (line: Uint8Array, at: number, stop: number): number => {
  const signed = line[at] === minus || line[at] === plus
  const length = firstNumber(line, signed ? at + 1 : at, stop)
  return length <= largestValue ? length : 0
}

const startsWith = (line: Uint8Array, at: number, stop: number, text: Uint8Array): boolean =>
  at + text.length <= stop && standsAt(line, at, text)

/** Where the next `separator` from `at` on stands, `stop` when there is none before it. */
const next = (line: Uint8Array, at: number, stop: number, separator: number): number => {
  const found = line.indexOf(separator, at)
  return found === -1 || found > stop ? stop : found
}

/** Where the value of a key of the INFO field `[at, stop)` begins, -1 when it is not there. */
const valueAt = (line: Uint8Array, at: number, stop: number, key: Uint8Array): number => {
  for (let i = at; i < stop; i = next(line, i, stop, semicolon) + 1) {
    if (startsWith(line, i, stop, key)) return i + key.length
  }
  return -1
}

const isSpanning = (line: Uint8Array, at: number, stop: number): boolean =>
  spanning.some((name) => startsWith(line, at, stop, name)) &&
  (line[at + 4] === greater || line[at + 4] === colon) &&
  line[stop - 1] === greater

const isBlock = (line: Uint8Array, at: number, stop: number): boolean =>
  blocks.some((name) => stop - at === name.length && startsWith(line, at, stop, name))

/** The longest LEN of the samples, 0 when there is none; `at` is where the FORMAT column begins. */
const blockLength = (line: Uint8Array, at: number): number => {
  const formatEnd = next(line, at, line.length, tab)
  let key = 0
  let i = at
  for (; i < formatEnd; key++) {
    const stop = next(line, i, formatEnd, colon)
    if (stop - i === blockKey.length && startsWith(line, i, stop, blockKey)) break
    i = stop + 1
  }
  if (i >= formatEnd) return 0
  let longest = 0
  for (let sample = formatEnd + 1; sample < line.length; ) {
    const stop = next(line, sample, line.length, tab)
    let value = sample
    for (let skipped = 0; skipped < key && value < stop; skipped++) value = next(line, value, stop, colon) + 1
    if (value < stop) longest = Math.max(longest, lengthIn(line, value, stop))
    sample = stop + 1
  }
  return longest
}

/** Where a column begins; `stops` are the ends of the columns. */
const beginOf = (stops: ReadonlyArray<number>, column: number): number => stops[column - 1]! + 1

/** Bases that the alleles span by SVLEN, of which each has one, and by LEN; 0 when none does. */
const lengthOf = (line: Uint8Array, stops: ReadonlyArray<number>): number => {
  const alleles = beginOf(stops, alternative)
  const allelesEnd = stops[alternative]!
  if (!line.subarray(alleles, allelesEnd).includes(less)) return 0
  const info = stops[information]!
  let value = valueAt(line, beginOf(stops, information), info, lengthKey)
  const valuesEnd = value === -1 ? -1 : next(line, value, info, semicolon)
  let longest = 0
  for (let allele = alleles; allele < allelesEnd; ) {
    const stop = next(line, allele, allelesEnd, comma)
    if (isSpanning(line, allele, stop) && value !== -1 && value < valuesEnd) {
      const length = lengthIn(line, value, valuesEnd)
      // The base before the event is at POS.
      if (length > 0) longest = Math.max(longest, length + 1)
    }
    if (isBlock(line, allele, stop)) longest = Math.max(longest, blockLength(line, info + 1))
    if (value !== -1 && value < valuesEnd) value = next(line, value, valuesEnd, comma) + 1
    allele = stop + 1
  }
  return longest
}

/**
 * Reads a line without its line feed; `null` when it is not a VCF line. An END that does not lie after POS says nothing.
 */
export const placeOf = (line: Uint8Array): VcfPlace | null => {
  const stops: Array<number> = []
  for (let i = 0; i < format; i++) {
    const from = i === 0 ? 0 : beginOf(stops, i)
    const found = line.indexOf(tab, from)
    if (found === -1 && i < information) return null
    stops.push(found === -1 ? line.length : found)
  }
  const pos = digitsIn(line, beginOf(stops, position), stops[position]!)
  if (Number.isNaN(pos) || stops[0] === 0) return null
  const start = Math.max(0, pos - 1)
  const value = valueAt(line, beginOf(stops, information), stops[information]!, endKey)
  const digits = value !== -1 && line[value] === plus ? value + 1 : value
  const stated = digits === -1 ? Number.NaN : firstNumber(line, digits, stops[information]!)
  const ofReference = start + (stops[reference]! - beginOf(stops, reference))
  const plainEnd = stated > start ? stated : ofReference
  return {
    name: decodeName(line.subarray(0, stops[0])),
    start,
    end: Math.max(plainEnd, ofReference, start + lengthOf(line, stops)),
    plainEnd
  }
}
