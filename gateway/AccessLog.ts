/**
 * Who read what: for each answer one JSON line at its end, and for each reading one at its beginning too, never with a token or a link.
 *
 * The handler says what is read, since it alone knows: a pattern beside the router saw other addresses than the router did.
 */
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { ServiceAway } from "../core/src/serving/Questions.ts"
import { printable } from "../core/src/text/Printable.ts"

/** What a request is about. */
export interface Place {
  /** `refused` and `other`: no handler took the request. `service`: a question that was passed on to the service. */
  readonly what: "list" | "file" | "ticket" | "restoration" | "service" | "change" | "session" | "refused" | "other"
  /** Null when it is about more than analyses, or about none. */
  readonly analyses: ReadonlyArray<string> | null
  readonly file: string | null
  /** As the reader asked: of bytes, of a reference, or the query of a question. */
  readonly range?: string | null
}

/** A request while it is answered, which the log names at its end. */
export interface Reading {
  place: Place
  /** Of the reader's token; null when it has no name, or there is none. */
  name: string | null
  /** Of the file that have gone through the gateway so far; null when the answer is no file. */
  bytes: number | null
  /** The gateway gave up before the end. */
  cut: boolean
  /** Probes, numbers and preflights leave no line. */
  silent: boolean
  /** Writes the line of the beginning; false when that is lost. */
  readonly begin: () => boolean
}

/** The reading that a handler works on. */
export const CurrentReading = Context.Reference<Reading>("svc-steps/gateway/AccessLog/CurrentReading", {
  defaultValue: () => ({
    place: nowhere("other"),
    name: null,
    bytes: null,
    cut: false,
    silent: false,
    begin: () => true
  })
})

export const nowhere = (what: Place["what"]): Place => ({ what, analyses: null, file: null })

export interface AccessLog {
  /** Takes one line without its end, and says whether it is written. Never fails. */
  readonly write: (line: string) => boolean
  /** Nothing is read while lines cannot be written. */
  readonly required: boolean
}

export const linesLost = Metric.counter("svc_gateway_access_log_lines_lost_total", {
  description: "Lines of the access log that could not be written",
  incremental: true
})

/** Says what this request reads, before it is read. Fails when that must be written down and cannot be. */
export const beginReading = Effect.fnUntraced(function* (place: Place) {
  const reading = yield* CurrentReading
  reading.place = { range: reading.place.range ?? null, ...place }
  if (!reading.begin()) {
    return yield* new ServiceAway({ reason: "the access log cannot be written, and nothing is read without it" })
  }
})

/** What a handler has learned since: the file that a ticket is of, its region. */
export const describeReading = (more: Partial<Place>) =>
  Effect.map(CurrentReading, (reading) => {
    reading.place = { ...reading.place, ...more }
  })

/** Leaves no line in the log. */
export const unlogged = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(CurrentReading, (reading) => {
    reading.silent = true
    return effect
  })

/** A request as it came. */
export interface Arrival {
  readonly method: string
  readonly range: string | undefined
  readonly address: string
}

/** Binds the lines of one process: `id` is the same at the beginning and the end of a reading. */
const process = randomBytes(4).toString("hex")
let count = 0

/** A reading whose last line is written when its connection has no more to do with it. */
export const makeReading = Effect.fnUntraced(function* (
  log: AccessLog | null,
  { address, method, range }: Arrival,
  response: ServerResponse
) {
  const context = yield* Effect.context<never>()
  const begun = yield* DateTime.now
  const start = performance.now()
  const id = `${process}-${++count}`
  const write = (event: "begin" | "end", time: DateTime.Utc, more: Record<string, unknown>): boolean => {
    if (log === null) return true
    const { analyses, file, range: part = null, what } = reading.place
    const written = log.write(
      JSON.stringify({
        event,
        id,
        time: DateTime.formatIso(time),
        name: reading.name,
        address,
        method,
        what,
        analysis: shortened(analyses?.join(",") ?? null),
        file: shortened(file),
        range: shortened(part),
        ...more
      })
    )
    if (!written) linesLost.updateUnsafe(1, context)
    return written
  }
  const reading: Reading = {
    place: { ...nowhere("other"), range: range ?? null },
    name: null,
    bytes: null,
    cut: false,
    silent: false,
    begin: () => write("begin", begun, {}) || log?.required !== true
  }
  response.once("close", () => {
    if (reading.silent) return
    const whole = response.writableFinished
    const sent = whole && method !== "HEAD" ? Number(response.getHeader("content-length") ?? 0) : 0
    const seconds = Math.round(performance.now() - start) / 1000
    write("end", DateTime.add(begun, { milliseconds: Math.round(seconds * 1000) }), {
      status: response.headersSent ? response.statusCode : null,
      bytes: reading.bytes ?? sent,
      seconds,
      ended: whole ? "complete" : reading.cut ? "cut" : "left"
    })
  })
  return reading
})

/** The line of a request that could not be read: nobody knows more of it than where it came from. */
export const logUnread = Effect.fnUntraced(function* (log: AccessLog | null, address: string, status: number) {
  const time = DateTime.formatIso(yield* DateTime.now)
  const told = { event: "end", id: `${process}-${++count}`, time, name: null, address, method: null }
  const line = { ...told, what: "refused", analysis: null, file: null, range: null, status, bytes: 0, seconds: 0 }
  if (log?.write(JSON.stringify({ ...line, ended: "complete" })) === false) yield* Metric.update(linesLost, 1)
})

/** Of one value in a line, in characters: as much as the head of a request can hold. */
export const longestValue = 16 * 1024

/** What is longer says so: a value that only begins as one would expect must not pass for the whole. */
const shortened = (text: string | null): string | null =>
  text === null
    ? null
    : text.length <= longestValue
      ? printable(text)
      : `${printable(text.slice(0, longestValue))}... (${text.length} characters)`
