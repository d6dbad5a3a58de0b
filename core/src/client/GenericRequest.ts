/**
 * Sends requests to addresses that the contract does not know. The reply is handed over as it is; errors follow the same rules
 * as everywhere.
 */
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Schema from "effect/Schema"
import { type ChangeError, type OutcomeUnknown, ReplyMalformed, type SessionError, UsageError } from "../Errors.ts"
import { utf8Text } from "../session/ReplyReading.ts"
import { type ExpectedReply, failOnEnvelope, failOnStatus, parseReply, tellRefusal } from "./Reply.ts"

/**
 * The body of a reply, by what is in it rather than by what its headers say.
 *
 * @category models
 * @since 0.1.0
 */
export type GenericBody =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Json"; readonly json: Schema.Json; readonly text: string }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }

/**
 * The reply to a request of any address.
 *
 * @category models
 * @since 0.1.0
 */
export interface GenericReply {
  readonly status: number
  /** As the service sent it, or null. */
  readonly contentType: string | null
  readonly body: GenericBody
}

/** Sends any request through a session. */
export const makeRequest = (http: HttpClient.HttpClient.With<SessionError | OutcomeUnknown>) =>
  Effect.fn("svc.client.request")(function* (
    request: HttpClientRequest.HttpClientRequest
  ): Effect.fn.Return<GenericReply, ChangeError | UsageError> {
    if (!/^\/(?![/\\])/.test(request.url)) {
      return yield* new UsageError({ message: "The path of a request begins with one / and has no host" })
    }
    const label = `${request.method} ${request.url.replace(/[?#].*$/s, "")}`
    const asked: ExpectedReply = { request: label, subject: label, missing: [404], sayStatus: true }
    const response = yield* http.execute(request)
    const bytes = yield* bytesOf(response, label)
    const text = textIn(bytes)
    const { status } = response
    const contentType = response.headers["content-type"] ?? null
    return yield* Effect.gen(function* () {
      yield* failOnStatus(response, text ?? "", asked)
      const body = yield* bodyOf(bytes, text, contentType, label)
      if (body._tag === "Json") yield* failOnEnvelope(status, body.json, asked)
      return { status, contentType, body }
    }).pipe(tellRefusal(status, text ?? ""))
  })

const bytesOf = (response: HttpClientResponse.HttpClientResponse, request: string) =>
  response.arrayBuffer.pipe(
    Effect.map((buffer) => new Uint8Array(buffer)),
    Effect.mapError(() => new ReplyMalformed({ request, reason: "its body cannot be read to the end" }))
  )

/** A body is JSON when its header says so, or when it begins like an object or a list and can be parsed (H17). */
const bodyOf = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  text: string | null,
  contentType: string | null,
  request: string
): Effect.fn.Return<GenericBody, ReplyMalformed> {
  if (bytes.length === 0) return { _tag: "Empty" }
  if (text === null) return { _tag: "Bytes", bytes }
  const saysJson = contentType === null || /[/+]json\b/i.test(contentType)
  const looksLikeJson = /^\s*[[{]/.test(text)
  if (!looksLikeJson && (contentType === null || !saysJson || /^\s*</.test(text))) return { _tag: "Text", text }
  return yield* parseReply(text, request).pipe(
    Effect.map((json): GenericBody => ({ _tag: "Json", json, text })),
    Effect.catch((error) => (saysJson ? Effect.fail(error) : Effect.succeed<GenericBody>({ _tag: "Text", text })))
  )
})

/** The bytes as text, without a byte order mark; null when they are none, or contain a NUL. */
const textIn = (bytes: Uint8Array): string | null => (bytes.includes(0) ? null : utf8Text(bytes))
