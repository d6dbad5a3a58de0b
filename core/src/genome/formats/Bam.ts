/**
 * BAM: aligned reads, with BAI or CSI (SAM specification, sections 4 and 5). Its records are walked, each whole: whether its parts add
 * up, and where it lies (section 4.2).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ContentFault, RecordCheck, RecordListener } from "../bgzf/ContentCheck.ts"
import { type BlockLayout, ContentPosition } from "../bgzf/ContentPosition.ts"
import type { TabixIndex } from "../index/TabixIndex.ts"
import { type BamHeader, bamRegions, bamSliceHeader, joinBamHeader, magic, readBamHeader } from "./BamHeader.ts"
import * as BamRecord from "./BamRecord.ts"
import * as FileNames from "./FileNames.ts"
import type { Format, Telling } from "./Format.ts"
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
export const bamWalk = (
  header: Omit<BamHeader, "list">,
  listeners: ReadonlyArray<RecordListener> = []
): RecordCheck => {
  const references = header.references.length
  const promised = sortOrder(header.text) === "coordinate"
  const counts = new Float64Array(references + 1)
  const withoutPosition = new Map<string, number>()
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
    if (position === -1 && ref !== -1) {
      const { name } = header.references[ref]!
      withoutPosition.set(name, (withoutPosition.get(name) ?? 0) + 1)
    }
    // The references may stand in another order than in the header, each in one piece.
    const isBefore = rank === lastRef ? position < lastPosition : counts[rank]! > 1 || lastRef === references
    if (rank < references && isBefore) {
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
    for (const listener of listeners) listener.record(start, end, mapped, place, end)
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
      const piece = content.subarray(at, at + wanted - filled)
      if (filled + piece.length > kept.length) {
        // With what is there, not with what is claimed.
        const larger = new Uint8Array(Math.min(wanted, 2 * (filled + piece.length)))
        larger.set(kept)
        kept = larger
        keptView = new DataView(kept.buffer)
      }
      kept.set(piece, filled)
      filled += piece.length
      at += piece.length
      const isWhole = filled >= fixed && filled >= BamRecord.recordSize(keptView, 0)
      if (!isWhole && (filled < fixed || BamRecord.isSound(keptView, 0))) continue
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
      withoutPosition,
      unplaced: counts[references]!,
      sorted
    })
  }
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
            first: placeOfFirst((ref) => ref),
            goesOn: placeOfFirst((ref, position, size) => (mayBeLeftOut(ref, position, size) ? null : ref !== -1)),
            placeless: (each) =>
              placeOfFirst((ref, position, size) => (mayBeLeftOut(ref, position, size) ? (each() ?? null) : true))(),
            expected: (i) => i,
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
