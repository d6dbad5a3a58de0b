/**
 * VCF.gz: variants as lines of text in BGZF, with TBI or CSI (VCF specification, section 1; tabix specification). Its lines are
 * walked: their number of columns, and the first two of them (section 1.6.1).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { counted } from "../../text/Quantity.ts"
import { carriageReturn, digitsIn, hash, lineFeed, standsAt, tab } from "../Ascii.ts"
import type { RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import type { TabixColumns, TabixIndex } from "../index/TabixIndex.ts"
import { decodeName } from "../ReferenceName.ts"
import type { KnownReference } from "../regions/Regions.ts"
import * as FileNames from "./FileNames.ts"
import type { Format, Telling } from "./Format.ts"
import { largestRecord, recordFormat } from "./RecordFormats.ts"
import { Audience, recordWalk, type WalkedRecords } from "./RecordWalk.ts"
import { magic, readVcfHeader, type VcfHeader, vcfRegions, vcfSliceText, withoutBlankLines } from "./VcfHeader.ts"
import { columnsFault, emptyAtEnd, placeOf, tabsIn } from "./VcfRecord.ts"

/** Most bytes of the name of a reference that are looked at. */
const enough = 0x10000

/**
 * @param samples - each line has a column for each of them after the first nine
 */
export const vcfWalk = (samples: number, listeners: ReadonlyArray<RecordListener> = []): RecordCheck => {
  const counts = new Map<string, number>()
  const audience = new Audience(listeners)
  let records = 0
  let sorted = true
  let name = ""
  let nameBytes = new Uint8Array(0)
  let ofName = 0
  /** Its number, by appearance. */
  let reference = -1
  let lastPosition = -1
  /** The header is at its end: blank lines in it are passed over. */
  let hasColumns = false

  const change = (line: Uint8Array, stop: number) => {
    if (name !== "") counts.set(name, ofName)
    name = decodeName(line.subarray(0, stop))
    nameBytes = line.slice(0, stop)
    // All records of a reference must stand together.
    if (counts.has(name)) sorted = false
    reference = counts.size
    ofName = counts.get(name) ?? 0
    lastPosition = -1
  }

  const judge: WalkedRecords["judge"] = ({ bytes }, at, size, place) => {
    const line = bytes.subarray(at, at + size - 1)
    if (line[0] === hash) {
      hasColumns ||= line[1] !== hash
      return null
    }
    if (line.length === 0 || (line.length === 1 && line[0] === carriageReturn)) {
      return hasColumns
        ? `has a blank line after ${counted(records, "record")}, which bcftools does not read as one`
        : null
    }
    records++
    const wrong = `has a line that is not a VCF record (number ${records})`
    const fault = columnsFault(samples, tabsIn(line, 0, line.length) + 1, emptyAtEnd(line, 0, line.length))
    if (fault !== null) return `has a line (number ${records}) of ${fault}`
    const same = name !== "" && standsAt(line, 0, nameBytes) && line[nameBytes.length] === tab
    const first = same ? nameBytes.length : line.indexOf(tab)
    if (first < 1) return wrong
    const second = line.indexOf(tab, first + 1)
    const position = digitsIn(line, first + 1, second)
    if (second === -1 || Number.isNaN(position)) return wrong
    if (!same) change(line, first)
    ofName++
    if (position < lastPosition) sorted = false
    lastPosition = position
    if (!sorted) audience.end()
    if (audience.isThere) {
      audience.enter(reference, name, place)
      // POS 0 stands for the telomere, before the first base.
      const start = Math.max(0, position - 1)
      const { end, plainEnd } = placeOf(line) ?? { end: start + 1, plainEnd: start + 1 }
      audience.hear(start, end, true, place, plainEnd)
    }
    return null
  }

  return recordWalk(
    {
      format: recordFormat({ format: "VCF", names: [], samples }),
      skip: 0,
      judge,
      refuse: () => `has a line (number ${records + 1}) of more than ${largestRecord} bytes`,
      counts: () => ({
        records,
        ofReference: new Map(name === "" ? counts : [...counts, [name, ofName]]),
        withoutPosition: new Map(),
        unplaced: 0,
        sorted
      })
    },
    audience
  )
}

/** The columns of a VCF in its index, as `tabix -p vcf` writes them; `names[i]` is reference `i`. */
export const vcfColumns = (names: ReadonlyArray<string>): TabixColumns => ({
  ...{ format: 2, name: 1, begin: 2, end: 0, meta: 0x23, skip: 0 },
  names
})

const settingNames = {
  format: "preset",
  name: "sequence column",
  begin: "begin column",
  end: "end column",
  meta: "meta character",
  skip: "skipped lines"
} as const

const settingText = (key: keyof typeof settingNames, value: number): string =>
  key === "meta" && value > 0x20 && value < 0x7f ? `"${String.fromCharCode(value)}"` : `${value}`

/**
 * The columns of an index, or why it cannot be that of a VCF: it has bins for other positions, and readers of it lose records. With the
 * preset of VCF htslib reads no end column (`tabix -e`), and lines that it skipped (`-S`) do no harm within the header.
 *
 * @param headerLines - lines of the header
 */
const vcfColumnsOf = ({ columns }: TabixIndex, headerLines: number): Result.Result<TabixColumns, string> => {
  if (columns === null) return Result.fail("it is an index of a BAM file")
  const own = vcfColumns(columns.names)
  const isPreset = columns.format === own.format
  const isHarmless = (key: keyof typeof settingNames) =>
    isPreset && (key === "end" || (key === "skip" && columns.skip <= headerLines))
  const wrong = Struct.keys(settingNames).filter((key) => columns[key] !== own[key] && !isHarmless(key))
  if (wrong.length === 0) return Result.succeed(columns)
  const said = wrong.map(
    (key) => `${settingNames[key]} ${settingText(key, columns[key])} instead of ${settingText(key, own[key])}`
  )
  return Result.fail(`it was made with ${said.join(", ")}`)
}

/** The references of the index, then those that only the header names: nothing is there, but they may be asked for. */
const knownReferences = (names: ReadonlyArray<string>, header: VcfHeader): ReadonlyArray<KnownReference> => {
  const lengths = new Map(header.contigs.map(({ length, name }) => [name, length]))
  const indexed = new Set(names)
  return [
    ...names.map((name) => ({ name, length: lengths.get(name) ?? null })),
    ...header.contigs.filter(({ name }) => !indexed.has(name))
  ]
}

const longestOf = (references: ReadonlyArray<KnownReference>): number =>
  references.reduce((most, { length }) => Math.max(most, length ?? 0), 0)

/** What `tell` makes of the first columns of a line, however long that line is; comments, blank lines and what has no columns are passed over. */
const firstColumns =
  <A>(tell: (name: string, position: number) => A) =>
  (): Telling<A> => {
    /** The line so far, up to its second tab. */
    const kept = new Uint8Array(enough)
    let length = 0
    return (content) => {
      for (let at = 0; at < content.length; ) {
        const feed = content.indexOf(lineFeed, at)
        const piece = content.subarray(at, feed === -1 ? content.length : feed)
        const part = piece.subarray(0, enough - length)
        kept.set(part, length)
        length += part.length
        const line = kept.subarray(0, length)
        const stop = line.indexOf(tab)
        const second = line.indexOf(tab, stop + 1)
        const isTold = length === enough || (stop !== -1 && (second !== -1 || feed !== -1))
        if (isTold && kept[0] !== hash)
          return tell(decodeName(line.subarray(0, stop)), digitsIn(line, stop + 1, second))
        if (feed === -1) return null
        length = 0
        at = feed + 1
      }
      return null
    }
  }

export const Vcf: Format = {
  ...FileNames.vcf,
  magic,
  open: (file, reader) =>
    Effect.map(readVcfHeader(file, reader), (header) => ({
      references: null,
      samples: header.samples.length,
      header: { size: header.text.length, bytes: () => withoutBlankLines(header.text) },
      regionsOf: (program) => vcfRegions(header.text, program),
      records: (listeners) => vcfWalk(header.samples.length, listeners),
      referenceAt: (index) =>
        Result.map(vcfColumnsOf(index, header.lines), ({ names }) => ({
          first: firstColumns((name, position) => {
            const ref = Number.isNaN(position) ? -1 : names.indexOf(name)
            return { ref, start: position - 1 }
          }),
          goesOn: firstColumns((name) => name !== ""),
          placeless: () => () => true,
          nameOf: (i) => names[i] ?? "",
          firstRecord: header.firstRecord
        })),
      slicing: (index) => {
        const columns = vcfColumnsOf(index, header.lines)
        if (Result.isFailure(columns)) return Result.fail(columns.failure)
        const { names } = columns.success
        const references = knownReferences(names, header)
        const text = withoutBlankLines(header.text)
        return Result.succeed({
          references,
          // Without ##contig lines a reference without a record is not named anywhere.
          namesAll: header.contigs.length > 0,
          records: { format: "VCF", names, samples: header.samples.length },
          firstRecord: header.firstRecord,
          holdsUnplaced: false,
          header: (program, regions) => vcfSliceText(text, program, regions),
          indexed: vcfColumns(names),
          longest: longestOf(references)
        })
      },
      indexing: { of: vcfColumns, longest: longestOf(header.contigs) }
    }))
}
