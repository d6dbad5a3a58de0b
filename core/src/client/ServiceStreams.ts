/**
 * Streams the payloads that may be larger than memory, as bytes while they arrive. Each is the JSON that `ServiceJson` gives for
 * the same call, spelled as the service sent it: nothing is parsed, and no number loses a digit.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type EndpointName, type EndpointNote, type EndpointNotes, endpointNotes } from "../contract/EndpointNotes.ts"
import { ReplyMalformed, type ServiceError, Unavailable } from "../Errors.ts"
import { whyNotJson } from "../session/Recognition.ts"
import { JsonReply, PathTemplate } from "../session/RequestMarks.ts"
import { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { callOf } from "./EndpointCalls.ts"
import { JsonPassage } from "./JsonPassage.ts"
import { type ExpectedReply, failOnStatus, openEnvelope, parseReply, tellRefusal, textOf } from "./Reply.ts"
import type { DerivedMethods } from "./ServiceMethods.ts"

/**
 * Bytes of one JSON value. An error may come even after the last byte, so the value is complete only when the stream ends without
 * one. No other request of the session starts before the stream has ended: one that the same fiber makes inside its reading is a
 * defect, and one that the reading waits for in another fiber waits for ever, which the log says after five minutes.
 *
 * @category models
 * @since 0.1.0
 */
export type PayloadStream = Stream.Stream<Uint8Array, ServiceError>

/**
 * A stream for each endpoint whose answer may be larger than memory, with the arguments of its method.
 *
 * @category services
 * @since 0.1.0
 */
export type StreamMethods = {
  readonly [N in EndpointName as EndpointNotes[N] extends { readonly large: true } ? N : never]: (
    ...given: Parameters<Extract<DerivedMethods<"json">[N], (...given: never) => unknown>>
  ) => PayloadStream
}

/**
 * The client for bodies larger than memory. Rows and fields arrive in the order in which the service sends them.
 *
 * **Example** (A large body, as it came)
 *
 * ```ts
 * import { Stream } from "effect"
 * import { Client, Ids } from "svc-steps"
 *
 * const bytes = Stream.unwrap(
 *   Client.ServiceStreams.useSync(({ getSnvAnnotations }) => getSnvAnnotations(Ids.AnalysisId.make("A1")))
 * )
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class ServiceStreams extends Context.Service<ServiceStreams, StreamMethods>()(
  "svc-steps/core/client/ServiceStreams"
) {
  static readonly layer: Layer.Layer<ServiceStreams, never, Session> = Layer.effect(
    ServiceStreams,
    Effect.map(Session, (session) => {
      const names = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
      const large = names.filter((name) => (endpointNotes[name] as EndpointNote).large === true)
      const methods = large.map((name) => [name, (...given: ReadonlyArray<unknown>) => payload(session, name, given)])
      // Arguments are those of the methods of the same names.
      return ServiceStreams.of(Object.fromEntries(methods) as StreamMethods)
    })
  )
}

const payload = (session: Session["Service"], name: EndpointName, given: ReadonlyArray<unknown>): PayloadStream =>
  streamedReply(session, name, given).pipe(
    Effect.map(checkedPayload),
    Effect.withSpan(`svc.client.${name}`),
    Stream.unwrap
  )

/** The payload of a reply as a stream that fails when the body is not complete JSON or its envelope reports a failure. */
const checkedPayload = ({ asked, response }: StreamedReply): PayloadStream => {
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
      .pipe(Effect.provideService(PathTemplate, endpoint.path), Effect.provideService(JsonReply, whyNotJson))
    if (response.status >= 300) {
      const text = yield* textOf(response, asked.request)
      yield* tellRefusal(response.status, text)(failOnStatus(response.status, text, asked))
    }
    return { asked, response }
  })
