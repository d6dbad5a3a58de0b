import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { pipeline } from "node:stream"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { Archive } from "./Archive.ts"
import { Counters } from "./Counters.ts"
import { type Fault, Faults } from "./Faults.ts"
import { Files } from "./Files.ts"
import { keyOfLink, Links } from "./Links.ts"
import { type FilePart, type ObjectReply, objectReply, refuse } from "./ObjectReply.ts"
import { openDisk, type StoredFile } from "./StoredFile.ts"
import { atHead, changesBody, deliver, headerOf, onceOver, replacement, writeHead } from "./WireReply.ts"

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
  const { stats } = yield* Counters
  const faults = yield* Faults
  const files = yield* Files
  const links = yield* Links
  const archive = yield* Archive
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
    const file = key === null ? undefined : files.byKey(key)
    if (file === undefined) {
      return refuse({ status: 404, code: "NoSuchKey", message: "The specified key does not exist." })
    }
    const state = yield* archive.state(file)
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
    const file = key === null ? undefined : files.byKey(key)
    const wrote = count(request, response, file)
    const fault = yield* faults.take({
      plane: "link",
      endpoint: "link",
      method: request.method ?? "GET",
      url,
      file: file?.name ?? null,
      analyses: file === undefined ? [] : [file.analysis],
      ranged: request.headers.range !== undefined
    })
    if (fault.delay !== undefined) yield* Effect.sleep(fault.delay)
    yield* atHead(fault.loseAnswer === true ? { reset: "head" } : fault, response)
    if (file !== undefined && fault.swap !== undefined) yield* files.swap(file, fault.swap)
    if (file !== undefined && fault.archive === true) yield* archive.freeze(file)
    if (fault.expireLink === "now") yield* links.expire(url)

    const instead = replacement(fault)
    const { reply, part }: ObjectReply =
      instead === null ? yield* decide(request, key, fault) : { reply: instead, part: null }
    if (fault.expireLink === "next") yield* links.expire(url)
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
