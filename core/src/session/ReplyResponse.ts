/**
 * A reply as an `HttpClientResponse`, whose body is either in memory or a stream.
 *
 * A body in memory can be read any number of times and needs no open connection.
 */
import * as Effect from "effect/Effect"
import type * as Cookies from "effect/http/Cookies"
import type * as Headers from "effect/http/Headers"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as UrlParams from "effect/http/UrlParams"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import { pipeArguments } from "effect/Pipeable"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

export interface ReplyHead {
  readonly url: string
  readonly status: number
  readonly headers: Headers.Headers
  readonly cookies: Cookies.Cookies
}

type Body = Stream.Stream<Uint8Array, HttpClientError.HttpClientError>

// `TextDecoder` drops a byte order mark, which `JSON.parse` would refuse.
const decoder = new TextDecoder()

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
    return Effect.map(this.#bytes, (bytes) => decoder.decode(bytes))
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
