/**
 * What a reply says about the session, decided before anything decodes it.
 *
 * The service answers a request of a lost session with a redirect and 50 kB of HTML, later ones with 403 (docs/dev/service.md 3 and
 * 11.6). Without this check the caller would take both for data. Pure functions of status, headers and first bytes.
 */

/** The parts of a reply by which it is judged. */
export interface ReplySample {
  readonly status: number
  /** The first bytes of the body, at least one that is not white space unless the body has none. */
  readonly start: Uint8Array
}

/**
 * - `ok`: an answer for the caller, whatever its status says about the thing asked for.
 * - `redirected`, `html`: the session is gone, or the service sent a page where data were due.
 * - `forbidden`: the session is gone, or this account may not see the thing; only a fresh login tells.
 * - `transient`: no answer; the same request may work later.
 */
export type Recognised = "ok" | "redirected" | "html" | "forbidden" | "transient"

const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * True when the first character after white space is `<`. JSON never begins so, whatever the content type claims, and HTML, XHTML
 * and XML always do (H17).
 */
export const beginsLikeMarkup = (start: Uint8Array): boolean => {
  let at = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0
  while (at < start.length && isWhiteSpace(start[at])) at++
  return start[at] === 0x3c
}

/** True while the bytes are only white space or a byte order mark, so that markup cannot be told from data yet. */
export const isUndecided = (start: Uint8Array): boolean =>
  start.every((byte) => isWhiteSpace(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf)

const isWhiteSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Judges the reply to a request that was sent with a session. */
export const recognise = (reply: ReplySample): Recognised => {
  if (reply.status >= 300 && reply.status < 400) return "redirected"
  // The service is known to send 403; one that treats its session as authentication would send 401.
  if (reply.status === 403 || reply.status === 401) return "forbidden"
  if (transientStatuses.has(reply.status)) return "transient"
  if (reply.status < 300 && beginsLikeMarkup(reply.start)) return "html"
  return "ok"
}

/**
 * - `loggedIn`: the reply carries a token.
 * - `refused`: user name or password are wrong; sent once, never again.
 * - `sessionLost`: the initial session ended before the login form arrived; the password was not judged.
 * - `protocol`: the service is not there, or not the service we know; not repeated either.
 */
export type LoginRecognised =
  | { readonly verdict: "loggedIn" }
  | { readonly verdict: "refused" }
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
    return /[?&;/#](login[-_]?)?(error|fail(ed|ure)?|denied|bad[-_]?credentials)\b/i.test(reply.location ?? "")
      ? { verdict: "refused" }
      : { verdict: "sessionLost", status, reason: `it redirects the login (status ${status})` }
  }
  if (status === 403) return { verdict: "sessionLost", status, reason: "it forbids the login (status 403)" }
  if (status >= 400) return { verdict: "protocol", reason: `it answers the login with status ${status}` }
  return isMaintenancePage(reply.text)
    ? { verdict: "protocol", reason: "it answers the login with a maintenance page" }
    : { verdict: "refused" }
}

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
