/**
 * HTTP for the API plane: `node:http` with our own connections, no redirects, no cookies.
 *
 * Timeouts after the connection are set by the session. GET and HEAD share lasting connections; a request that may
 * change something gets a new one, so that it is never lost on a connection that the service has just closed (N16).
 */

import { readFile } from "node:fs/promises"
import type Http from "node:http"
import { pipeline, type Readable, type Transform } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { ConfigUnusable, errnoOf } from "../../core/src/Errors.ts"
import { ReplyResponse } from "../../core/src/session/ReplyReading.ts"
import { faultOfCause, TransportFault } from "../../core/src/session/TransportFault.ts"
import type { ProxyAddress } from "../../core/src/settings/Settings.ts"
import { portOf } from "../../core/src/settings/Target.ts"
import { Dialer, http, proxyAnswered, unreadablePem } from "./Dialer.ts"

/** How the API is reached. */
export interface ApiHttpSettings {
  readonly proxy: ProxyAddress | null
  /** Path of a PEM file with authorities to trust besides those of the system. */
  readonly caFile: string | null
  /** Hosts not reached through the proxy; the variable `NO_PROXY` when absent. */
  readonly noProxy?: string
  /** Timeout of each of TCP, proxy and TLS; 15 s when absent. */
  readonly connectTimeout?: Duration.Duration
}

/** The authorities in a file, checked; `ConfigUnusable` names what is wrong with it. */
const readAuthorities = (path: string) =>
  Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (error) =>
      new ConfigUnusable({
        path,
        reason: `cannot be read (${errnoOf(error, "error")})`
      })
  }).pipe(
    Effect.tap((pem) => {
      const reason = unreadablePem(pem)
      return reason === null ? Effect.void : new ConfigUnusable({ path, reason })
    })
  )

const noProxyVariable = Config.String("NO_PROXY").pipe(
  Config.orElse(() => Config.String("no_proxy")),
  Config.withDefault("")
)

/** Connections that close with the scope. Shared by the API plane and by link hosts. */
export const makeDialer = Effect.fnUntraced(function* (settings: ApiHttpSettings) {
  const ca = settings.caFile === null ? null : yield* readAuthorities(settings.caFile)
  const noProxy = settings.noProxy ?? (yield* Effect.orDie(noProxyVariable))
  const connectTimeout = Duration.toMillis(settings.connectTimeout ?? Duration.seconds(15))
  return yield* Effect.acquireRelease(
    Effect.sync(() => new Dialer({ proxy: settings.proxy, noProxy, ca, connectTimeout })),
    (dialer) => Effect.sync(() => dialer.destroy())
  )
})

const transportError = (request: HttpClientRequest.HttpClientRequest, cause: TransportFault) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, cause, description: cause.reason })
  })

/** The body as Node sends it, and the headers that belong to it. */
const bodyOf = (request: HttpClientRequest.HttpClientRequest, body: HttpBody.HttpBody) => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(undefined)
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "Stream":
      // @effect-diagnostics-next-line anyUnknownInErrorContext:off -- a body's stream fails with anything
      return Stream.mkUint8Array(body.stream).pipe(
        Effect.mapError(
          (cause) =>
            new HttpClientError.HttpClientError({ reason: new HttpClientError.EncodeError({ request, cause }) })
        )
      )
    default:
      return Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.EncodeError({
            request,
            description: `${body._tag} bodies are not part of this API`
          })
        })
      )
  }
}

interface Stale {
  readonly _tag: "Stale"
}

const make = (dialer: Dialer) =>
  HttpClient.make((request, url, signal) => {
    const send = (use: "lasting" | "single", body: Uint8Array | undefined) =>
      Effect.callback<ReplyResponse, HttpClientError.HttpClientError | Stale>((resume) => {
        const dialled = dialer.dial(url, use)
        const outgoing = http.request({
          method: request.method,
          host: url.hostname,
          port: portOf(url),
          path: dialled.path,
          headers: {
            ...request.headers,
            ...dialled.headers,
            host: url.host,
            ...(body === undefined ? {} : { "content-length": String(body.length) })
          },
          agent: dialled.agent,
          signal
        })
        let answered = false
        let late: Error | null = null
        let begun = false
        outgoing.on("socket", (socket) => {
          socket.once("data", () => {
            begun = true
          })
        })
        outgoing.on("error", (error) => {
          // The body itself is only told that the connection was reset.
          if (answered) {
            late = error
            return
          }
          const stale =
            outgoing.reusedSocket && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE")
          const { kind, ...fault } = faultOfCause(error)
          const seen = kind === "Broken" && !begun ? "Unanswered" : kind
          resume(
            Effect.fail(
              stale ? { _tag: "Stale" } : transportError(request, new TransportFault({ ...fault, kind: seen }))
            )
          )
        })
        outgoing.on("response", (incoming) => {
          answered = true
          const status = incoming.statusCode ?? 0
          if (status === 407 && dialled.forwarder !== null) {
            incoming.destroy()
            const fault = proxyAnswered(dialled.forwarder, status, incoming.headers["proxy-authenticate"])
            return resume(Effect.fail(transportError(request, fault)))
          }
          resume(Effect.succeed(replyOf(request, url, incoming, () => late)))
        })
        outgoing.end(body)
        return Effect.sync(() => outgoing.destroy())
      })
    const safe = request.method === "GET" || request.method === "HEAD"
    return Effect.flatMap(bodyOf(request, request.body), (body) =>
      send(safe ? "lasting" : "single", body).pipe(
        // A lasting connection was closed by the other side in the same moment: no answer was begun, so once more.
        Effect.catchTag("Stale", () => send("single", body)),
        Effect.catchTag("Stale", () =>
          transportError(request, new TransportFault({ kind: "Unanswered", reason: "connection reset" }))
        )
      )
    )
  })

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress
}

/**
 * The body as it was before it was compressed. Nobody asked for compression, but some servers and proxies do it all the
 * same, and may: a request that says nothing accepts any encoding (RFC 9110, 12.5.3).
 */
const plainBody = (request: HttpClientRequest.HttpClientRequest, incoming: Http.IncomingMessage): Readable => {
  const { "content-encoding": encoding = "", "content-length": length } = incoming.headers
  const name = encoding.trim().toLowerCase()
  const decoder = decoders[name]
  if (name === "" || name === "identity" || request.method === "HEAD" || length === "0") return incoming
  if (decoder === undefined) {
    const said = /^[a-z0-9._, -]{1,40}$/.test(name) ? name : "of an unreadable name"
    const fault = new TransportFault({
      kind: "Encoding",
      reason: `its body has the encoding ${said}, which was not asked for`
    })
    return incoming.destroy(fault)
  }
  delete incoming.headers["content-encoding"]
  delete incoming.headers["content-length"]
  // `pipeline` destroys both streams when either fails; the reader of the body gets the error.
  return pipeline(incoming, decoder(), () => undefined)
}

/** Error codes of zlib for bytes in another format; a truncated body gives `Z_BUF_ERROR`. */
const otherFormat = /^(Z_DATA_ERROR|Z_NEED_DICT|ERR_BROTLI_|ERR__ERROR_FORMAT)/

const faultOfBody = (cause: unknown): TransportFault =>
  otherFormat.test(errnoOf(cause))
    ? new TransportFault({ kind: "Encoding", reason: "its body is not in the encoding that its header names" })
    : faultOfCause(cause)

const replyOf = (
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  incoming: Http.IncomingMessage,
  late: () => Error | null
): ReplyResponse => {
  const body = plainBody(request, incoming)
  const lines = incoming.headers["set-cookie"] ?? []
  const response: ReplyResponse = new ReplyResponse(
    request,
    {
      url: url.href,
      status: incoming.statusCode ?? 0,
      headers: Headers.fromInput({ ...incoming.headers, "set-cookie": lines.map((line) => `${line}\n`).join("") }),
      cookies: Cookies.fromSetCookie(lines)
    },
    NodeStream.fromReadable({
      evaluate: () => body,
      onError: (cause) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({ request, response, cause: faultOfBody(late() ?? cause) })
        })
    })
  )
  return response
}

/** The `HttpClient` of the API plane. Fails when the CA file cannot be used. */
export const layer = (settings: ApiHttpSettings): Layer.Layer<HttpClient.HttpClient, ConfigUnusable> =>
  Layer.effect(HttpClient.HttpClient, Effect.map(makeDialer(settings), make))
