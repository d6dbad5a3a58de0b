/**
 * When a presigned link says that it ends: a hint, since clocks differ and the token that signed the link may end sooner.
 * Only the answer of the link host decides.
 *
 * Known forms: `X-Amz-Date` + `X-Amz-Expires`, `X-Goog-Date` + `X-Goog-Expires` (seconds), `Expires` (seconds since
 * 1970), `se` of Azure (ISO 8601).
 */
import * as DateTime from "effect/DateTime"
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
 * Milliseconds that a link made at `now` is good for, null when it does not say; some links say so whatever the clock of this
 * machine shows.
 */
export const lifetimeOf = (link: string, now: number): number | null => {
  const field = fieldsOf(link)
  const seconds = wholeNumber(field?.("x-amz-expires") ?? null) ?? wholeNumber(field?.("x-goog-expires") ?? null)
  if (seconds !== null) return seconds * 1000
  const expiry = expiryOf(link)
  return expiry === null ? null : expiry - now
}

/** Links are renewed this long before they say they end, so that a request does not start on a dying one. */
const margin = 30_000

/** Whether a request should not be started on this link any more. */
export const isExpired = (link: string, now: number): boolean => {
  const expiry = expiryOf(link)
  return expiry !== null && expiry - now < margin
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
