/**
 * The records of a file that overlap some intervals, found without any index and without the product: all of the content is read, from
 * the first record to the last, by the definitions of SAM and VCF. Records are their bytes.
 */
import { gunzipSync } from "node:zlib"

/** 0-based, half-open. */
export type Interval = readonly [name: string, start: number, end: number]

interface Scanned {
  /** Empty for what has no reference. */
  readonly name: string
  readonly start: number
  readonly end: number
  readonly bytes: string
}

const [unmapped, softClip] = [4, 4]
const alongReference = "MDN=X"

const endOfRead = (view: DataView, at: number, size: number): number => {
  const start = view.getInt32(at + 8, true)
  if ((view.getUint16(at + 18, true) & unmapped) !== 0) return start + 1
  const bases = view.getInt32(at + 20, true)
  let count = view.getUint16(at + 16, true)
  let first = at + 36 + view.getUint8(at + 12)
  const word = count === 0 ? 0 : view.getUint32(first, true)
  if (count > 0 && word % 16 === softClip && Math.floor(word / 16) === bases) {
    // Of the tags, those that are looked for alone: CG is the last one where there is one.
    const tags = Buffer.from(view.buffer, view.byteOffset + first + 4 * count, at + size - first - 4 * count)
    const cg = tags.lastIndexOf("CGBI", undefined, "latin1")
    if (cg !== -1) {
      first += 4 * count + cg + 8
      count = view.getUint32(first - 4, true)
    }
  }
  let length = 0
  for (let i = 0; i < count; i++) {
    const operation = view.getUint32(first + 4 * i, true)
    if (alongReference.includes("MIDNSHP=XB"[operation % 16] ?? "")) length += Math.floor(operation / 16)
  }
  return start + Math.max(1, length)
}

const readsOf = (content: Buffer): ReadonlyArray<Scanned> => {
  const view = new DataView(content.buffer, content.byteOffset, content.length)
  const names: Array<string> = []
  let at = 12 + view.getUint32(4, true)
  for (let left = view.getUint32(at - 4, true); left > 0; left--) {
    const length = view.getUint32(at, true)
    names.push(content.toString("latin1", at + 4, at + 3 + length))
    at += 8 + length
  }
  const reads: Array<Scanned> = []
  for (let size = 0; at < content.length; at += size) {
    size = 4 + view.getUint32(at, true)
    const start = view.getInt32(at + 8, true)
    const name = names[view.getInt32(at + 4, true)] ?? ""
    reads.push({ name, start, end: endOfRead(view, at, size), bytes: content.toString("latin1", at, at + size) })
  }
  return reads
}

const endOfLine = (start: number, columns: ReadonlyArray<string>): number => {
  const [, , , reference = "", alternatives = "", , , info = "", format = "", ...samples] = columns
  const fields = new Map(info.split(";").map((field) => [field.split("=")[0], field.split("=")[1] ?? ""]))
  const lengths = (fields.get("SVLEN") ?? "").split(",")
  const blockAt = format.split(":").indexOf("LEN")
  const stated = Number.parseInt(fields.get("END") ?? "", 10)
  const ends = [start + reference.length, stated > start ? stated : 0]
  for (const [i, allele] of alternatives.split(",").entries()) {
    if (/^<(?:CNV|DEL|DUP|INV)[:>]/.test(allele)) {
      const length = Math.abs(Number.parseInt(lengths[i] ?? "", 10))
      if (length > 0) ends.push(start + 1 + length)
    }
    if (allele !== "<*>" && allele !== "<NON_REF>") continue
    for (const sample of blockAt === -1 ? [] : samples) {
      const length = Number.parseInt(sample.split(":")[blockAt] ?? "", 10)
      if (length > 0) ends.push(start + length)
    }
  }
  return Math.max(...ends)
}

const linesOf = (content: Buffer): ReadonlyArray<Scanned> =>
  content
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "" && line !== "\r" && !line.startsWith("#"))
    .map((line) => {
      const columns = line.split("\t")
      const start = Math.max(0, Number(columns[1]) - 1)
      return { name: columns[0] ?? "", start, end: endOfLine(start, columns), bytes: line }
    })

/** All records of a file, in its order. */
export const scan = (file: Uint8Array, type: "bam" | "vcf.gz"): ReadonlyArray<Scanned> => {
  const content = gunzipSync(file)
  return type === "bam" ? readsOf(content) : linesOf(content)
}

/** Those that overlap an interval; the reads without a reference too where they are wanted. */
export const overlapping = (
  records: ReadonlyArray<Scanned>,
  intervals: ReadonlyArray<Interval>,
  unplaced = false
): ReadonlyArray<string> =>
  records
    .filter(({ end, name, start }) =>
      name === "" ? unplaced : intervals.some(([own, from, to]) => own === name && start < to && end > from)
    )
    .map(({ bytes }) => bytes)
