/** Whether a reader wants a file at all, by the version that it has (RFC 9110, sections 13.1 and 13.2.2). Pure. */
import type { ObjectVersion } from "../transfer/RangeReply.ts"

/** `NotModified` is answered with 304: the reader has this version. `Failed`, 412: it wants another one. */
export type Precondition = "Send" | "NotModified" | "Failed"

type Fields = Readonly<Record<string, string | undefined>>

export const preconditionOf = (headers: Fields, version: ObjectVersion): Precondition => {
  const {
    "if-match": match,
    "if-modified-since": modified,
    "if-none-match": none,
    "if-unmodified-since": unmodified
  } = headers
  if (match !== undefined) {
    if (!namesTag(match, version, false)) return "Failed"
  } else if (unmodified !== undefined && isAfter(version.lastModified, unmodified)) return "Failed"
  if (none !== undefined) return namesTag(none, version, true) ? "NotModified" : "Send"
  if (modified === undefined || timeOf(version.lastModified) === null || timeOf(modified) === null) return "Send"
  return isAfter(version.lastModified, modified) ? "Send" : "NotModified"
}

/** Whether a list of tags, or a star for any, names this version; a file whose tag is not known is named by the star alone. */
const namesTag = (list: string, { etag }: ObjectVersion, weak: boolean): boolean =>
  list.trim() === "*" ||
  [...list.matchAll(/(W\/)?("[^"]*")/g)].some(([, mark, tag]) => tag === etag && (weak || mark === undefined))

/** Whether one time is later than another; not when one of them cannot be read, as such fields are to be ignored. */
const isAfter = (one: string | null, other: string): boolean =>
  (timeOf(one) ?? Number.NaN) > (timeOf(other) ?? Number.NaN)

/** A date of HTTP in ms since 1970. */
const timeOf = (date: string | null): number | null => {
  const time = date === null || !/^\w{3,9},? .*\d/.test(date.trim()) ? Number.NaN : Date.parse(date)
  return Number.isNaN(time) ? null : time
}
