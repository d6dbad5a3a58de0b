/** Streams the payloads that may be larger than memory as they arrive, byte for byte, so that nothing is parsed and no number loses a digit. */
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { EndpointName } from "../contract/EndpointNotes.ts"
import { ReplyMalformed, readsOnly, type ServiceError, Unavailable } from "../Errors.ts"
import { whyNotJson } from "../session/Recognition.ts"
import { JsonReply, PathTemplate } from "../session/RequestMarks.ts"
import type { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { callOf } from "./EndpointCalls.ts"
import { JsonPassage } from "./JsonPassage.ts"
import { type ExpectedReply, failOnStatus, openEnvelope, parseReply, tellRefusal, textOf } from "./Reply.ts"

/** The payload of a call as a stream of bytes; the arguments are those of the method of that name. */
export const payloadStream = (
  session: Session["Service"],
  name: EndpointName,
  given: ReadonlyArray<unknown>
): Stream.Stream<Uint8Array, ServiceError> =>
  streamedReply(session, name, given).pipe(
    Effect.map(checkedPayload),
    Effect.withSpan(`svc.client.${name}`),
    Stream.unwrap
  )

/** The payload of a reply as a stream that fails when the body is not complete JSON or its envelope reports a failure. */
const checkedPayload = ({ asked, response }: StreamedReply): Stream.Stream<Uint8Array, ServiceError> => {
  const passage = new JsonPassage()
  const malformed = (reason: string) => new ReplyMalformed({ request: asked.request, reason })
  const body = response.stream.pipe(
    Stream.mapError((error) => {
      const { host } = new URL(response.request.url)
      return new Unavailable({ host, reason: faultOfClientError(error).reason, attempts: 1 })
    }),
    Stream.mapEffect((chunk) => {
      const parts = passage.push(chunk)
      return typeof parts === "string" ? Effect.fail(malformed(parts)) : Effect.succeed(parts)
    }),
    Stream.flatMap((parts) => Stream.fromIterable(parts))
  )
  const verdict = Effect.gen(function* () {
    const end = passage.end()
    if (typeof end === "string") return yield* malformed(end)
    yield* openEnvelope(yield* parseReply(end.outline, asked.request), response.status, asked)
  })
  return Stream.concat(body, Stream.fromEffectDrain(verdict))
}

/** A reply whose status is checked, and whose body is left unread for the caller. */
export interface StreamedReply {
  readonly asked: ExpectedReply
  readonly response: HttpClientResponse.HttpClientResponse
}

/**
 * Sends the request that the declaration of the endpoint says. No other request of the session starts before the scope closes.
 *
 * @param given - the arguments of the client method of the same name
 */
export const streamedReply = (
  session: Session["Service"],
  name: EndpointName,
  given: ReadonlyArray<unknown>
): Effect.Effect<StreamedReply, ServiceError, Scope.Scope> =>
  Effect.gen(function* () {
    const { asked, endpoint, request } = callOf(name, given, "json")
    const response = yield* session
      .stream(yield* request)
      .pipe(Effect.provideService(PathTemplate, endpoint.path), Effect.provideService(JsonReply, whyNotJson), readsOnly)
    if (response.status >= 300) {
      const text = yield* textOf(response, asked.request)
      yield* tellRefusal(response.status, text)(failOnStatus(response, text, asked))
    }
    return { asked, response }
  })
