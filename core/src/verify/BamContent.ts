/** Walks the records of a BAM file by their fixed fields alone (SAM specification, section 4.2). */
import type { BamHeader } from "../genome/BamHeader.ts"
import * as BamRecord from "../genome/BamRecord.ts"
import type { ContentFault, RecordCheck } from "./Content.ts"

/** Length field and fixed fields (bytes): all that is read of a record. */
const fixed = BamRecord.smallest + 4

const mateRefId = (view: DataView, at: number): number => view.getInt32(at + 24, true)

const sortOrder = (text: Uint8Array): string | null => {
  const end = text.indexOf(0x0a)
  const first = new TextDecoder().decode(text.subarray(0, end === -1 ? text.length : end))
  return /^@HD\t.*\bSO:(\w+)/.exec(first)?.[1] ?? null
}

/** A record out of order is a fault only where the header promises the order of coordinates. */
export const bamRecords = (header: BamHeader): RecordCheck => {
  const references = header.references.length
  const promised = sortOrder(header.text) === "coordinate"
  const counts = new Float64Array(references + 1)
  const start = new Uint8Array(fixed)
  const startView = new DataView(start.buffer)
  let filled = 0
  let skip = header.size
  let records = 0
  let sorted = true
  let lastRef = 0
  let lastPosition = -1

  const judge = (view: DataView, at: number): string | null => {
    records++
    const ref = BamRecord.refId(view, at)
    const position = BamRecord.position(view, at)
    const mate = mateRefId(view, at)
    if (!BamRecord.isSound(view, at)) return `has a record (number ${records}) that contradicts itself`
    if (ref < -1 || ref >= references || mate < -1 || mate >= references || position < -1) {
      return `has a record (number ${records}) on a reference that the header does not have`
    }
    // Records without a reference come last.
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

  const take = (content: Uint8Array): ContentFault | null => {
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
    let at = 0
    while (at < content.length) {
      if (skip > 0) {
        const step = Math.min(skip, content.length - at)
        at += step
        skip -= step
        continue
      }
      if (filled === 0 && content.length - at >= fixed) {
        const phrase = judge(view, at)
        if (phrase !== null) return { at, phrase }
        skip = BamRecord.recordSize(view, at)
        continue
      }
      const piece = content.subarray(at, at + fixed - filled)
      start.set(piece, filled)
      filled += piece.length
      at += piece.length
      if (filled < fixed) break
      const phrase = judge(startView, 0)
      if (phrase !== null) return { at: at - 1, phrase }
      skip = BamRecord.recordSize(startView, 0) - fixed
      filled = 0
    }
    return null
  }

  return {
    take,
    finish: () => (skip > 0 || filled > 0 ? "ends inside a record" : null),
    counts: () => ({
      records,
      ofReference: new Map(header.references.map(({ name }, i) => [name, counts[i]!])),
      unplaced: counts[references]!,
      sorted
    })
  }
}
