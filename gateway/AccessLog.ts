/** Who read what: one JSON line for each reading and each restoration, never with a token or a link. */
import type { ServerResponse } from "node:http"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { printable } from "../core/src/text/Printable.ts"

/** What is known of a request while it is answered; handlers fill in what only they know. */
export interface Reading {
  /** Of the reader's token; null when it has no name, or there is none. */
  name: string | null
  analysis: string | null
  file: string | null
  /** As the reader asked: of bytes, or of a reference. */
  range: string | null
  /** Of the file that have gone through the gateway so far; null when the answer is no file. */
  bytes: number | null
  /** The gateway gave up before the end. */
  cut: boolean
}

/** The reading that a handler works on. */
export const CurrentReading = Context.Reference<Reading>("svc-steps/gateway/AccessLog/CurrentReading", {
  defaultValue: () => ({ name: null, analysis: null, file: null, range: null, bytes: null, cut: false })
})

export interface AccessLog {
  /** Takes one line without its end. Never fails. */
  readonly write: (line: string) => void
}

/** A request as it came. */
export interface Arrival {
  readonly method: string
  readonly url: string
  readonly range: string | undefined
  readonly address: string
}

/** Statuses of those who were not let in: their requests stand in the log wherever they led. */
const refusals: ReadonlySet<number> = new Set([401, 403, 405, 421])

/** Begins a reading, whose line is written when its connection has no more to do with it. */
export const beginReading = Effect.fnUntraced(function* (
  log: AccessLog | null,
  { address, method, range, url }: Arrival,
  response: ServerResponse
) {
  const { analysis, file, what } = placeOf(url)
  const reading: Reading = { name: null, analysis, file, range: range ?? null, bytes: null, cut: false }
  if (log === null) return reading
  const time = DateTime.formatIso(yield* DateTime.now)
  const begun = performance.now()
  response.once("close", () => {
    const status = response.headersSent ? response.statusCode : null
    if (reading.analysis === null && !(status !== null && refusals.has(status))) return
    const whole = response.writableFinished
    const sent = whole && method !== "HEAD" ? Number(response.getHeader("content-length") ?? 0) : 0
    log.write(
      JSON.stringify({
        time,
        name: reading.name,
        address,
        method,
        what,
        analysis: shortened(reading.analysis),
        file: shortened(reading.file),
        range: shortened(reading.range),
        status,
        bytes: reading.bytes ?? sent,
        seconds: Math.round(performance.now() - begun) / 1000,
        ended: whole ? "complete" : reading.cut ? "cut" : "left"
      })
    )
  })
  return reading
})

/** Paths are of any length. */
const shortened = (text: string | null): string | null => (text === null ? null : printable(text.slice(0, 300)))

/** What an address of the gateway is about. */
const placeOf = (url: string) => {
  const path = url.replace(/[?#].*$/s, "").replace(/^\/t\/[^/]+(?=\/)/, "")
  const [, route, first = "", second, rest] =
    /^\/(files|reads|variants)\/([^/]+)(?:\/([^/]+))?(\/restore)?$/.exec(path) ?? []
  if (route === undefined || second === "service-info" || first === "service-info") {
    return { what: "other", analysis: null, file: null }
  }
  const [analysis = "", inId] = route === "files" ? [decoded(first)] : decoded(first).split(/\/(.*)/s)
  const file = second === undefined ? (inId ?? null) : decoded(second)
  const what = route === "files" ? (rest !== undefined ? "restoration" : file === null ? "list" : "file") : "ticket"
  return { what, analysis, file }
}

const decoded = (part: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(part)),
    () => part
  )
