/**
 * BAM: aligned reads, with BAI or CSI (SAM specification, sections 4 and 5). The text of its header is judged as samtools does when
 * it is asked for anything (section 1.3); its records are walked, each whole: whether its parts add up, and where it lies (section 4.2).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ContentFault, RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import { type BlockLayout, ContentPosition } from "../bgzf/ContentPosition.ts"
import { type BamHeader, bamRegions, bamSliceText, encodeBamHeader, magic, readBamHeader } from "./BamHeader.ts"
import * as BamRecord from "./BamRecord.ts"
import * as FileNames from "./FileNames.ts"
import { type Format, type HeaderJudgement, shown } from "./Format.ts"
import { largestRecord } from "./RecordFormats.ts"

/** Length field and fixed fields (bytes). */
const fixed = BamRecord.smallest + 4

const tooLong = (size: number) => `has a record that claims ${size} bytes`

const sortOrder = (text: Uint8Array): string | null => {
  const end = text.indexOf(0x0a)
  const first = new TextDecoder().decode(text.subarray(0, end === -1 ? text.length : end))
  return /^@HD\t.*\bSO:(\w+)/.exec(first)?.[1] ?? null
}

/** A record out of order is a fault only where the header promises the order of coordinates. */
export const bamWalk = (header: BamHeader, listeners: ReadonlyArray<RecordListener> = []): RecordCheck => {
  const references = header.references.length
  const promised = sortOrder(header.text) === "coordinate"
  const counts = new Float64Array(references + 1)
  /** The bytes so far of a record that comes in several parts. */
  let kept = new Uint8Array(4096)
  let keptView = new DataView(kept.buffer)
  let filled = 0
  const place = new ContentPosition()
  let keptPlace = place
  /** The reference whose records listeners receive, -1 for none. */
  let announced = -1
  let skip = header.size
  let records = 0
  let sorted = true
  let lastRef = 0
  let lastPosition = -1

  const judge = (bytes: Uint8Array, view: DataView, at: number): string | null => {
    records++
    const ref = BamRecord.refId(view, at)
    const position = BamRecord.position(view, at)
    const mate = BamRecord.mateRefId(view, at)
    const flaw = BamRecord.flawOf(bytes, view, at)
    if (flaw !== null) return `has a record (number ${records}) that ${flaw}`
    if (ref < -1 || ref >= references || mate < -1 || mate >= references || position < -1) {
      return `has a record (number ${records}) on a reference that the header does not have`
    }
    // Unplaced reads come last.
    const rank = ref === -1 ? references : ref
    counts[rank]!++
    if (rank < lastRef || (rank === lastRef && rank < references && position < lastPosition)) {
      sorted = false
      if (promised) return `has a record (number ${records}) before its place, and the header says sorted by coordinate`
    }
    lastRef = rank
    lastPosition = position
    return null
  }

  const leave = (at: ContentPosition) => {
    if (announced !== -1 && sorted) for (const listener of listeners) listener.leave(at)
    announced = -1
  }

  /** Passes a sound record, which begins at `place`, to the listeners. */
  const tell = (view: DataView, at: number, place: ContentPosition) => {
    if (!sorted) return
    const ref = BamRecord.refId(view, at)
    if (ref !== announced) {
      leave(place)
      if (ref !== -1) for (const listener of listeners) listener.enter(ref, header.references[ref]!.name)
      announced = ref
    }
    if (ref === -1) return
    const mapped = (BamRecord.flags(view, at) & BamRecord.Flag.unmapped) === 0
    const start = BamRecord.position(view, at)
    const end = BamRecord.end(view, at)
    for (const listener of listeners) listener.record(start, end, mapped, place)
  }

  const take = (content: Uint8Array, blocks: BlockLayout): ContentFault | null => {
    place.enter(blocks)
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
    let at = 0
    while (at < content.length) {
      if (skip > 0) {
        const step = Math.min(skip, content.length - at)
        at += step
        skip -= step
        continue
      }
      if (filled === 0 && listeners.length > 0) place.seek(at)
      const size = filled === 0 && content.length - at >= 4 ? BamRecord.recordSize(view, at) : 0
      if (size > largestRecord) return { at, phrase: tooLong(size) }
      if (size >= fixed && content.length - at >= size) {
        const phrase = judge(content, view, at)
        if (phrase !== null) return { at, phrase }
        if (listeners.length > 0) tell(view, at, place)
        at += size
        continue
      }
      if (filled === 0) {
        place.seek(at)
        keptPlace = place.copy()
      }
      const wanted = filled < 4 ? 4 : Math.max(fixed, BamRecord.recordSize(keptView, 0))
      if (wanted > largestRecord) return { at, phrase: tooLong(wanted) }
      if (wanted > kept.length) {
        const larger = new Uint8Array(2 * wanted)
        larger.set(kept)
        kept = larger
        keptView = new DataView(kept.buffer)
      }
      const piece = content.subarray(at, at + wanted - filled)
      kept.set(piece, filled)
      filled += piece.length
      at += piece.length
      if (filled < 4 || filled < Math.max(fixed, BamRecord.recordSize(keptView, 0))) continue
      const phrase = judge(kept, keptView, 0)
      if (phrase !== null) return { at: at - 1, phrase }
      if (listeners.length > 0) tell(keptView, 0, keptPlace)
      filled = 0
    }
    return null
  }

  return {
    take,
    finish: () => {
      place.leave()
      leave(place)
      if (skip > 0) return "ends inside its header"
      if (filled === 0) return null
      const claim = filled < 4 ? "" : ` and claims ${BamRecord.recordSize(keptView, 0)} bytes`
      return `ends inside a record, which begins ${keptPlace.words()}${claim}: ${filled} are there`
    },
    counts: () => ({
      records,
      ofReference: new Map(header.references.map(({ name }, i) => [name, counts[i]!])),
      unplaced: counts[references]!,
      sorted
    })
  }
}

// One character for each byte: not all writers use UTF-8.
const latin1 = new TextDecoder("latin1")

/** The values of a field such as `SN`, in their order. */
const valuesOf = (fields: ReadonlyArray<string>, key: string): ReadonlyArray<string> =>
  fields.filter((field) => field.startsWith(`${key}:`)).map((field) => field.slice(3))

/** samtools reads a length as far as it is a number, and -1 as none. */
const noLength = /^\s*-0*1(?!\d)/

/** What lines have said so far, for the lines after them. */
interface Seen {
  /** The references that the binary part of the header names. */
  readonly listed: ReadonlySet<string>
  readonly references: Set<string>
  /** Other names of references (`AN`), each with the reference that has it. */
  readonly alternatives: Map<string, string>
  readonly groups: Set<string>
  /** Each program with the one before it (`PP`). */
  readonly programs: Map<string, string | undefined>
  readonly warnings: Array<string>
}

/** What is wrong with a line of each type, with the line as subject; other types have no rules of their own. */
const rules: Readonly<Record<string, (fields: ReadonlyArray<string>, seen: Seen, line: string) => string | null>> = {
  SQ: (fields, { alternatives, listed, references, warnings }, line) => {
    const name = valuesOf(fields, "SN").at(-1)
    const length = valuesOf(fields, "LN").at(-1)
    if (name === undefined) return "has no SN"
    if (length === undefined || noLength.test(length)) return "has no LN"
    if (references.has(name)) return `names ${shown(name)} again`
    references.add(name)
    for (const other of valuesOf(fields, "AN").flatMap((list) => list.split(","))) {
      const owner: string = alternatives.get(other) ?? (listed.has(other) ? other : name)
      if (owner !== name) warnings.push(`${line} has the other name ${shown(other)}, which another line has`)
      alternatives.set(other, owner)
    }
    return null
  },
  RG: (fields, { groups, warnings }, line) => {
    const id = valuesOf(fields, "ID").at(-1)
    if (id === undefined) return "has no ID"
    if (groups.has(id)) warnings.push(`${line} has the ID ${shown(id)} again`)
    groups.add(id)
    return null
  },
  PG: (fields, { programs, warnings }, line) => {
    const [id, ...more] = valuesOf(fields, "ID")
    if (id === undefined) return "has no ID"
    if (more.length > 0) warnings.push(`${line} has several IDs`)
    programs.set(id, valuesOf(fields, "PP")[0])
    return null
  }
}

/** What is wrong with a line that begins with `@`; null when nothing is. */
const lineFault = (text: string, seen: Seen, line: string): string | null => {
  if (!/^@[A-Za-z]{2}/.test(text)) return "has no type of two letters"
  if (text.length === 3) return null
  if (text[3] !== "\t") return "has no tab after its type"
  const type = text.slice(1, 3)
  if (type === "CO") return null
  const fields = text.slice(4).split("\t")
  if (fields.some((field) => field.length < 3 || field[2] !== ":")) return "has a field that is not KEY:VALUE"
  return rules[type]?.(fields, seen, `${line} (@${type})`) ?? null
}

const judgeBamHeader = ({ references, text: bytes }: BamHeader): HeaderJudgement => {
  const listed = new Set<string>()
  const programs: Seen["programs"] = new Map()
  const warnings: Array<string> = []
  const seen: Seen = { listed, references: new Set(), alternatives: new Map(), groups: new Set(), programs, warnings }
  const refused = (fault: string): HeaderJudgement => ({ fault: `samtools refuses it: ${fault}`, warnings })
  for (const { name } of references) {
    if (listed.has(name)) return refused(`its header has the reference ${shown(name)} twice`)
    listed.add(name)
  }
  const whole = latin1.decode(bytes)
  const [text = ""] = whole.split("\0")
  const lines = text.replace(/\n$/, "").split("\n")
  if (text.length < whole.length) {
    if (text !== "" && !text.endsWith("\n")) return refused(`header line ${lines.length} has a zero in it`)
    warnings.push(`what follows byte ${text.length} of its header is not read: a zero is there`)
  }
  if (text === "") return { fault: null, warnings }
  if (!text.endsWith("\n")) warnings.push("the last line of its header has no end")
  const other = lines.findIndex((line) => !line.startsWith("@"))
  if (other !== -1) return refused(`header line ${other + 1} does not begin with @`)
  for (const [i, line] of lines.entries()) {
    // The last line is not looked at when it is so short.
    if (i === lines.length - 1 && line.length < 3 && i + line.length > 1) break
    const place = `header line ${i + 1}`
    const fault = lineFault(line, seen, place)
    if (fault !== null) return refused(`${place} (${line.slice(0, 3)}) ${fault}`)
  }
  for (const [id, previous] of programs) {
    if (previous !== undefined && !programs.has(previous)) {
      warnings.push(`the program ${shown(id)} of its header names one before it, ${shown(previous)}, that is not there`)
    }
  }
  return { fault: null, warnings }
}

/** The reference of a record, -1 for none. */
const referenceOf = (bytes: Uint8Array): number | null =>
  bytes.length < 8 ? null : new DataView(bytes.buffer, bytes.byteOffset).getInt32(4, true)

export const Bam: Format = {
  ...FileNames.bam,
  magic,
  open: (file, reader) =>
    Effect.map(readBamHeader(file, reader), (header) => {
      const { firstRecord, references } = header
      const longest = references.reduce((most, { length }) => Math.max(most, length), 0)
      const countMismatch = (count: number) => `it has ${count} references and the data has ${references.length}`
      return {
        references: references.length,
        samples: null,
        regionsOf: (program) => bamRegions(header, program),
        judgeHeader: () => judgeBamHeader(header),
        records: (listeners) => bamWalk(header, listeners),
        referenceAt: ({ index }) =>
          index.references === references.length
            ? Result.succeed({
                of: referenceOf,
                covers: (reference) => reference !== -1,
                expected: (i) => i,
                nameOf: (i) => references[i]?.name ?? ""
              })
            : Result.fail(countMismatch(index.references)),
        slicing: ({ index }) => {
          if (index.references !== references.length) return Result.fail(countMismatch(index.references))
          return Result.succeed({
            references,
            namesAll: true,
            records: { format: "BAM", references: references.length },
            firstRecord,
            holdsUnplaced: true,
            plainHeader: () => encodeBamHeader(header.text, references),
            header: (program, regions) => encodeBamHeader(bamSliceText(header, program, regions), references),
            indexed: references.length,
            longest
          })
        },
        indexing: { of: () => references.length, longest }
      }
    })
}
