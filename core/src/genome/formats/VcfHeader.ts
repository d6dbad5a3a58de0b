/** The header lines of a VCF.gz (VCF specification, section 1.4), kept as they are. */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../../Errors.ts"
import { carriageReturn, hash, lineFeed, linesOf, standsAt, startOf } from "../Ascii.ts"
import type { ByteReader } from "../ByteReader.ts"
import { foreignContent, prefixSteps } from "../bgzf/Blocks.ts"
import type { Codec } from "../bgzf/Codec.ts"
import type { VirtualOffset } from "../bgzf/VirtualOffset.ts"
import { decodeName, encodeName } from "../ReferenceName.ts"
import { largestHeader } from "./BamHeader.ts"
import type { SliceMaker } from "./SliceHeader.ts"

/** A header as it stands in a file. */
export interface VcfFileHeader extends VcfHeader {
  /** Where the first record begins. */
  readonly firstRecord: VirtualOffset
}

export interface VcfHeader {
  /** All lines that begin with `#`, and blank lines before `#CHROM`, with their line feeds. */
  readonly text: Uint8Array
  /** Number of its lines. */
  readonly lines: number
  /** References named by `##contig` lines, in order; a VCF need not name any. */
  readonly contigs: ReadonlyArray<VcfContig>
  /** Names of the samples in the `#CHROM` line. */
  readonly samples: ReadonlyArray<string>
}

export interface VcfContig {
  readonly name: string
  /** Bases, where the header says so. */
  readonly length: number | null
}

const signature = "##fileformat=VCF"
export const magic = new TextEncoder().encode(signature)

const encoder = new TextEncoder()
const contigKey = encoder.encode("##contig=")
const columnsKey = encoder.encode("#CHROM")
const decoder = new TextDecoder()

/** The line `[at, end)` has nothing in it but, where lines end with CRLF, the carriage return. */
const isBlank = (bytes: Uint8Array, at: number, end: number): boolean =>
  end === at || (end === at + 1 && bytes[at] === carriageReturn)

/**
 * Where the header ends, -1 when more bytes are needed to know. Blank lines before `#CHROM` belong to it: bcftools
 * skips them, and there are such files. After `#CHROM` a blank line is among the records.
 */
const headerEnd = (bytes: Uint8Array, ended: boolean): number => {
  let at = 0
  let hasColumns = false
  while (at < bytes.length) {
    const end = bytes.indexOf(lineFeed, at)
    if (bytes[at] !== hash) {
      if (hasColumns) return at
      if (end === -1 && !ended && isBlank(bytes, at, bytes.length)) return -1
      if (end === -1 || !isBlank(bytes, at, end)) return at
    }
    if (end === -1) return ended ? bytes.length : -1
    // The lines before it begin with `##`, or the header is refused.
    hasColumns ||= bytes[at] === hash && bytes[at + 1] !== hash
    at = end + 1
  }
  return ended ? at : -1
}

/** Header lines without the blank ones: a slice has none, as one of bcftools. */
export const withoutBlankLines = (text: Uint8Array): Uint8Array => {
  const result = new Uint8Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf(lineFeed, at)
    const end = feed === -1 ? text.length : feed
    if (!isBlank(text, at, end)) {
      const line = text.subarray(at, end + 1)
      result.set(line, length)
      length += line.length
    }
    at = end + 1
  }
  return result.subarray(0, length)
}

/** What stands outside of quotes, in which a backslash hides a quote. */
export const unquoted = (line: string): string =>
  line
    .replaceAll(/\\./g, "")
    .split('"')
    .filter((_, i) => i % 2 === 0)
    .join("")

/** `ID` and `length` of `##contig=<...>`, which may have blanks around them, as for bcftools. */
const contigOf = (line: string): VcfContig | null => {
  const keys = unquoted(line)
  const id = /[<,] *ID *= *([^,> ][^,>]*)/.exec(keys)?.[1]?.trimEnd()
  const length = /[<,] *length *= *(\d+)/.exec(keys)?.[1]
  return id === undefined ? null : { name: id, length: length === undefined ? null : Number(length) }
}

/** Names of the samples where the line is that of the columns; null for any other. */
export const samplesOf = (line: Uint8Array): ReadonlyArray<string> | null =>
  standsAt(line, 0, columnsKey) ? decoder.decode(line).trimEnd().split("\t").slice(9) : null

/** A header out of its lines; null when none of them is that of the columns. Lenient about the lines between the first and the last, as tabix is. */
export const decodeVcfHeader = (text: Uint8Array): VcfHeader | null => {
  const contigs: Array<VcfContig> = []
  let samples: ReadonlyArray<string> | null = null
  let lines = 0
  for (const line of linesOf(text)) {
    lines++
    if (standsAt(line, 0, contigKey)) {
      const contig = contigOf(decodeName(line))
      if (contig !== null) contigs.push(contig)
    } else samples = samplesOf(line) ?? samples
  }
  return samples === null ? null : { text, lines, contigs, samples }
}

/**
 * Reads the header through as few blocks as it needs. Fails with `FileDamaged`: `NotBgzf`, `BadBlock`, `Truncated`, `BadHeader`.
 */
export const readVcfHeader = Effect.fn("svc.genome.readVcfHeader")(function* <E>(
  file: string,
  reader: ByteReader<E>
): Effect.fn.Return<VcfFileHeader, FileDamaged | E, Codec> {
  const bad = (reason: string) => new FileDamaged({ file, fault: "BadHeader", reason })
  const inflate = prefixSteps(file, reader, largestHeader, "BadHeader")
  let wanted = 0x10000
  while (true) {
    const { bytes, ended, offsetOf } = yield* inflate(wanted)
    const first = decoder.decode(bytes.subarray(0, 17))
    if (!first.startsWith(signature)) return yield* bad(`it does not begin with ${signature}: ${foreignContent(bytes)}`)
    const end = headerEnd(bytes, ended)
    if (end === -1) {
      wanted = bytes.length * 2
      continue
    }
    const text = bytes.subarray(0, end)
    const header = decodeVcfHeader(text)
    if (header !== null) return { ...header, firstRecord: offsetOf(end) }
    const stop = end < bytes.length ? ` before line ${[...linesOf(text)].length + 1}, which does not begin with #` : ""
    return yield* bad(`it has no #CHROM line${stop}`)
  }
})

/** In a value between quotes (VCF 4.2, section 1.2). */
const escapeQuotes = (text: string) => text.replaceAll(/[\\"]/g, "\\$&")

const vcfKey = (program: SliceMaker) => `##${program.name}_regions=`

/** VCF header lines with one more before `#CHROM` that names program and regions. */
export const vcfSliceText = (text: Uint8Array, program: SliceMaker, regions: string): Uint8Array => {
  let start = 0
  for (const line of linesOf(text)) if (standsAt(line, 0, columnsKey)) start = startOf(line, text)
  const { origin, version } = program
  const from =
    origin === undefined ? "" : `Command="${escapeQuotes(origin.command)}",Source="${escapeQuotes(origin.source)}",`
  const added = encodeName(`${vcfKey(program)}<Version="${version}",${from}Regions="${regions}">\n`)
  const ended = text[text.length - 1] === lineFeed
  const result = new Uint8Array(text.length + added.length + (ended ? 0 : 1))
  result.set(text.subarray(0, start))
  result.set(added, start)
  result.set(text.subarray(start), start + added.length)
  if (!ended) result[result.length - 1] = lineFeed
  return result
}

/** The regions key of a VCF slice made by `program`, `null` for other files. */
export const vcfRegions = (text: Uint8Array, program: SliceMaker): string | null => {
  const key = encoder.encode(vcfKey(program))
  let found: Uint8Array | null = null
  for (const line of linesOf(text)) if (standsAt(line, 0, key)) found = line
  const line = found === null ? "" : decodeName(found)
  return /,Regions="([^"]*)">$/.exec(line)?.[1] ?? null
}
