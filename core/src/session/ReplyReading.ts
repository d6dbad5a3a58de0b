/**
 * Reads the body of a reply: whole into memory, as a stream, or the beginning of an error page. What is read whole can be read any
 * number of times and needs no open connection. Text of the service is UTF-8 from here on: by its label, else it must be that.
 */
import * as Arr from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ReplyTooLarge } from "../Errors.ts"
import { brokenSetback, type Setback } from "./Setback.ts"
import { TransportFault } from "./TransportFault.ts"

export interface ReplyHead {
  readonly url: string
  readonly status: number
  readonly headers: Headers.Headers
  readonly cookies: Cookies.Cookies
}

type Body = Stream.Stream<Uint8Array, HttpClientError.HttpClientError>

// `TextDecoder` drops a byte order mark, which `JSON.parse` would refuse.
const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder()

/** `bytes` as text; null when they are not UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | null => Result.getOrNull(Result.try(() => strict.decode(bytes)))

const charset = /;\s*charset\s*=\s*"?([^\s";]+)"?/i

/** The decoder of a charset that a reply names, and that is known and not UTF-8. */
const decoderOf = (headers: Headers.Headers): InstanceType<typeof TextDecoder> | null => {
  const [, label] = charset.exec(headers["content-type"] ?? "") ?? []
  if (label === undefined) return null
  const decoder = Result.getOrNull(Result.try(() => new TextDecoder(label, { fatal: true })))
  return decoder?.encoding === "utf-8" ? null : decoder
}

const misnamed = brokenSetback("its text is not in the charset that its header names", "unreadable")

/** The body of a reply, whose text is UTF-8 whatever the charset that its header names. */
export const inUtf8 = (
  body: Stream.Stream<Uint8Array, Setback>,
  headers: Headers.Headers
): Stream.Stream<Uint8Array, Setback> => {
  const decoder = decoderOf(headers)
  if (decoder === null) return body
  const encoder = new TextEncoder()
  const recoded = (bytes: Uint8Array | undefined) =>
    Effect.try({
      try: () => encoder.encode(decoder.decode(bytes, { stream: bytes !== undefined })),
      catch: () => misnamed
    })
  return Stream.concat(Stream.mapEffect(body, recoded), Stream.fromEffect(Effect.suspend(() => recoded(undefined))))
}

/** The headers of that body. */
export const headersInUtf8 = (headers: Headers.Headers): Headers.Headers =>
  decoderOf(headers) === null
    ? headers
    : Headers.set(
        // Its length is that of other bytes.
        Headers.remove(headers, "content-length"),
        "content-type",
        (headers["content-type"] ?? "").replace(charset, ";charset=utf-8")
      )

/** A reply as an `HttpClientResponse`, whose body is either in memory or a stream. */
export class ReplyResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: typeof HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: typeof HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: string
  readonly status: number
  readonly headers: Headers.Headers
  readonly cookies: Cookies.Cookies
  readonly remoteAddress: Option.Option<string> = Option.none()
  readonly stream: Body
  /** Bytes of a body in memory; null for a stream. */
  readonly bodyLength: number | null
  readonly #bytes: Effect.Effect<Uint8Array<ArrayBuffer>, HttpClientError.HttpClientError>

  constructor(request: HttpClientRequest.HttpClientRequest, head: ReplyHead, body: Uint8Array<ArrayBuffer> | Body) {
    super()
    this.request = request
    this.url = head.url
    this.status = head.status
    this.headers = head.headers
    this.cookies = head.cookies
    if (body instanceof Uint8Array) {
      this.bodyLength = body.length
      this.#bytes = Effect.succeed(body)
      this.stream = body.length === 0 ? Stream.empty : Stream.succeed(body)
    } else {
      this.bodyLength = null
      this.#bytes = Stream.mkUint8Array(body)
      this.stream = body
    }
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer, HttpClientError.HttpClientError> {
    return Effect.map(this.#bytes, (bytes) =>
      bytes.byteLength === bytes.buffer.byteLength
        ? bytes.buffer
        : bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    )
  }

  get text(): Effect.Effect<string, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.#bytes, (bytes) => {
      // The words of an error are for a person; data are right or none.
      const text = this.status < 300 ? utf8Text(bytes) : lenient.decode(bytes)
      return text === null ? Effect.fail(this.#unreadable(notUtf8)) : Effect.succeed(text)
    })
  }

  get json(): Effect.Effect<Schema.Json, HttpClientError.HttpClientError> {
    return Effect.flatMap(this.text, (text) =>
      Effect.try({
        try: (): Schema.Json => (text === "" ? null : JSON.parse(text)),
        catch: () => this.#unreadable("not JSON")
      })
    )
  }

  get urlParamsBody(): Effect.Effect<UrlParams.UrlParams, HttpClientError.HttpClientError> {
    return Effect.map(this.text, (text) => UrlParams.fromInput(new URLSearchParams(text)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.HttpClientError> {
    return Effect.fail(this.#unreadable("multipart bodies are not part of this API"))
  }

  get upgrade(): HttpClientResponse.HttpClientResponse["upgrade"] {
    return Effect.fail(this.#unreadable("connection upgrades are not part of this API"))
  }

  #unreadable(description: string): HttpClientError.HttpClientError {
    return new HttpClientError.HttpClientError({
      reason: new HttpClientError.DecodeError({ request: this.request, response: this, description })
    })
  }

  override toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, { _id: "ReplyResponse", status: this.status })
  }

  pipe() {
    // biome-ignore lint/complexity/noArguments: the protocol of Pipeable
    return pipeArguments(this, arguments)
  }
}

export const notUtf8 = "its text is not UTF-8, and its header names no other charset"

/** A reply whose head and first body bytes have arrived. */
export interface SessionReply extends ReplyHead {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The first bytes of the body; empty only when the body is. */
  readonly start: Uint8Array
  /** The next bytes after `start`, null at the end. */
  readonly next: Effect.Effect<Uint8Array | null, Setback>
}

/** Reads a reply to its end, at most `limit` bytes. `label` names the request in the error. */
export const readWhole = Effect.fnUntraced(function* (reply: SessionReply, label: string, limit: number) {
  const chunks = [reply.start]
  let size = reply.start.length
  while (true) {
    if (size > limit) return yield* new ReplyTooLarge({ request: label, limit })
    const chunk = yield* reply.next
    if (chunk === null) return new ReplyResponse(reply.request, reply, Bytes.concat(chunks))
    chunks.push(chunk)
    size += chunk.length
  }
})

/** The reply with its body as a stream. When the connection breaks, the stream fails with a {@link TransportFault} as cause. */
export const readStreaming = (reply: SessionReply): ReplyResponse => {
  const rest = Stream.fromPull(
    Effect.succeed(
      Effect.flatMap(reply.next, (chunk) => (chunk === null ? Cause.done() : Effect.succeed(Arr.of(chunk))))
    )
  )
  const response: ReplyResponse = new ReplyResponse(
    reply.request,
    reply,
    Stream.mapError(
      reply.start.length === 0 ? rest : Stream.concat(Stream.succeed(reply.start), rest),
      (setback) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.DecodeError({
            request: reply.request,
            response,
            description: setback.reason,
            cause: new TransportFault({ kind: "Broken", reason: setback.reason })
          })
        })
    )
  )
  return response
}

/** Reads an error page: its beginning as text. The rest is read and dropped, so that the connection can be used again. */
export const readBeginning = (reply: SessionReply): Effect.Effect<string> =>
  Effect.gen(function* () {
    let text = reply.start
    let size = text.length
    while (size < discardLimit) {
      const chunk = yield* reply.next
      if (chunk === null) break
      if (text.length < beginningLimit) text = Bytes.concat([text, chunk])
      size += chunk.length
    }
    return text
  }).pipe(
    Effect.catch(() => Effect.succeed(reply.start)),
    Effect.map((bytes) => lenient.decode(bytes))
  )

/** At most this many bytes of an error page are kept. */
const beginningLimit = 64 * 1024
/** At most this many bytes of an error page are read; after that the connection is closed, as it cannot be used again. */
const discardLimit = 1024 * 1024
