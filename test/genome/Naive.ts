/**
 * BAM and VCF read in the plainest way, from the first byte to the last, without any index and without the product, by the definitions of
 * SAM and VCF: what slices are compared with, also those of hostile files.
 */
import { gunzipSync } from "node:zlib"
import type { ReferenceRegions } from "../../core/src/genome/regions/Regions.ts"

export interface NaiveRecord {
  /** Number of the reference, -1 for none. */
  readonly ref: number
  /** 0-based, half-open. */
  readonly start: number
  readonly end: number
  readonly mapped: boolean
  /** Place in the inflated bytes. */
  readonly at: number
  /** A line without its line feed. */
  readonly bytes: Uint8Array
}

export interface NaiveFile {
  readonly references: ReadonlyArray<string>
  /** The sound ones, in file order. */
  readonly records: ReadonlyArray<NaiveRecord>
  /** True when each record ends where the next one begins. */
  readonly chained: boolean
  /** True when nothing is wrong with any of them. */
  readonly sound: boolean
  readonly sorted: boolean
  /** True when each line has as many columns as the header names. Slices may take others, and refuse those that lie in two blocks. */
  readonly even: boolean
}

/** All inflated bytes of a BGZF file. */
export const inflated = (bytes: Uint8Array): Uint8Array => new Uint8Array(gunzipSync(bytes))

const ordered = (records: ReadonlyArray<NaiveRecord>): boolean => {
  const rank = ({ ref }: NaiveRecord) => (ref < 0 ? Number.POSITIVE_INFINITY : ref)
  return records.every((record, i) => {
    const before = records[i - 1]
    if (before === undefined || rank(before) < rank(record)) return true
    return rank(before) === rank(record) && (record.ref < 0 || before.start <= record.start)
  })
}

const movesAlongReference = [true, false, true, true, false, false, false, true, true, false]

const [unmapped, softClip] = [4, 4]

const bamEnd = (view: DataView, at: number, size: number, start: number): number => {
  if ((view.getUint16(at + 18, true) & unmapped) !== 0) return start + 1
  let [first, count] = [at + 36 + view.getUint8(at + 12), view.getUint16(at + 16, true)]
  const clip = count === 0 ? 0 : view.getUint32(first, true)
  if (clip % 16 === softClip && Math.floor(clip / 16) === view.getInt32(at + 20, true)) {
    // The CIGAR itself may be in the tag CG: of the tags, it alone is looked for.
    const tags = first + 4 * count
    const cg = Buffer.from(view.buffer, view.byteOffset + tags, at + size - tags).lastIndexOf(
      "CGBI",
      undefined,
      "latin1"
    )
    if (cg !== -1) {
      first = tags + cg + 8
      count = view.getUint32(first - 4, true)
    }
  }
  let length = 0
  for (let i = 0; i < count; i++) {
    const word = view.getUint32(first + 4 * i, true)
    if (movesAlongReference[word % 16] === true) length += Math.floor(word / 16)
  }
  return start + Math.max(1, length)
}

/** Null without a header. */
export const readBam = (bytes: Uint8Array): NaiveFile | null => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const references: Array<string> = []
  let at = 8
  try {
    if (view.getUint32(0) !== 0x42414d01) return null
    at += view.getUint32(4, true) + 4
    for (let left = view.getUint32(at - 4, true); left > 0; left--) {
      const length = view.getUint32(at, true)
      if (length < 2 || view.getUint8(at + 3 + length) !== 0) return null
      references.push(new TextDecoder().decode(bytes.subarray(at + 4, at + 3 + length)))
      view.getUint32(at + 4 + length, true)
      at += 8 + length
    }
  } catch {
    return null
  }
  const records: Array<NaiveRecord> = []
  let sound = true
  while (at + 4 <= bytes.length) {
    const size = view.getUint32(at, true) + 4
    if (size < 36 || at + size > bytes.length) break
    const [ref, start] = [view.getInt32(at + 4, true), view.getInt32(at + 8, true)]
    const [name, cigar, bases] = [view.getUint8(at + 12), view.getUint16(at + 16, true), view.getInt32(at + 20, true)]
    const fits = name > 0 && bases >= 0 && 36 + name + 4 * cigar + Math.ceil(bases / 2) + bases <= size
    if (fits && ref >= -1 && ref < references.length && start >= -1) {
      const mapped = (view.getUint16(at + 18, true) & unmapped) === 0
      records.push({ ref, start, end: bamEnd(view, at, size, start), mapped, at, bytes: bytes.subarray(at, at + size) })
    } else sound = false
    at += size
  }
  const chained = at === bytes.length
  return { references, records, chained, sound: sound && chained, sorted: ordered(records), even: true }
}

/** Bases that the alleles of a line span by SVLEN and LEN. */
const spanOf = ([, , , , alternatives = "", , , info = "", format = "", ...samples]: ReadonlyArray<string>): number => {
  const lengths = /(?:^|;)SVLEN=([^;]*)/.exec(info)?.[1]?.split(",") ?? []
  const key = format.split(":").indexOf("LEN")
  const spans = alternatives.split(",").map((allele, i) => {
    if (/^<(DEL|DUP|INV|CNV)(:.*)?>$/.test(allele)) {
      const length = Number(/^[-+]?(\d+)/.exec(lengths[i] ?? "")?.[1] ?? 0)
      return length === 0 || length > 2 ** 31 - 1 ? 0 : length + 1
    }
    if (allele !== "<*>" && allele !== "<NON_REF>") return 0
    const blocks = samples.map((sample) => Number(/^[-+]?(\d+)/.exec(sample.split(":")[key] ?? "")?.[1] ?? 0))
    return Math.max(0, ...blocks.filter((length) => length < 2 ** 31))
  })
  return Math.max(...spans)
}

/** `names` gives the references; without it they come as the file has them. Null without a header. */
export const readVcf = (bytes: Uint8Array, names?: ReadonlyArray<string>): NaiveFile | null => {
  const references = [...(names ?? [])]
  const records: Array<NaiveRecord> = []
  let [sound, header, titled] = [true, true, false]
  let [samples, even] = [0, true]
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(10, at)
    const stop = feed === -1 ? bytes.length : feed
    const next = feed === -1 ? stop : stop + 1
    const line = Buffer.from(bytes.buffer, bytes.byteOffset + at, stop - at).toString("latin1")
    const place = at
    at = next
    if (place === 0 && !line.startsWith("##fileformat=VCF")) return null
    if (line.startsWith("#")) {
      if (header && line.startsWith("#CHROM")) {
        titled = true
        samples = Math.max(0, line.split("\t").length - 9)
      }
      continue
    }
    header = false
    if (line === "") continue
    const columns = line.split("\t")
    const [name = "", pos = "", , ref = "", , , , info] = columns
    if (columns.length !== 9 + samples && (samples > 0 || columns.length !== 8)) even = false
    if (info === undefined || name === "" || !/^\d+$/.test(pos)) {
      sound = false
      continue
    }
    const start = Math.max(0, Number(pos) - 1)
    const told = /(?:^|;)END=(\d*)/.exec(info)?.[1] ?? ""
    const stated = told !== "" && Number(told) > start ? Number(told) : start + ref.length
    const end = Math.max(stated, start + ref.length, start + spanOf(columns))
    const own = Buffer.from(name, "latin1").toString("utf8")
    if (!references.includes(own) && names === undefined) references.push(own)
    const number = references.indexOf(own)
    if (number === -1) sound = false
    else records.push({ ref: number, start, end, mapped: true, at: place, bytes: bytes.subarray(place, stop) })
  }
  return titled ? { references, records, chained: true, sound, sorted: ordered(records), even } : null
}

/** A healthy file. */
export const scan = (file: Uint8Array, type: "bam" | "vcf.gz"): NaiveFile => {
  const found = type === "bam" ? readBam(inflated(file)) : readVcf(inflated(file))
  if (found === null) throw new Error(`this ${type} has no header`)
  return found
}

/** Records as text, which is compared byte for byte. */
export const textsOf = ({ records }: Pick<NaiveFile, "records">): ReadonlyArray<string> =>
  records.map(({ bytes }) => Buffer.from(bytes).toString("latin1"))

/** 0-based, half-open. */
export type Interval = readonly [name: string, start: number, end: number]

/** Those that overlap an interval, as text; the reads without a reference too where they are wanted. */
export const overlapping = (
  { records, references }: NaiveFile,
  intervals: ReadonlyArray<Interval>,
  unplaced = false
): ReadonlyArray<string> => {
  const isWanted = ({ end, ref, start }: NaiveRecord) =>
    ref === -1 ? unplaced : intervals.some(([name, from, to]) => name === references[ref] && start < to && end > from)
  return textsOf({ records: records.filter(isWanted) })
}

/** The records of the regions, and those without a place when they are wanted. */
export const filtered = (
  records: ReadonlyArray<NaiveRecord>,
  regions: ReadonlyArray<ReferenceRegions>,
  unplaced: boolean
): ReadonlyArray<NaiveRecord> =>
  records.filter(({ end, ref, start }) => {
    if (ref === -1) return unplaced
    const bounds = Array.from(regions.find((one) => one.ref === ref)?.bounds ?? [])
    return bounds.some((from, i) => i % 2 === 0 && start < (bounds[i + 1] ?? 0) && end > from)
  })

const same = (a: NaiveRecord | undefined, b: NaiveRecord | undefined) =>
  a !== undefined && b !== undefined && Buffer.compare(a.bytes, b.bytes) === 0

/** What a slice holds and should not, or lacks; null when it is right. With `all` it must have all, else some, in order. */
export const difference = (
  found: ReadonlyArray<NaiveRecord>,
  wanted: ReadonlyArray<NaiveRecord>,
  all: boolean
): string | null => {
  let next = 0
  for (const [i, record] of found.entries()) {
    while (next < wanted.length && !same(record, wanted[next])) {
      if (all) return `record ${i + 1} of the slice is not the next wanted one`
      next++
    }
    if (next === wanted.length) return `record ${i + 1} of the slice is none of the wanted ones`
    next++
  }
  return all && next < wanted.length ? `the slice has ${found.length} of ${wanted.length} records` : null
}
