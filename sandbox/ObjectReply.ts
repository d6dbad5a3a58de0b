import type { IncomingMessage } from "node:http"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as DateTime from "effect/DateTime"
import * as Stream from "effect/Stream"
import type { LinkRefusal } from "./Links.ts"
import { errorXml } from "./Pages.ts"
import { openDisk, type StoredFile } from "./StoredFile.ts"
import { headerOf, pieces, textReply, type WireReply } from "./WireReply.ts"

/** The bytes `[start, end)` of a file, as an answer; the reply's body streams the same bytes. */
export interface FilePart {
  readonly file: StoredFile
  readonly start: number
  readonly end: number
}

export interface ObjectReply {
  readonly reply: WireReply
  /** What the body is, when it is a part of a file. */
  readonly part: FilePart | null
}

export const refuse = (
  { status, code, message, details = {} }: LinkRefusal,
  headers: Readonly<Record<string, string>> = {}
): ObjectReply => ({
  reply: textReply(
    status,
    { "content-type": "application/xml", ...headers },
    errorXml({ Code: code, Message: message, ...details, HostId: "sandbox" })
  ),
  part: null
})

const httpDate = (millis: number) => DateTime.toDateUtc(DateTime.makeUnsafe(millis)).toUTCString()

const lists = (header: string, etag: string) =>
  header.trim() === "*" || header.split(",").some((one) => one.trim() === etag)

const partStream = ({ file: { source }, start, end }: FilePart): WireReply["body"] =>
  end <= start
    ? Stream.empty
    : source._tag === "Memory"
      ? pieces(source.bytes().subarray(start, end))
      : NodeStream.fromReadable({
          evaluate: () => openDisk(source.path, start, end),
          onError: (cause) => new Error("a file of the sandbox cannot be read", { cause })
        })

/**
 * Conditions and range of a GET (RFC 9110 sections 13 and 14) as an object store applies them: If-Match or
 * If-Unmodified-Since (412), If-None-Match or If-Modified-Since (304), If-Range, then one range (206, 416).
 */
export const objectReply = (file: StoredFile, request: IncomingMessage, ignoreRange: boolean): ObjectReply => {
  const modified = httpDate(file.lastModified)
  const common = { etag: file.etag, "last-modified": modified, "accept-ranges": "bytes" }
  const date = (name: string) => Date.parse(headerOf(request, name) ?? "")

  const ifMatch = headerOf(request, "if-match")
  const stale = ifMatch === undefined ? file.lastModified > date("if-unmodified-since") : !lists(ifMatch, file.etag)
  if (stale) {
    return refuse({
      status: 412,
      code: "PreconditionFailed",
      message: "At least one of the pre-conditions you specified did not hold",
      details: { Condition: ifMatch === undefined ? "If-Unmodified-Since" : "If-Match" }
    })
  }
  const noneMatch = headerOf(request, "if-none-match")
  const known = noneMatch === undefined ? file.lastModified <= date("if-modified-since") : lists(noneMatch, file.etag)
  if (known) return { reply: { status: 304, headers: common, body: Stream.empty }, part: null }

  const ifRange = headerOf(request, "if-range")?.trim()
  const unchanged = ifRange === undefined || ifRange === file.etag || ifRange === modified
  const asked = unchanged && !ignoreRange ? headerOf(request, "range") : undefined
  const range = parseByteRange(asked, file.size)
  if (range._tag === "Unsatisfiable") {
    return refuse(
      {
        status: 416,
        code: "InvalidRange",
        message: "The requested range is not satisfiable",
        details: { RangeRequested: asked ?? "", ActualObjectSize: `${file.size}` }
      },
      { "content-range": `bytes */${file.size}` }
    )
  }
  const isPart = range._tag === "Part"
  const part: FilePart = isPart ? { file, start: range.start, end: range.end } : { file, start: 0, end: file.size }
  const headers = {
    ...common,
    "content-type": "binary/octet-stream",
    "content-length": `${part.end - part.start}`,
    ...(isPart ? { "content-range": `bytes ${part.start}-${part.end - 1}/${file.size}` } : {})
  }
  return { reply: { status: isPart ? 206 : 200, headers, body: partStream(part) }, part }
}

/** A Range header against a size: nothing to apply, nothing to give, or the bytes from `start` to before `end`. */
export type ByteRange =
  | { readonly _tag: "Whole" }
  | { readonly _tag: "Unsatisfiable" }
  | { readonly _tag: "Part"; readonly start: number; readonly end: number }

const whole: ByteRange = { _tag: "Whole" }
const unsatisfiable: ByteRange = { _tag: "Unsatisfiable" }

/**
 * One range of a Range header (RFC 9110 section 14.1.2). A malformed header and a list of several ranges count as
 * absent: that is what object stores do.
 */
export const parseByteRange = (header: string | undefined, size: number): ByteRange => {
  const found = /^bytes=(\d*)-(\d*)$/.exec((header ?? "").trim())
  if (found === null) return whole
  const [first, last] = [found[1] ?? "", found[2] ?? ""]
  if (first === "" && last === "") return whole
  if (first === "") {
    const length = Math.min(Number(last), size)
    return length === 0 ? unsatisfiable : { _tag: "Part", start: size - length, end: size }
  }
  if (last !== "" && Number(last) < Number(first)) return whole
  if (Number(first) >= size) return unsatisfiable
  return { _tag: "Part", start: Number(first), end: last === "" ? size : Math.min(Number(last) + 1, size) }
}
