/**
 * How long a presigned link is good, by what it says of itself. That is a hint, since clocks differ and the token that signed the
 * link may end sooner: only the answer of the link host decides.
 *
 * Known forms: `X-Amz-Date` + `X-Amz-Expires`, `X-Goog-Date` + `X-Goog-Expires` (seconds), `Expires` (seconds since
 * 1970), `se` of Azure (ISO 8601).
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** Milliseconds since 1970, null when the link does not say or says it in a form not known here. */
export const expiryOf = (link: string): number | null => {
  const field = fieldsOf(link)
  if (field === null) return null
  for (const vendor of ["x-amz", "x-goog"]) {
    const start = compactDate(field(`${vendor}-date`))
    const seconds = wholeNumber(field(`${vendor}-expires`))
    if (start !== null && seconds !== null) return start + seconds * 1000
  }
  const epoch = wholeNumber(field("expires"))
  if (epoch !== null) return epoch * 1000
  const azure = field("se")
  return azure === null || !/^\d{4}-\d\d-\d\d/.test(azure) ? null : instant(azure)
}

/**
 * A link is used only while this much of its life is left: 30 s, or three quarters of a shorter life, and at least a second, so
 * that no request starts on a link that is about to end. Signers count in whole seconds: a link made at the end of a second lives
 * almost a second less than it says.
 */
const reserve = { most: Duration.toMillis("30 seconds"), part: 0.75, least: Duration.toMillis("1 second") }

/**
 * Until when a link is surely good, in ms since 1970; infinite when it does not say.
 *
 * Its age counts from `askedAt`, when the service was asked for it, so that clocks which differ do not matter. It does not count from
 * the end of the answer, which may take longer than the link lives: links of 2 s were used after they had ended, and 35 of 10,000
 * ranges failed. Null when nobody knows when it was asked for: then this machine's clock decides.
 */
export const goodUntil = (link: string, askedAt: number | null): number => {
  if (askedAt === null) return (expiryOf(link) ?? Number.POSITIVE_INFINITY) - reserve.most
  const lifetime = lifetimeOf(link, askedAt)
  // A link that ended before it was asked for shows that a clock is wrong.
  if (lifetime === null || lifetime <= 0) return Number.POSITIVE_INFINITY
  return askedAt + Math.max(0, lifetime - Math.max(reserve.least, Math.min(reserve.most, lifetime * reserve.part)))
}

/** Milliseconds that a link made at `now` lives, null when it does not say; some links say so whatever this machine's clock shows. */
const lifetimeOf = (link: string, now: number): number | null => {
  const field = fieldsOf(link)
  const seconds = wholeNumber(field?.("x-amz-expires") ?? null) ?? wholeNumber(field?.("x-goog-expires") ?? null)
  if (seconds !== null) return seconds * 1000
  const expiry = expiryOf(link)
  return expiry === null ? null : expiry - now
}

/** The values of the query by the lower-case names of its fields; null without a query. */
const fieldsOf = (link: string): ((name: string) => string | null) | null => {
  const query = /^[^#?]*\?([^#]*)/.exec(link)?.[1]
  if (query === undefined) return null
  const fields = new URLSearchParams(query)
  return (name) => {
    for (const [key, value] of fields) if (key.toLowerCase() === name) return value
    return null
  }
}

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null

/** `20260131T235959Z` */
const compactDate = (text: string | null): number | null => {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? "")
  if (parts === null) return null
  const [, year, month, day, hour, minute, second] = parts
  return instant(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

const instant = (text: string): number | null =>
  DateTime.make(text).pipe(Option.map(DateTime.toEpochMillis), Option.getOrNull)
