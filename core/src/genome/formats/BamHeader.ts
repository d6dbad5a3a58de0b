/** The header of a BAM file: text, reference sequences, and where the records begin (SAM specification, section 4.2); and that of its slices. */

import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import { FileDamaged } from "../../Errors.ts"
import { linesOf, standsAt } from "../Ascii.ts"
import type { ByteReader } from "../ByteReader.ts"
import { type Inflated, prefixSteps } from "../bgzf/Blocks.ts"
import type { Codec } from "../bgzf/Codec.ts"
import type * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { decodeName, encodeName } from "../ReferenceName.ts"
import type { SliceMaker } from "./SliceHeader.ts"

export interface BamReference {
  readonly name: string
  /** Bases. */
  readonly length: number
}

/** A header as it stands in a file. */
export interface BamFileHeader extends BamHeader {
  /** Where the first record begins, or would. */
  readonly firstRecord: VirtualOffset.VirtualOffset
}

export interface BamHeader {
  /** The text as it stands in the file; bytes, since not all writers use UTF-8. */
  readonly text: Uint8Array
  readonly references: ReadonlyArray<BamReference>
  /** Number, names and lengths of the references as they stand in the file. */
  readonly list: Uint8Array
  /** Size in bytes of the whole inflated header: the first record follows. */
  readonly size: number
}

/** Most bytes that a header may inflate to: assemblies of millions of contigs need some hundred million. */
export const largestHeader = 0x20000000

/** Deflate cannot shrink bytes by more. */
const bestRatio = 1032

export const magic = Uint8Array.of(0x42, 0x41, 0x4d, 1)

const encoder = new TextEncoder()

/** What parsing a prefix gives: the header, how many bytes it needs at least, or what is wrong. */
type Parsed = { readonly header: BamHeader } | { readonly need: number } | { readonly wrong: string }

/** Parses the inflated start of a BAM file; `most` is the number of bytes that could follow in all. */
const parsePrefix = (bytes: Uint8Array, most: number): Parsed => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let i = 0; i < Math.min(4, bytes.length); i++) {
    if (bytes[i] !== magic[i]) return { wrong: "it does not begin with the BAM signature" }
  }
  if (bytes.length < 8) return { need: 8 }
  const textEnd = 8 + view.getUint32(4, true)
  if (textEnd + 4 > most) return { wrong: `its text claims ${textEnd - 8} bytes, more than the file can hold` }
  if (bytes.length < textEnd + 4) return { need: textEnd + 4 }
  const count = view.getUint32(textEnd, true)
  if (textEnd + 4 + count * 10 > most) return { wrong: `it claims ${count} references, more than the file can hold` }
  if (bytes.length < textEnd + 4 + count * 10) return { need: textEnd + 4 + count * 10 }
  const references: Array<BamReference> = []
  let at = textEnd + 4
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) return { need: at + (count - i) * 10 }
    const nameEnd = at + 4 + view.getUint32(at, true)
    if (nameEnd + 4 > most) return { wrong: `the name of reference ${i + 1} is longer than the file` }
    if (nameEnd + 4 > bytes.length) return { need: nameEnd + 4 + (count - i - 1) * 10 }
    if (nameEnd < at + 6 || bytes[nameEnd - 1] !== 0) return { wrong: `the name of reference ${i + 1} has no end` }
    references.push({
      name: decodeName(bytes.subarray(at + 4, nameEnd - 1)),
      length: view.getUint32(nameEnd, true)
    })
    at = nameEnd + 4
  }
  let textLength = textEnd
  while (textLength > 8 && bytes[textLength - 1] === 0) textLength--
  return { header: { text: bytes.subarray(8, textLength), references, list: bytes.subarray(textEnd, at), size: at } }
}

/** The name that two references have, cut where it is long; null when there is none. */
const firstRepeated = (references: ReadonlyArray<BamReference>): string | null => {
  const names = new Set<string>()
  for (const { name } of references) {
    if (names.has(name)) return name.slice(0, 60)
    names.add(name)
  }
  return null
}

/**
 * Reads the header through as few blocks as it needs. Fails with `FileDamaged`: `NotBgzf`, `BadBlock`, `Truncated`,
 * `BadHeader`.
 */
export const readBamHeader = Effect.fn("svc.genome.readBamHeader")(function* <E>(
  file: string,
  reader: ByteReader<E>
): Effect.fn.Return<BamFileHeader, FileDamaged | E, Codec> {
  const most = Math.min(largestHeader, reader.size * bestRatio)
  const inflate = prefixSteps(file, reader, largestHeader + 0x10000, "BadHeader")
  let wanted = 0x10000
  while (true) {
    const prefix: Inflated = yield* inflate(wanted)
    const parsed = parsePrefix(prefix.bytes, most)
    if ("header" in parsed) {
      const twice = firstRepeated(parsed.header.references)
      const reason = `its header has the reference ${twice} twice`
      if (twice !== null) return yield* new FileDamaged({ file, fault: "BadHeader", reason })
      return { ...parsed.header, firstRecord: prefix.offsetOf(parsed.header.size) }
    }
    if ("wrong" in parsed) return yield* new FileDamaged({ file, fault: "BadHeader", reason: parsed.wrong })
    if (prefix.ended) return yield* new FileDamaged({ file, fault: "Truncated", reason: "ends inside its header" })
    // References are parsed from the first one each time: their bytes grow by a half or more, so that this stays linear.
    wanted = Math.max(parsed.need, prefix.bytes.length + (prefix.bytes.length >>> 1))
  }
})

/** A header out of its inflated bytes; null when they are none. */
export const decodeBamHeader = (bytes: Uint8Array): BamHeader | null => {
  const parsed = parsePrefix(bytes, bytes.length)
  return "header" in parsed ? parsed.header : null
}

/** The inflated bytes that a BAM file begins with, its text in parts; `list` as in a `BamHeader`. */
export const joinBamHeader = (list: Uint8Array, ...texts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = Bytes.concat([magic, new Uint8Array(4), ...texts, list])
  new DataView(bytes.buffer).setUint32(4, bytes.length - 8 - list.length, true)
  return bytes
}

/** The same for a file that is made. */
export const encodeBamHeader = (text: Uint8Array, references: ReadonlyArray<BamReference>): Uint8Array => {
  const names = references.map((reference) => encodeName(reference.name))
  const list = new Uint8Array(names.reduce((sum, name) => sum + name.length + 9, 4))
  const view = new DataView(list.buffer)
  view.setUint32(0, references.length, true)
  let at = 4
  for (const [i, name] of names.entries()) {
    view.setUint32(at, name.length + 1, true)
    list.set(name, at + 4)
    at += name.length + 5
    view.setUint32(at, references[i]!.length, true)
    at += 4
  }
  return joinBamHeader(list, text)
}

const tagOf = (line: string, tag: string): string | undefined =>
  line
    .split("\t")
    .find((field) => field.startsWith(`${tag}:`))
    ?.slice(3)

const programKey = encoder.encode("@PG\t")

const programLines = (text: Uint8Array): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const line of linesOf(text)) if (standsAt(line, 0, programKey)) lines.push(decodeName(line))
  return lines
}

const regionsPrefix = "regions "
/** Between the regions and what they were cut from. */
const sourcePrefix = "; source "

/**
 * The header with one more `@PG`: PP names the program before it, CL the command, DS the regions and the
 * source (SAM specification, section 1.3).
 */
export const bamSliceHeader = (header: BamHeader, program: SliceMaker, regions: string): Uint8Array => {
  const lines = programLines(header.text)
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
  return joinBamHeader(header.list, own, encodeName(joint + line))
}

/** The regions key of a BAM slice made by `program`, `null` for other files. */
export const bamRegions = (header: BamHeader, program: SliceMaker): string | null => {
  const line = programLines(header.text).findLast((one) => tagOf(one, "PN") === program.name)
  const description = line === undefined ? undefined : tagOf(line, "DS")
  if (description?.startsWith(regionsPrefix) !== true) return null
  return description.slice(regionsPrefix.length).split(sourcePrefix)[0] ?? null
}
