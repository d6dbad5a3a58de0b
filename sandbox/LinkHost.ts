import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { pipeline } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Stream from "effect/Stream"
import type { Fault } from "./Faults.ts"
import { keyOfLink, type LinkRefusal } from "./Links.ts"
import { errorXml } from "./Pages.ts"
import { State } from "./State.ts"
import { openDisk, type StoredFile } from "./Storage.ts"
import {
  atHead,
  changesBody,
  deliver,
  headerOf,
  onceOver,
  pieces,
  replacement,
  textReply,
  type WireReply,
  writeHead
} from "./WireReply.ts"

/** The bytes `[start, end)` of a file, as an answer; the reply's body streams the same bytes. */
interface FilePart {
  readonly file: StoredFile
  readonly start: number
  readonly end: number
}

interface ObjectReply {
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
const objectReply = (file: StoredFile, request: IncomingMessage, ignoreRange: boolean): ObjectReply => {
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

/** Sends a part of a file straight from disk to socket, which is faster than a stream of Effect. */
const pump = (response: ServerResponse, path: string, part: FilePart, wrote: (bytes: number) => void) =>
  Effect.callback<void>((resume) => {
    const readable = openDisk(path, part.start, part.end)
    readable.on("data", (chunk) => wrote(chunk.length))
    pipeline(readable, response, () => resume(Effect.void))
    return Effect.sync(() => readable.destroy())
  })

/**
 * Serves the files on their own port, as an object store with presigned links: only GET, no session, S3's error
 * documents, strong ETags, single ranges, conditions. Requests are answered until the scope closes.
 */
export const serveLinks = Effect.fn("serveLinks")(function* (server: Server) {
  const { faults, links, stats, storage } = yield* State
  const run = yield* FiberSet.makeRuntime<never>()
  let requests = 0

  const count = (request: IncomingMessage, response: ServerResponse, file: StoredFile | undefined) => {
    stats.linkRequests++
    stats.linkInFlight++
    stats.maxLinkInFlight = Math.max(stats.maxLinkInFlight, stats.linkInFlight)
    onceOver(response, () => stats.linkInFlight--)
    if (request.headers.cookie !== undefined) stats.cookiesSeenByLinkHost++
    if (request.headers["x-csrf-token"] !== undefined) stats.tokensSeenByLinkHost++
    if (request.headers.referer !== undefined) stats.referersSeenByLinkHost++
    if (request.headers.authorization !== undefined) stats.authorizationsSeenByLinkHost++
    const name = file === undefined ? "unknown" : `${file.analysis}/${file.name}`
    stats.files[name] ??= { requests: 0, bytes: 0, ranges: [] }
    const row = stats.files[name]
    row.requests++
    row.ranges.push(headerOf(request, "range") ?? null)
    return (bytes: number) => {
      row.bytes += bytes
      stats.linkBytes += bytes
    }
  }

  const decide = Effect.fnUntraced(function* (request: IncomingMessage, key: string | null, fault: Fault) {
    const url = request.url ?? ""
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse({ status: 405, code: "MethodNotAllowed", message: "The specified method is not allowed" })
    }
    if (request.headers.authorization !== undefined) {
      return refuse({ status: 400, code: "InvalidArgument", message: "Only one auth mechanism allowed" })
    }
    // The signature is for GET: a HEAD request would need another one.
    const refusal = links.check(request.method === "HEAD" ? `${url}-` : url, yield* Clock.currentTimeMillis)
    if (refusal !== null) {
      if (refusal.expired === true) stats.expiredLinks++
      return refuse(refusal)
    }
    const file = key === null ? undefined : storage.byKey(key)
    if (file === undefined) {
      return refuse({ status: 404, code: "NoSuchKey", message: "The specified key does not exist." })
    }
    const state = yield* storage.state(file)
    return state._tag === "Online"
      ? objectReply(file, request, fault.ignoreRange === true)
      : refuse({
          status: 403,
          code: "InvalidObjectState",
          message: "The operation is not valid for the object's storage class"
        })
  })

  const handle = Effect.fnUntraced(function* (request: IncomingMessage, response: ServerResponse) {
    const url = request.url ?? ""
    const key = keyOfLink(url)
    const file = key === null ? undefined : storage.byKey(key)
    const wrote = count(request, response, file)
    const fault = faults.take({
      plane: "link",
      endpoint: null,
      method: request.method ?? "GET",
      url,
      file: file?.name ?? null,
      analyses: file === undefined ? [] : [file.analysis],
      ranged: request.headers.range !== undefined
    })
    if (fault.delay !== undefined) yield* Effect.sleep(fault.delay)
    yield* atHead(fault.loseAnswer === true ? { reset: "head" } : fault, response)
    if (file !== undefined && fault.swap !== undefined) storage.swap(file, fault.swap)
    if (file !== undefined && fault.archive === true) storage.freeze(file)
    if (fault.expireLink === "now") links.expire(url)

    const instead = replacement(fault)
    const { reply, part }: ObjectReply =
      instead === null ? yield* decide(request, key, fault) : { reply: instead, part: null }
    if (fault.expireLink === "next") links.expire(url)
    yield* Effect.logDebug(`link host: ${request.method} ${file?.analysis}/${file?.name} -> ${reply.status}`)

    const named = {
      ...reply,
      headers: { ...reply.headers, server: "svc-sandbox", "x-amz-request-id": `${++requests}` }
    }
    if (part?.file.source._tag === "Disk" && part.end > part.start && !changesBody(fault)) {
      writeHead(response, named, fault)
      return yield* pump(response, part.file.source.path, part, wrote)
    }
    yield* deliver(response, named, fault, part === null ? undefined : wrote)
  })

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const fiber = run(
      handle(request, response).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : Effect.andThen(
                Effect.logError("link host: a request failed", cause),
                Effect.sync(() => response.destroy())
              )
        )
      )
    )
    response.once("close", () => fiber.interruptUnsafe())
  }
  server.on("request", onRequest)
})
