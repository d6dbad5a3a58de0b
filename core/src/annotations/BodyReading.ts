/** One body of annotations from the service to its end: scanned as it comes, and handed on in its scanner. */

import * as Bytes from "effect/Bytes"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { openEnvelope, parseReply } from "../client/Reply.ts"
import { type StreamedReply, streamedReply } from "../client/ServiceStreams.ts"
import { ReplyMalformed, ReplyTooLarge } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { BodyScanner, type Part, type ScanFault } from "./BodyScanner.ts"

/** The connection broke in the middle of a body. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly host: string; readonly reason: string }> {}

/** How much of the body has been received so far. */
export interface Received {
  readonly bytes: number
  readonly rows: number
}

/** Takes a body in its parts. A part is good until the effect ends. */
export interface BodyTaker<E, R> {
  /** The body as it is. */
  readonly body?: (bytes: Uint8Array) => Effect.Effect<void, E, R>
  /** The list of rows, as JSON. */
  readonly data?: (bytes: Uint8Array) => Effect.Effect<void, E, R>
  readonly received?: (now: Received) => void
}

/** Size limit in bytes: an answer that is not a table, such as an error, is shorter than this. */
const longestBeginning = 64 * 1024

/** Reads the annotations of an analysis to their end: how many bytes and rows there were, and the header, as JSON. */
export const readBody = Effect.fnUntraced(function* <E = never, R = never>(analysisId: string, taker: BodyTaker<E, R>) {
  const reply = yield* streamedReply(yield* Session, "getSnvAnnotations", [analysisId])
  const { request } = reply.asked
  const scanner = new BodyScanner()
  const header: Array<Uint8Array> = []
  /** The body until rows or header begin: kept, as a body that has neither is an error of the service. */
  let beginning: ReadonlyArray<Uint8Array> = []

  const take = Effect.fnUntraced(function* (chunk: Uint8Array) {
    const undecided = beginning.length > 0 || scanner.size === 0
    if (undecided) beginning = [...beginning, chunk.slice()]
    const fault = scanner.push(chunk)
    if (fault !== null) return yield* errorOf(fault, request)
    taker.received?.({ bytes: scanner.size, rows: scanner.rowCount })
    if (undecided && !scanner.hasData && !scanner.hasHeader && scanner.size <= longestBeginning) return
    if (taker.body !== undefined) yield* Effect.forEach(undecided ? beginning : [chunk], taker.body, { discard: true })
    beginning = []
    if (scanner.header !== null) header.push(partOf(chunk, scanner.header).slice())
    if (scanner.data !== null && taker.data !== undefined) yield* taker.data(partOf(chunk, scanner.data))
  })

  yield* Stream.runForEach(bodyOf(reply), take)
  const fault = scanner.end()
  if (fault !== null) return yield* errorOf(fault, request)
  if (beginning.length > 0) {
    // What has neither rows nor header is an error of the service, mostly (docs/dev/service.md 7).
    yield* openEnvelope(
      yield* parseReply(decoder.decode(Bytes.concat(beginning)), request),
      reply.response.status,
      reply.asked
    )
  }
  const lacks = scanner.hasData ? (scanner.hasHeader ? null : "header") : "data"
  if (lacks !== null) return yield* new ReplyMalformed({ request, reason: `it has no ${lacks}` })
  return {
    counts: { bytes: scanner.size, rowsRead: scanner.rowCount },
    header: { json: Bytes.concat(header), request }
  }
})

const decoder = new TextDecoder()

const partOf = (chunk: Uint8Array, { from, to }: Part): Uint8Array => chunk.subarray(from, to)

const bodyOf = ({ response }: StreamedReply): Stream.Stream<Uint8Array, BodyBroken> =>
  Stream.mapError(
    response.stream,
    (error) => new BodyBroken({ host: new URL(response.url).host, reason: faultOfClientError(error).reason })
  )

const errorOf = (fault: ScanFault, request: string): ReplyMalformed | ReplyTooLarge =>
  fault._tag === "TooLarge"
    ? new ReplyTooLarge({ request, limit: fault.limit })
    : new ReplyMalformed({ request, reason: `${fault.reason}, at byte ${fault.at + 1}`, garbled: true })
