/**
 * BAM: aligned reads, with BAI or CSI (SAM specification, sections 4 and 5). Its records are walked, each whole: whether its parts add
 * up, and where it lies (section 4.2).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import type { TabixIndex } from "../index/TabixIndex.ts"
import { type BamHeader, bamRegions, bamSliceHeader, joinBamHeader, magic, readBamHeader } from "./BamHeader.ts"
import * as BamRecord from "./BamRecord.ts"
import * as FileNames from "./FileNames.ts"
import type { Format, Telling } from "./Format.ts"
import { largestRecord, recordFormat } from "./RecordFormats.ts"
import { Audience, recordWalk, type WalkedRecords } from "./RecordWalk.ts"

/** Length field and fixed fields (bytes). */
const fixed = BamRecord.smallest + 4

const sortOrder = (text: Uint8Array): string | null => {
  const end = text.indexOf(0x0a)
  const first = new TextDecoder().decode(text.subarray(0, end === -1 ? text.length : end))
  return /^@HD\t.*\bSO:(\w+)/.exec(first)?.[1] ?? null
}

/** A record out of order is a fault only where the header promises the order of coordinates. */
export const bamWalk = (
  header: Omit<BamHeader, "list">,
  listeners: ReadonlyArray<RecordListener> = []
): RecordCheck => {
  const references = header.references.length
  const promised = sortOrder(header.text) === "coordinate"
  const counts = new Float64Array(references + 1)
  const withoutPosition = new Map<string, number>()
  const audience = new Audience(listeners)
  let records = 0
  let sorted = true
  let lastRef = 0
  let lastPosition = -1

  const judge: WalkedRecords["judge"] = ({ bytes, view }, at, _size, place) => {
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
    if (position === -1 && ref !== -1) {
      const { name } = header.references[ref]!
      withoutPosition.set(name, (withoutPosition.get(name) ?? 0) + 1)
    }
    // The references may stand in another order than in the header, each in one piece.
    const isBefore = rank === lastRef ? position < lastPosition : counts[rank]! > 1 || lastRef === references
    if (rank < references && isBefore) {
      sorted = false
      audience.end()
      if (promised) return `has a record (number ${records}) before its place, and the header says sorted by coordinate`
    }
    lastRef = rank
    lastPosition = position
    if (ref === -1) audience.leave(place)
    else if (audience.isThere) {
      audience.enter(ref, header.references[ref]!.name, place)
      const end = BamRecord.end(view, at)
      audience.hear(position, end, (BamRecord.flags(view, at) & BamRecord.Flag.unmapped) === 0, place, end)
    }
    return null
  }

  return recordWalk(
    {
      format: recordFormat({ format: "BAM", references }),
      skip: header.size,
      judge,
      refuse: ({ view }, at) => {
        const size = BamRecord.recordSize(view, at)
        return size > largestRecord
          ? `has a record that claims ${size} bytes`
          : `has a record (number ${records + 1}) that contradicts itself`
      },
      counts: () => ({
        records,
        ofReference: new Map(header.references.map(({ name }, i) => [name, counts[i]!])),
        withoutPosition,
        unplaced: counts[references]!,
        sorted
      })
    },
    audience
  )
}

/** Length field, reference and position (bytes). */
const placeSize = 12

/** What `judge` says of the first record of which it says something, by its place alone: records are stepped over, not read. */
const placeOfFirst =
  <A>(judge: (ref: number, position: number, size: number) => A | null) =>
  (): Telling<A> => {
    const place = new Uint8Array(placeSize)
    const view = new DataView(place.buffer)
    let filled = 0
    let skip = 0
    return (content) => {
      for (let at = 0; at < content.length; ) {
        const part = content.subarray(at, at + (skip > 0 ? skip : placeSize - filled))
        at += part.length
        if (skip > 0) {
          skip -= part.length
          continue
        }
        place.set(part, filled)
        filled += part.length
        if (filled < placeSize) return null
        const size = BamRecord.recordSize(view, 0)
        const said = judge(BamRecord.refId(view, 0), BamRecord.position(view, 0), size)
        if (said !== null) return said
        skip = size - placeSize
        filled = 0
      }
      return null
    }
  }

/** htsjdk leaves reads that have a reference and no position out of its indexes, and htslib does not. */
const mayBeLeftOut = (ref: number, position: number, size: number) =>
  ref >= 0 && position === -1 && size >= fixed && size <= largestRecord

export const Bam: Format = {
  ...FileNames.bam,
  magic,
  open: (file, reader) =>
    Effect.map(readBamHeader(file, reader), (header) => {
      const { firstRecord, references } = header
      const longest = references.reduce((most, { length }) => Math.max(most, length), 0)
      const asOwn = ({ columns, index }: TabixIndex): Result.Result<void, string> => {
        if (columns !== null) return Result.fail("it is an index of a text file, such as a VCF")
        const count = index.references
        return count === references.length
          ? Result.void
          : Result.fail(`it has ${count} references and the data has ${references.length}`)
      }
      return {
        references: references.length,
        samples: null,
        header: { size: header.size, bytes: () => joinBamHeader(header.list, header.text) },
        regionsOf: (program) => bamRegions(header, program),
        records: (listeners) => bamWalk(header, listeners),
        referenceAt: (index) =>
          Result.map(asOwn(index), () => ({
            first: placeOfFirst((ref, start) => ({ ref, start })),
            goesOn: placeOfFirst((ref, position, size) => (mayBeLeftOut(ref, position, size) ? null : ref !== -1)),
            placeless: (each) =>
              placeOfFirst((ref, position, size) => (mayBeLeftOut(ref, position, size) ? (each() ?? null) : true))(),
            nameOf: (i) => references[i]?.name ?? "",
            firstRecord
          })),
        slicing: (index) =>
          Result.map(asOwn(index), () => ({
            references,
            namesAll: true,
            records: { format: "BAM", references: references.length },
            firstRecord,
            holdsUnplaced: true,
            header: (program, regions) => bamSliceHeader(header, program, regions),
            indexed: references.length,
            longest
          })),
        indexing: { of: () => references.length, longest }
      }
    })
}
