/** What a reader wants of a file by the header fields of its request: whether it wants it at all, and which bytes (RFC 9110). Pure. */
import { type ObjectVersion, strongTag } from "../transfer/RangeReply.ts"
import type { SizedVersion } from "./FileBytes.ts"

/** `NotModified` is answered with 304: the reader has this version. `Failed`, 412: it wants another one. */
export type Precondition = "Send" | "NotModified" | "Failed"

type Fields = Readonly<Record<string, string | undefined>>

/** Judges the conditions on the version that the reader has (sections 13.1 and 13.2.2). */
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

export type RequestedRange =
  /** Everything: no range was asked for, or in a form that may be ignored. */
  | { readonly _tag: "Whole" }
  /** Bytes `[first, end)`. */
  | { readonly _tag: "Part"; readonly first: number; readonly end: number }
  /** Nothing of the file lies there: 416. */
  | { readonly _tag: "Unsatisfiable" }

const whole: RequestedRange = { _tag: "Whole" }

/**
 * Reads `Range` and `If-Range` (sections 13.1.5 and 14.2). Several ranges in one request are answered with the whole file, as the standard permits; no known
 * reader of our files sends them.
 */
export const requestedRange = (
  range: string | undefined,
  ifRange: string | undefined,
  version: ObjectVersion,
  size: number
): RequestedRange => {
  const match = /^\s*bytes\s*=\s*(?:(\d+)\s*-\s*(\d+)?|-\s*(\d+))\s*$/i.exec(range ?? "")
  if (match === null || (ifRange !== undefined && !isSame(ifRange, version))) return whole
  const [from, to, suffix] = match.slice(1, 4).map((text) => (text === undefined ? null : Number(text)))
  if (suffix != null) {
    return suffix === 0 || size === 0
      ? { _tag: "Unsatisfiable" }
      : { _tag: "Part", first: Math.max(0, size - suffix), end: size }
  }
  if (from == null || (to != null && to < from)) return whole
  return from >= size
    ? { _tag: "Unsatisfiable" }
    : { _tag: "Part", first: from, end: to == null ? size : Math.min(size, to + 1) }
}

/** Whether what the reader has is of this version: by a strong tag, or by the very same date. */
const isSame = (ifRange: string, { etag, lastModified }: ObjectVersion): boolean =>
  (etag !== null && strongTag(ifRange) === etag) || (lastModified !== null && ifRange.trim() === lastModified)

const headersOf = ({ etag, lastModified }: SizedVersion): Record<string, string> => ({
  "accept-ranges": "bytes",
  "content-type": "application/octet-stream",
  "cache-control": "private, no-cache",
  ...(isFieldValue(etag) ? { etag } : {}),
  ...(isFieldValue(lastModified) ? { "last-modified": lastModified } : {})
})

/** A link host may state anything; what cannot stand in a header field is not passed on. */
const isFieldValue = (text: string | null): text is string => text !== null && /^[\u0020-\u007e]+$/.test(text)

/** Status, header fields and range (0-based, `end` excluded) of an answer with bytes. */
export const headOf = (version: SizedVersion, headers: Readonly<Record<string, string | undefined>>) => {
  const { size } = version
  const precondition = preconditionOf(headers, version)
  if (precondition !== "Send") {
    return { status: precondition === "Failed" ? 412 : 304, first: 0, end: 0, headers: headersOf(version) }
  }
  const range = requestedRange(headers["range"], headers["if-range"], version, size)
  const known = headersOf(version)
  switch (range._tag) {
    case "Unsatisfiable":
      return { status: 416, first: 0, end: 0, headers: { ...known, "content-range": `bytes */${size}` } }
    case "Whole":
      return { status: 200, first: 0, end: size, headers: { ...known, "content-length": String(size) } }
    case "Part": {
      const { end, first } = range
      const fields = { "content-length": String(end - first), "content-range": `bytes ${first}-${end - 1}/${size}` }
      return { status: 206, first, end, headers: { ...known, ...fields } }
    }
  }
}
