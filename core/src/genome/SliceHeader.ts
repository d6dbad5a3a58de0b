/** Headers of slices: the header of the source, and a record of what was taken from it. */

import type { Codec } from "./Codec.ts"
import type { BamHeader } from "./formats/BamHeader.ts"

/** Who makes a slice. */
export interface Program {
  readonly name: string
  readonly version: string
  /** What was run, and on what; never with a link or a secret in it. */
  readonly origin?: { readonly command: string; readonly source: string }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Regions longer than this are given by number and checksum, so that a header stays readable (characters). */
const longestRegions = 4096

/**
 * The regions, given in pieces, as they stand in a header: the text itself, or for a long list its length and CRC-32. Equal
 * regions give equal keys, so an existing slice can be compared with what is wanted now.
 */
export const regionsKey = (regions: Iterable<string>, crc32: Codec["Service"]["crc32"]): string => {
  let text: string | null = ""
  let count = 1
  let sum = 0
  for (const piece of regions) {
    for (let at = piece.indexOf(" "); at !== -1; at = piece.indexOf(" ", at + 1)) count++
    sum = crc32(encoder.encode(piece), sum)
    if (text !== null) text = text.length + piece.length > longestRegions ? null : text + piece
  }
  return text ?? `${count} regions, CRC-32 ${sum.toString(16).padStart(8, "0")}`
}

const tagOf = (line: string, tag: string): string | undefined =>
  line
    .split("\t")
    .find((field) => field.startsWith(`${tag}:`))
    ?.slice(3)

const programLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.startsWith("@PG\t"))

const regionsPrefix = "regions "
/** Between the regions and what they were cut from. No name of a reference has a space. */
const sourcePrefix = "; source "

/**
 * The text of a BAM header with one more `@PG`: PP names the program before it, CL the command, DS the regions and the
 * source (SAM specification, section 1.3).
 */
export const bamSliceText = (header: BamHeader, program: Program, regions: string): Uint8Array => {
  const text = decoder.decode(header.text)
  const lines = programLines(text)
  const ids = lines.map((line) => tagOf(line, "ID"))
  const before = new Set(lines.map((line) => tagOf(line, "PP")))
  // The end of the chain; in several chains the last.
  const previous = ids.findLast((id) => id !== undefined && !before.has(id)) ?? ids[ids.length - 1]
  let id = program.name
  for (let i = 1; ids.includes(id); i++) id = `${program.name}.${i}`
  const pp = previous === undefined ? "" : `\tPP:${previous}`
  const { origin } = program
  const cl = origin === undefined ? "" : `\tCL:${origin.command}`
  const ds = `${regionsPrefix}${regions}${origin === undefined ? "" : `${sourcePrefix}${origin.source}`}`
  const line = `@PG\tID:${id}\tPN:${program.name}\tVN:${program.version}${pp}${cl}\tDS:${ds}\n`
  const own = header.text
  const joint = own.length === 0 || own[own.length - 1] === 0x0a ? "" : "\n"
  const added = encoder.encode(joint + line)
  const result = new Uint8Array(own.length + added.length)
  result.set(own)
  result.set(added, own.length)
  return result
}

/** The regions key of a BAM slice made by `program`, `null` for other files. */
export const bamRegions = (header: BamHeader, program: Program): string | null => {
  const line = programLines(decoder.decode(header.text)).findLast((one) => tagOf(one, "PN") === program.name)
  const description = line === undefined ? undefined : tagOf(line, "DS")
  if (description?.startsWith(regionsPrefix) !== true) return null
  return description.slice(regionsPrefix.length).split(sourcePrefix)[0] ?? null
}

/** In a value between quotes (VCF 4.2, section 1.2). */
const escaped = (text: string) => text.replaceAll(/[\\"]/g, "\\$&")

const vcfKey = (program: Program) => `##${program.name}_regions=`

/** VCF header lines with one more before `#CHROM` that names program and regions. */
export const vcfSliceText = (text: Uint8Array, program: Program, regions: string): Uint8Array => {
  const lines = decoder.decode(text).split("\n")
  const at = lines.findLastIndex((line) => line.startsWith("#CHROM"))
  const start = encoder.encode(
    lines
      .slice(0, at)
      .map((line) => `${line}\n`)
      .join("")
  ).length
  const { origin, version } = program
  const from = origin === undefined ? "" : `Command="${escaped(origin.command)}",Source="${escaped(origin.source)}",`
  const added = encoder.encode(`${vcfKey(program)}<Version="${version}",${from}Regions="${regions}">\n`)
  const ended = text[text.length - 1] === 0x0a
  const result = new Uint8Array(text.length + added.length + (ended ? 0 : 1))
  result.set(text.subarray(0, start))
  result.set(added, start)
  result.set(text.subarray(start), start + added.length)
  if (!ended) result[result.length - 1] = 0x0a
  return result
}

/** The regions key of a VCF slice made by `program`, `null` for other files. */
export const vcfRegions = (text: Uint8Array, program: Program): string | null => {
  const line = decoder
    .decode(text)
    .split("\n")
    .findLast((one) => one.startsWith(vcfKey(program)))
  return /,Regions="([^"]*)">$/.exec(line ?? "")?.[1] ?? null
}
