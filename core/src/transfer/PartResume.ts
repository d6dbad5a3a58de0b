/** The part that an attempt fills: what an earlier run left of it, as far as it still is what came, or an empty one. */
import * as Effect from "effect/Effect"
import type { Codec } from "../genome/bgzf/Codec.ts"
import * as ByteRanges from "./ByteRanges.ts"
import { type Algorithm, algorithmsFor } from "./Digests.ts"
import { makeFreshPart, makeWriter } from "./FreshPart.ts"
import type { PartFile, PartFiles, PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"
import * as PartSpans from "./PartSpans.ts"
import type { TransferRequest } from "./TransferRequest.ts"

export interface ResumeContext {
  readonly codec: Codec["Service"]
  readonly files: PartFiles["Service"]
  readonly place: PartPlace
  readonly identity: string
  readonly request: Pick<TransferRequest, "progress" | "size">
}

/**
 * Opens the part of an earlier run and reads it once, span by span; those that do not agree are not in the journal that is
 * given back. Either way the journal on the disk names this run as the writer.
 *
 * @param anew - whether to ignore what an earlier run left
 * @param own - digests that are computed whether a link host states them or not
 */
export const openPart = Effect.fn("svc.transfer.openPart")(function* (
  { codec, files, identity, place, request }: ResumeContext,
  anew: boolean,
  own: ReadonlyArray<Algorithm>
) {
  const text = anew ? null : yield* files.readJournal(place)
  const found = text === null ? null : PartJournal.decode(text, identity)
  const isOther = found?.size != null && request.size !== null && found.size !== request.size
  const earlier = isOther ? null : found
  if (earlier?.schema === "svc.part/1") {
    const reason = "an earlier version of this program left its unfinished file, without checksums of what is there"
    yield* request.progress({ _tag: "Restarting", reason })
  }
  const part = earlier === null || earlier.spans.length === 0 ? null : yield* files.reopen(place)
  if (earlier !== null && part !== null) {
    const journal = { ...earlier, writer: yield* makeWriter(files, identity) }
    yield* files.writeJournal(place, PartJournal.encode(journal))
    const { lost, proven } = yield* prove(part, codec.crc32, journal, algorithmsFor(journal.digests ?? [], own))
    if (lost.length > 0) yield* request.progress(refetching(lost))
    if (proven.length > 0) return { part, journal: { ...journal, spans: proven } }
  }
  return yield* makeFreshPart(files, place, identity, request.size)
})

/** Reads each span once; the digests of the file follow close behind, so that they find it in memory. */
const prove = Effect.fnUntraced(function* (
  part: PartFile,
  crc32: PartSpans.Crc32,
  { spans }: PartJournal.PartJournal,
  algorithms: ReadonlyArray<Algorithm>
) {
  const room = PartSpans.makeRoom()
  const proven: Array<PartJournal.Span> = []
  let there: ByteRanges.ByteRanges = []
  let lost: ByteRanges.ByteRanges = []
  for (const span of spans) {
    const [start, end] = span
    if (yield* PartSpans.agrees(part, crc32, span, room)) {
      proven.push(span)
      there = ByteRanges.add(there, start, end)
      yield* part.finalUpTo(ByteRanges.prefix(there), algorithms)
    } else lost = ByteRanges.add(lost, start, end)
  }
  return { proven, lost }
})

const refetching = (lost: ByteRanges.ByteRanges) => {
  const places = lost.slice(0, 3).map(([start, end]) => `${start}-${end - 1}`)
  const more = lost.length > places.length ? ` and ${lost.length - places.length} other places` : ""
  const reason = `bytes ${places.join(", ")}${more} of the unfinished file are not those that came`
  return { _tag: "Refetching" as const, bytes: ByteRanges.count(lost), reason }
}
