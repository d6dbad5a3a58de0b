/** What a reader asks of a file with `Range` and `If-Range` (RFC 9110, sections 13.1.5 and 14.2). Pure. */
import { type ObjectVersion, strongTag } from "../transfer/RangeReply.ts"

export type RequestedRange =
  /** Everything: no range was asked for, or in a form that may be ignored. */
  | { readonly _tag: "Whole" }
  /** Bytes `[first, end)`. */
  | { readonly _tag: "Part"; readonly first: number; readonly end: number }
  /** Nothing of the file lies there: 416. */
  | { readonly _tag: "Unsatisfiable" }

const whole: RequestedRange = { _tag: "Whole" }

/** Several ranges in one request are answered with the whole file, as the standard permits; no known reader of our files sends them. */
export const requestedRange = (
  range: string | undefined,
  ifRange: string | undefined,
  version: ObjectVersion,
  size: number
): RequestedRange => {
  const match = /^\s*bytes\s*=\s*(?:(\d{1,16})\s*-\s*(\d{1,16})?|-\s*(\d{1,16}))\s*$/i.exec(range ?? "")
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
