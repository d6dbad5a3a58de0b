/**
 * Reads the body of a reply: whole into memory, as a stream, or the beginning of an error page.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Stream from "effect/Stream"
import { ReplyTooLarge } from "../Errors.ts"
import { joinBytes } from "../JoinedBytes.ts"
import { type ReplyHead, ReplyResponse } from "./ReplyResponse.ts"
import type { Setback } from "./Setback.ts"
import { TransportFault } from "./TransportFault.ts"

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
    if (chunk === null) return new ReplyResponse(reply.request, reply, joinBytes(chunks))
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
      if (text.length < beginningLimit) text = joinBytes([text, chunk])
      size += chunk.length
    }
    return text
  }).pipe(
    Effect.catch(() => Effect.succeed(reply.start)),
    Effect.map((bytes) => new TextDecoder().decode(bytes))
  )

/** At most this many bytes of an error page are kept. */
const beginningLimit = 64 * 1024
/** At most this many bytes of an error page are read; after that the connection is closed, as it cannot be used again. */
const discardLimit = 1024 * 1024
