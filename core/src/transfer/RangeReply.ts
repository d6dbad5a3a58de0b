/**
 * Whether a reply of a link host is what was asked for. Pure: status and header fields in, a verdict out.
 *
 * A 206 is not enough: start, end and total of `Content-Range` must be those asked for (RFC 9110 sections 13 to 15).
 */
import { liesCold, statusWord } from "../Errors.ts"
import { isPassing } from "../Schedules.ts"
import { beginsLikeMarkup } from "../text/Markup.ts"
import { comparisonOf, conflict, type StatedDigest, statedDigests } from "./Digests.ts"

/** What makes two replies speak of the same bytes. Only a strong `etag` is kept. */
export interface ObjectVersion {
  readonly size: number | null
  readonly etag: string | null
  readonly lastModified: string | null
  /** Checksums of all its bytes. */
  readonly digests: ReadonlyArray<StatedDigest>
}

/** `[first, end)` was asked for; `end` null asks for everything. `range` false: without a `Range` field. */
export interface RangeAsked {
  readonly first: number
  readonly end: number | null
  readonly range: boolean
  /** Size according to the listing. */
  readonly size: number | null
  /** What earlier replies stated of the object. */
  readonly known: ObjectVersion | null
}

/**
 * How many bytes are requested to learn the size and version of a file, since presigned links for GET refuse HEAD. More than one,
 * because an S3 server answered the range `0-0` with the whole file.
 */
export const probedBytes = 16

/** What is known of a reply before its body; fields as in `LinkReply`. */
export interface ReplyHead {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly framed: boolean
  /** Why the host refuses, in its own word; null where it says none, or was not listened to. */
  readonly code?: string | null
  /** The first bytes of the body, where they were looked at ({@link isDoubtful}); none of an empty one. */
  readonly start?: Uint8Array
}

/** What a reply is for the request that it answers. */
export type Verdict =
  /** The body is `[first, end)` of this version; `end` null: to the end, wherever that is. */
  | { readonly _tag: "Bytes"; readonly first: number; readonly end: number | null; readonly version: ObjectVersion }
  /** The whole body in place of a range: the host does not do ranges. */
  | { readonly _tag: "RangeIgnored"; readonly version: ObjectVersion }
  | { readonly _tag: "Changed"; readonly reason: string }
  | { readonly _tag: "WrongSize"; readonly size: number }
  /** The link is no longer honoured. */
  | { readonly _tag: "Stale"; readonly status: number }
  | { readonly _tag: "Redirect"; readonly location: string }
  /** The file may come later. `retryAfter` in seconds or as a date, as sent. */
  | { readonly _tag: "Later"; readonly reason: string; readonly retryAfter: string | null }
  /** The reply does not answer this request. `ofRange`: it is the range that it gets wrong, so the whole file may still come. */
  | { readonly _tag: "Wrong"; readonly reason: string; readonly ofRange: boolean }

const stale = new Set([400, 401, 403, 404, 410])
const redirect = new Set([301, 302, 303, 307, 308])

const wrongReply = (reason: string): Verdict => ({ _tag: "Wrong", reason, ofRange: false })
const wrongRange = (reason: string): Verdict => ({ _tag: "Wrong", reason, ofRange: true })
const later = (reason: string, headers: ReadonlyMap<string, string>): Verdict => ({
  _tag: "Later",
  reason,
  retryAfter: headers.get("retry-after") ?? null
})

/** Judges a reply before a byte of its body is used. */
export const judge = (asked: RangeAsked, reply: ReplyHead): Verdict => {
  const { headers } = reply
  const status = statusOf(asked, reply)
  if (stale.has(status) || liesCold(reply.code ?? null)) return { _tag: "Stale", status }
  if (isPassing(status)) return later(`status ${statusWord(status, reply.code ?? null)}`, headers)
  const location = headers.get("location")
  if (redirect.has(status) && location !== undefined) return { _tag: "Redirect", location }
  if (status === 412) return { _tag: "Changed", reason: "the link host says that the file changed" }
  if (status === 416) return judgeUnsatisfied(asked, reply)
  if (status !== 200 && status !== 206) return wrongReply(`answered ${status} to a request for the file`)
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? ""
  if (encoding !== "" && encoding !== "identity" && !isAsStored(asked, { ...reply, status }))
    return wrongReply(`compresses the file on its way (content encoding ${token(encoding)}), which was not asked for`)
  return status === 206 ? judgePart(asked, headers) : judgeWhole(asked, reply)
}

/**
 * The status that says what a reply is. Some hosts refuse a range with 400 and S3's word for 416, which says nothing against the link.
 * Some send the range that was asked for with 200 in place of 206 (modelscope_hub #50). Taken for the whole file, it would
 * be a file of another size. Its own length tells it from the whole file beside a Content-Range that only repeats the request.
 */
const statusOf = ({ range }: RangeAsked, { code, headers, status }: ReplyHead): number => {
  if (status === 400 && code === "InvalidRange") return 416
  const sent = range && status === 200 ? contentRange(headers.get("content-range")) : null
  return sent !== null && sent.first !== null && contentLength(headers) === sent.end - sent.first ? 206 : status
}

/**
 * Whether the body is the object as it is stored. Nobody asked for an encoding, so one that is named may be no more than what a
 * program noted at the object when it uploaded it (`gzip` for a `.vcf.gz`, `aws-chunked`). Its size tells, and in the end the
 * structure and checksums of what came.
 */
const isAsStored = ({ size }: RangeAsked, { headers, status }: ReplyHead): boolean => {
  const stated = status === 206 ? (contentRange(headers.get("content-range"))?.size ?? null) : contentLength(headers)
  return stated !== null && (size === null || size === stated)
}

const judgePart = (asked: RangeAsked, headers: ReadonlyMap<string, string>): Verdict => {
  if (!asked.range) return wrongReply("answered 206 although no range was asked for")
  if (/^\s*multipart\//i.test(headers.get("content-type") ?? "")) return wrongRange("sent several ranges in one reply")
  const range = contentRange(headers.get("content-range"))
  if (range === null || range.first === null) return wrongRange("sent a range without saying which")
  if (range.first !== asked.first) return wrongRange(`sent bytes from ${range.first} when asked for ${asked.first}`)
  const length = contentLength(headers)
  if (length !== null && length !== range.end - range.first)
    return wrongRange("sent a range whose length contradicts itself")
  const version = versionOf(206, headers, range.size)
  const conflict = conflictWith(asked, version)
  if (conflict !== null) return conflict
  // A host may send fewer bytes than asked for, but nothing else.
  const limit = asked.end ?? range.size
  if (limit !== null && range.end > limit) return wrongRange(`sent bytes up to ${range.end} when asked for ${limit}`)
  return { _tag: "Bytes", first: range.first, end: range.end, version }
}

const judgeWhole = (asked: RangeAsked, reply: ReplyHead): Verdict => {
  const { framed, headers } = reply
  const size = contentLength(headers)
  const version = versionOf(200, headers, size)
  const conflict = conflictWith(asked, version)
  // Of the right length it is the file, whatever it is called. Where no length proves that, its beginning tells.
  const proven = size !== null && size === sizeKnown(asked) && conflict === null
  const nothing = proven ? null : nothingOfFile(asked, reply, conflict !== null)
  if (nothing !== null) return nothing
  if (conflict !== null) return conflict
  if (asked.first > 0) return { _tag: "RangeIgnored", version }
  const expected = size ?? sizeKnown(asked)
  if (expected === null && !framed) return wrongReply("does not say how long the file is")
  // Asked for the first bytes and got everything: that is a good start, if it may be taken as everything.
  if (asked.end !== null && expected !== null && asked.end < expected) return { _tag: "RangeIgnored", version }
  if (asked.end !== null && expected === null) return { _tag: "RangeIgnored", version }
  return { _tag: "Bytes", first: 0, end: expected, version }
}

/** 416: there is no such range. An empty object has none at all. */
const judgeUnsatisfied = (asked: RangeAsked, { headers, status }: ReplyHead): Verdict => {
  const wrong = (asked.range ? wrongRange : wrongReply)(`answered ${status} to a range inside the file`)
  const size = contentRange(headers.get("content-range"))?.size ?? null
  if (size === null) return wrong
  const { etag, lastModified } = asked.known ?? { etag: null, lastModified: null }
  const version = { size, etag, lastModified, digests: [] }
  return conflictWith(asked, version) ?? (size <= asked.first ? { _tag: "WrongSize", size } : wrong)
}

const conflictWith = (asked: RangeAsked, version: ObjectVersion): Verdict | null => {
  const changed = asked.known === null ? null : difference(asked.known, version)
  if (changed !== null) return { _tag: "Changed", reason: changed }
  if (asked.size !== null && version.size !== null && version.size !== asked.size) {
    return { _tag: "WrongSize", size: version.size }
  }
  return null
}

/** How `next` contradicts `known`; null when it may be the same object. */
export const difference = (known: ObjectVersion, next: ObjectVersion): string | null => {
  if (known.size !== null && next.size !== null && known.size !== next.size) {
    return `its size changed from ${known.size} to ${next.size} bytes`
  }
  const other = conflict(known.digests, next.digests)
  if (other !== null) return `its ${comparisonOf(other)} changed`
  if (known.etag !== null) return known.etag === next.etag ? null : "its entity tag changed"
  if (known.lastModified !== null && next.lastModified !== null && known.lastModified !== next.lastModified) {
    return "its time of last modification changed"
  }
  return null
}

const versionOf = (status: number, headers: ReadonlyMap<string, string>, size: number | null): ObjectVersion => {
  const etag = strongTag(headers.get("etag"))
  return { size, digests: statedDigests(status, headers), etag, lastModified: lastModified(headers, etag) }
}

/** How far the times of one reply are apart at most, in ms. */
const sameMoment = 5000

/**
 * Where no tag tells, a time that is that of the reply says only when the reply was made, as of some programs that hand out files. With
 * the next reply it is another one, as if the file had changed.
 */
const lastModified = (headers: ReadonlyMap<string, string>, etag: string | null): string | null => {
  const field = headers.get("last-modified")?.trim() ?? null
  const isNow = Math.abs(Date.parse(field ?? "") - Date.parse(headers.get("date") ?? "")) <= sameMoment
  return etag === null && isNow ? null : field
}

/** An entity tag that promises byte equality; `W/"..."` and tags without quotes do not (RFC 9110 section 8.8.3). */
export const strongTag = (field: string | undefined): string | null => {
  const tag = field?.trim()
  return tag !== undefined && /^"[\x21\x23-\x7e]{0,1000}"$/.test(tag) ? tag : null
}

/** `bytes 0-99/200`, `bytes 0-99/*` and the unsatisfied `bytes *`+`/200`; `end` is exclusive. */
export const contentRange = (
  field: string | undefined
):
  | { readonly first: number; readonly end: number; readonly size: number | null }
  | { readonly first: null; readonly size: number }
  | null => {
  const match = /^bytes (?:(\d{1,16})-(\d{1,16})|\*)\/(?:(\d{1,16})|\*)$/i.exec(field?.trim() ?? "")
  if (match === null) return null
  const [first, last, size] = [match[1], match[2], match[3]].map((text) => (text === undefined ? null : Number(text)))
  if (first === null || first === undefined || last === null || last === undefined) {
    return size === null || size === undefined ? null : { first: null, size }
  }
  if (last < first || (size !== null && size !== undefined && last >= size)) return null
  return { first, end: last + 1, size: size ?? null }
}

/**
 * Of a whole body that cannot be the file: what a firewall, the login page of a network or a service in maintenance send with status
 * 200. It says nothing of the file, whose bytes are kept. The type alone proves nothing: some hosts call every file a page, and some
 * pages have no type. What is called a page and contradicts what is known is one, since an error may be plain text; else the beginning
 * tells. Markup that contradicts what is known, or that comes in the middle of a file, is a page whatever it is called.
 */
const nothingOfFile = (asked: RangeAsked, { headers, start }: ReplyHead, contradicts: boolean): Verdict | null => {
  if (contentLength(headers) === 0 || start?.length === 0) {
    return sizeKnown(asked) === 0 && !contradicts ? null : later("an empty answer in place of the file", headers)
  }
  const called = isCalledPage(headers)
  const strange = contradicts || asked.first > 0
  const markup = start === undefined ? called && strange : beginsLikeMarkup(start)
  const isPage = called ? contradicts || markup : strange && markup
  return isPage ? later("a web page in place of the file", headers) : null
}

/** Whether a whole body may be nothing of the file although its status is that of one: {@link judge} wants to see how it begins. */
export const isDoubtful = (asked: RangeAsked, { headers, status }: ReplyHead): boolean => {
  if (status !== 200) return false
  const [length, size] = [contentLength(headers), sizeKnown(asked)]
  return length === null || isCalledPage(headers) || (size === null ? asked.first > 0 : length !== size)
}

/** In bytes; what earlier replies say counts more than the listing. */
const sizeKnown = ({ known, size }: RangeAsked): number | null => known?.size ?? size

const isCalledPage = (headers: ReadonlyMap<string, string>) =>
  /^(text\/html|application\/xhtml\+xml)\b/i.test(headers.get("content-type") ?? "")

const contentLength = (headers: ReadonlyMap<string, string>): number | null => {
  const text = headers.get("content-length")
  return text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : null
}

const token = (text: string) => text.replace(/[^a-z0-9._, -]/g, "?").slice(0, 40)
