/** One body of annotations from the service to its end: scanned as it comes, and handed on in its parts. */

import * as Bytes from "effect/Bytes"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { openEnvelope, parseReply } from "../client/Reply.ts"
import { type StreamedReply, streamedReply } from "../client/ServiceStreams.ts"
import { ReplyMalformed, ReplyTooLarge } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { deepest, type JsonFault, type JsonListener, JsonScanner } from "../text/JsonScanner.ts"

/** The connection broke in the middle of a body. */
export class BodyBroken extends Data.TaggedError("BodyBroken")<{ readonly host: string; readonly reason: string }> {}

/** How much of the body has been received so far. */
export interface Received {
  readonly bytes: number
  readonly rows: number
}

/** Takes a body in its parts. A part is good until the effect ends. */
export interface BodyTaker<E, R> {
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

/** Why a body cannot be read. Says nothing of its content. */
export type ScanFault =
  | ({ readonly _tag: "Malformed" } & JsonFault)
  | { readonly _tag: "TooLarge"; readonly limit: number }

export interface ScanLimits {
  /** Levels of nesting, the object of the body included. */
  readonly depth: number
  /** Bytes of one row, and of the header. */
  readonly piece: number
}

export const usualLimits: ScanLimits = { depth: deepest, piece: 32 * 1024 * 1024 }

/** Bytes `from` up to `to`, as offsets into a chunk. */
export interface Part {
  readonly from: number
  readonly to: number
}

// Depths of values: members of the body, and rows.
const memberDepth = 1
const rowDepth = 2

const openBracket = 0x5b

/**
 * Finds the rows of `data` and the value of `header` in the body of an annotations answer while it arrives, whichever comes first,
 * and checks that the whole body is JSON.
 */
export class BodyScanner {
  /** Complete rows. */
  rowCount = 0
  hasData = false
  hasHeader = false
  /** The part of the last chunk that belongs to the list of rows, with its brackets. */
  data: Part | null = null
  /** The part of the last chunk that belongs to the value of `header`. */
  header: Part | null = null

  readonly #scanner: JsonScanner
  readonly #longest: number
  /** The member of the body whose value comes next or is being read: `data`, `header` or another. */
  #member = ""
  /** Whether the value of `data`, or of `header`, is under way. */
  #isOpen = false
  /** Where the row or the header that is under way began, in bytes from the start of the body; null between them. */
  #began: number | null = null
  #fault: ScanFault | null = null

  constructor({ depth, piece }: ScanLimits = usualLimits) {
    const listener: JsonListener = {
      began: (at, byte, depth) => this.#valueBegan(at, byte, depth),
      ended: (at, depth) => this.#valueEnded(at, depth),
      named: (name) => {
        this.#member = name
        const isThere = (name === "data" && this.hasData) || (name === "header" && this.hasHeader)
        return isThere ? `${name} is there twice` : null
      }
    }
    this.#scanner = new JsonScanner(listener, rowDepth, depth)
    this.#longest = piece
  }

  /** Bytes so far. */
  get size(): number {
    return this.#scanner.size
  }

  /** Scans the next bytes. A fault is final. */
  push(chunk: Uint8Array): ScanFault | null {
    if (this.#fault !== null) return this.#fault
    const whole = { from: 0, to: chunk.length }
    this.data = this.#isOpen && this.#member === "data" ? whole : null
    this.header = this.#isOpen && this.#member === "header" ? whole : null
    const wrong = this.#scanner.push(chunk)
    if (wrong !== null) this.#fault = { _tag: "Malformed", ...wrong }
    else if (this.#began !== null && this.size - this.#began > this.#longest)
      this.#fault = { _tag: "TooLarge", limit: this.#longest }
    return this.#fault
  }

  /** The body has ended: a fault when it is not complete. */
  end(): ScanFault | null {
    const wrong = this.#scanner.end()
    if (wrong !== null) this.#fault ??= { _tag: "Malformed", ...wrong }
    return this.#fault
  }

  #valueBegan(at: number, byte: number, depth: number): string | null {
    if (depth === rowDepth && this.#isOpen && this.#member === "data") {
      if (byte !== openBracket) return "a row that is not a list"
      this.#began = this.size + at
    }
    if (depth !== memberDepth || (this.#member !== "data" && this.#member !== "header")) return null
    if (byte !== openBracket) return `${this.#member} is not a list`
    this.#isOpen = true
    // To the end of the chunk, until the end of the list is seen.
    const rest = { from: at, to: Number.POSITIVE_INFINITY }
    if (this.#member === "data") {
      this.hasData = true
      this.data = rest
    } else {
      this.hasHeader = true
      this.header = rest
      this.#began = this.size + at
    }
    return null
  }

  #valueEnded(at: number, depth: number): void {
    if (!this.#isOpen) return
    if (depth === rowDepth && this.#member === "data") {
      this.rowCount++
      this.#began = null
    } else if (depth === memberDepth) {
      this.#isOpen = false
      this.#began = null
      if (this.#member === "data") this.data = { from: this.data?.from ?? 0, to: at }
      else this.header = { from: this.header?.from ?? 0, to: at }
    }
  }
}
