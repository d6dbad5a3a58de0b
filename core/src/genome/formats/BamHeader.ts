/** The header of a BAM file: text, reference sequences, and where the records begin (SAM specification, section 4.2). */
import * as Effect from "effect/Effect"
import { FileDamaged } from "../../Errors.ts"
import type { ByteReader } from "../ByteReader.ts"
import { type Inflated, inflatePrefix } from "../bgzf/Blocks.ts"
import type { Codec } from "../bgzf/Codec.ts"
import type * as VirtualOffset from "../bgzf/VirtualOffset.ts"

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
  /** Size in bytes of the whole inflated header: the first record follows. */
  readonly size: number
}

/** Most bytes that a header may inflate to; the largest known assemblies need a tenth. */
export const largestHeader = 0x8000000

/** Deflate cannot shrink bytes by more. */
const bestRatio = 1032

export const magic = Uint8Array.of(0x42, 0x41, 0x4d, 1)

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** What parsing a prefix gives: the header, how many bytes it needs at least, or what is wrong. */
type Parsed = { readonly header: BamHeader } | { readonly need: number } | { readonly wrong: string }

/** Parses the inflated start of a BAM file; `most` is the number of bytes that could follow in all. */
const parseBamHeader = (bytes: Uint8Array, most: number): Parsed => {
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
      name: decoder.decode(bytes.subarray(at + 4, nameEnd - 1)),
      length: view.getUint32(nameEnd, true)
    })
    at = nameEnd + 4
  }
  let textLength = textEnd
  while (textLength > 8 && bytes[textLength - 1] === 0) textLength--
  return { header: { text: bytes.subarray(8, textLength), references, size: at } }
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
  let wanted = 0x10000
  while (true) {
    const prefix: Inflated = yield* inflatePrefix(file, reader, wanted, largestHeader + 0x10000, "BadHeader")
    const parsed = parseBamHeader(prefix.bytes, most)
    if ("header" in parsed) return { ...parsed.header, firstRecord: prefix.offsetOf(parsed.header.size) }
    if ("wrong" in parsed) return yield* new FileDamaged({ file, fault: "BadHeader", reason: parsed.wrong })
    if (prefix.ended) return yield* new FileDamaged({ file, fault: "Truncated", reason: "ends inside its header" })
    // Doubling keeps the work of starting over linear in the size of the header.
    wanted = Math.max(parsed.need, prefix.bytes.length * 2)
  }
})

/** The header as the inflated bytes of a BAM file. */
export const encodeBamHeader = (text: Uint8Array, references: ReadonlyArray<BamReference>): Uint8Array => {
  const names = references.map((reference) => encoder.encode(reference.name))
  const bytes = new Uint8Array(names.reduce((sum, name) => sum + name.length + 9, 12 + text.length))
  const view = new DataView(bytes.buffer)
  bytes.set(magic)
  view.setUint32(4, text.length, true)
  bytes.set(text, 8)
  let at = 8 + text.length
  view.setUint32(at, references.length, true)
  at += 4
  for (const [i, name] of names.entries()) {
    view.setUint32(at, name.length + 1, true)
    bytes.set(name, at + 4)
    at += name.length + 5
    view.setUint32(at, references[i]!.length, true)
    at += 4
  }
  return bytes
}
