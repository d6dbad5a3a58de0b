/**
 * What a reply says about the session, decided before anything decodes it.
 *
 * The service answers a request of a lost session with a redirect and 50 kB of HTML, later ones with 403 (docs/dev/service.md 3 and
 * 11.6). Without this check the caller would take both for data. Pure functions of status, headers and first bytes.
 */
import * as Result from "effect/Result"
import { isPassing } from "../Schedules.ts"
import { beginsLikeMarkup, isWhiteSpace, titleOf } from "../text/Markup.ts"
import { printable } from "../text/Printable.ts"

/** The parts of a reply by which it is judged. */
export interface ReplySample {
  readonly status: number
  /** The first bytes of the body, as many as {@link isUndecided} wants. */
  readonly start: Uint8Array
}

/** What is known of the request beside its reply. */
export interface Circumstances {
  /** Its answer must be JSON; a request of another kind may be answered with anything, a page included. */
  readonly json: boolean
  /** It was answered with HTML before the last login, or no login is allowed now: another one would tell nothing. */
  readonly htmlAgain: boolean
}

/**
 * - `answer`: for the caller, whatever its status says about the thing asked for. It alone proves that the session is alive.
 * - `lost`: a redirect, HTML, or the words of Spring Security: the session is gone, and a login brings it back.
 * - `page`: HTML again after a login. No data: maintenance, or a firewall; for a request that wants no data, what it asked for.
 * - `forbidden`: the session is gone, or this account may not see the thing; a witness or a fresh login tells.
 * - `broken`: empty or garbled where JSON must be; the same request may work later.
 * - `transient`: the status says so itself.
 */
export type Recognised = "answer" | "lost" | "page" | "forbidden" | "broken" | "transient"

/** What Spring Security says, with status 200 and as text, when another login of the account has ended the session. */
const endedSession = new TextEncoder().encode("This session has been expired")

/** How many bytes of the words stand at the beginning: all of them, or fewer than there are bytes when it says something else. */
const saysEnded = (start: Uint8Array): boolean =>
  start.every((byte, at) => at >= endedSession.length || byte === endedSession[at])

/** True while the bytes are only white space or a byte order mark, or a part of Spring's words: data cannot be told from the rest yet. */
export const isUndecided = (start: Uint8Array): boolean =>
  start.every((byte) => isWhiteSpace(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf) ||
  (start.length < endedSession.length && saysEnded(start))

/** Judges the reply to a request that was sent with a session. */
export const recognise = (
  { start, status }: ReplySample,
  { htmlAgain, json }: Circumstances = { json: false, htmlAgain: false }
): Recognised => {
  if (status >= 300 && status < 400) return "lost"
  // The service is known to send 403; one that treats its session as authentication would send 401.
  if (status === 403 || status === 401) return "forbidden"
  if (isPassing(status)) return "transient"
  if (status >= 400) return "answer"
  if (beginsLikeMarkup(start)) return htmlAgain ? "page" : "lost"
  if (start.length >= endedSession.length && saysEnded(start)) return "lost"
  return json && !beginsLikeJson(start) ? "broken" : "answer"
}

/** Whether the first character after white space can begin a JSON value. */
const beginsLikeJson = (start: Uint8Array): boolean =>
  /^\uFEFF?\s*[[{"\-0-9tfn]/.test(new TextDecoder().decode(start.subarray(0, 4096)))

/** Why `text` is no JSON; null when it is. It quotes nothing: a value may be personal data. */
export const whyNotJson = (text: string): string | null => {
  if (/^\s*$/.test(text)) return "its body is empty"
  if (/^\s*</.test(text)) return "a page of HTML or XML instead of JSON"
  return Result.match(
    Result.try(() => JSON.parse(text)),
    { onSuccess: () => null, onFailure: (error) => `not JSON${placeOf(error, text.length)}` }
  )
}

/** Where the text stops being JSON. The parser names the position of most errors, but not in short texts. */
const placeOf = (error: unknown, length: number): string => {
  const message = error instanceof SyntaxError ? error.message : ""
  const position = /at position (\d+)( \(line \d+ column \d+\))?$/.exec(message)?.[1]
  if (position === undefined ? message.startsWith("Unexpected end") : Number(position) >= length) {
    return `: it breaks off after ${length} characters`
  }
  return position === undefined ? "" : ` at character ${Number(position) + 1} of ${length}`
}

/** What a page of HTML that came in place of data means, with its title. */
export const pageReason = (text: string): string => {
  const title = titleOf(text)
  const said = title === null ? "" : ` (${title})`
  return `it shows a page in place of data${said}: maintenance, or a firewall`
}

/**
 * - `loggedIn`: the reply carries a token.
 * - `refused`: user name or password are wrong; sent once, never again.
 * - `passwordExpired`: the password was right, and the service wants a new one first; sent once, never again.
 * - `sessionLost`: the initial session ended before the login form arrived; the password was not judged.
 * - `protocol`: the service is not there, or not the service we know; not repeated either.
 */
export type LoginRecognised =
  | { readonly verdict: "loggedIn" }
  | { readonly verdict: "refused" }
  | { readonly verdict: "passwordExpired"; readonly page: string }
  | { readonly verdict: "sessionLost"; readonly status: number; readonly reason: string }
  | { readonly verdict: "protocol"; readonly reason: string }

/**
 * Judges the reply to the login form. The rule for a reply without a token (S1, S12):
 *
 * 1. 2xx is a refusal (docs/dev/service.md 5), and so is 401. Exception: an HTML page that speaks of maintenance and has no
 *    password field is a service that is down.
 * 2. A redirect or 403 is the sign of a lost session, unless the redirect names an error, as login forms of other
 *    frameworks do for a wrong password.
 * 3. 5xx, 408, 425, 429 and every other status mean that the service does not follow the login protocol now.
 */
export const recogniseLogin = (reply: {
  readonly status: number
  readonly hasToken: boolean
  readonly location: string | undefined
  /** The body as text, or its beginning. */
  readonly text: string
}): LoginRecognised => {
  const { status } = reply
  if (reply.hasToken && status < 400) return { verdict: "loggedIn" }
  if (status === 401) return { verdict: "refused" }
  if (status >= 300 && status < 400) {
    const location = reply.location ?? ""
    if (/[?&;/#](login[-_]?)?(error|fail(ed|ure)?|denied|bad[-_]?credentials)\b/i.test(location)) {
      return { verdict: "refused" }
    }
    const page = passwordPage(location)
    return page !== null
      ? { verdict: "passwordExpired", page }
      : { verdict: "sessionLost", status, reason: `it redirects the login (status ${status})` }
  }
  if (status === 403) return { verdict: "sessionLost", status, reason: "it forbids the login (status 403)" }
  if (status >= 400) return { verdict: "protocol", reason: `it answers the login with status ${status}` }
  return isMaintenancePage(reply.text)
    ? { verdict: "protocol", reason: "it answers the login with a maintenance page" }
    : { verdict: "refused" }
}

/**
 * The path of the page where one changes a password, such as `/account/change-password` or `/login?expired=password`, when a redirect
 * leads there; null for any other, such as `/login?expired` of a session that has ended.
 */
export const passwordPage = (location: string): string | null =>
  /(change|expired?|new|reset|renew|update|must)[-_/=]?(the[-_])?(passwor[dt]|passwd|pwd|credentials?)|(passwor[dt]|passwd|pwd|credentials?)[-_/=.]?(has[-_])?(change|expired?|reset|renew|update)/i.test(
    location
  )
    ? printable(location.replace(/^\w+:\/\/[^/]*/, "").replace(/[?#;].*/s, ""))
    : null

const isMaintenancePage = (text: string): boolean =>
  /^\s*\uFEFF?\s*</.test(text) &&
  !/type\s*=\s*["']?password/i.test(text) &&
  /maint[ae]n[ae]nce|(temporarily|currently|service) (un|not )available|be (right )?back (soon|shortly)|try again later|wartung|down for|bad gateway|gateway time-?out/i.test(
    text
  )

/** What the error fields of a decoded body add to a status, for a message; empty when there are none. */
export const errorDetail = (body: unknown): string => {
  if (typeof body !== "object" || body === null) return ""
  const { errorMessageId, additionalInformation, errorId }: { readonly [K in ErrorField]?: unknown } = body
  return [errorMessageId, additionalInformation, errorId]
    .filter((said) => typeof said === "string" && said !== "")
    .join("; ")
}

type ErrorField = "errorMessageId" | "additionalInformation" | "errorId"
