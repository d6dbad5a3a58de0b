/**
 * The two payloads that may be larger than memory, as bytes while they come. Each is what `ServiceJson` gives for the
 * same call, with the spelling of the service: nothing is parsed, and no number loses a digit.
 */
import { Context, Effect, Layer, Stream } from "effect"
import type { AnalysisId, LimsId } from "../contract/Ids.ts"
import { ServiceApi } from "../contract/ServiceApi.ts"
import { ReplyMalformed, type ServiceError, Unavailable } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { faultOfClientError } from "../session/TransportFault.ts"
import { JsonPassage } from "./JsonPassage.ts"
import { opened } from "./Reply.ts"
import { parsed } from "./ReplyText.ts"
import type { ReportChoice } from "./ServiceClient.ts"
import { type Declared, type StreamedReply, streamedReply } from "./StreamedReply.ts"

/**
 * Bytes of one JSON value. The last error may come after the last byte: only a stream that ends well was complete. No
 * other request of the session starts before the stream has ended.
 */
export type PayloadStream = Stream.Stream<Uint8Array, ServiceError>

/** The client for bodies larger than memory; the order in which they come is that of the service. */
export class ServiceStreams extends Context.Service<
  ServiceStreams,
  {
    readonly getSnvAnnotations: (analysis: AnalysisId) => PayloadStream
    readonly getCaseReport: (person: LimsId, choice?: ReportChoice) => PayloadStream
  }
>()("svc-steps/core/client/ServiceStreams") {
  static readonly layer: Layer.Layer<ServiceStreams, never, Session> = Layer.effect(
    ServiceStreams,
    Effect.map(Session, (session) => {
      const payload = makePayload(session)
      const { getSnvAnnotations } = ServiceApi.groups.analysis.endpoints
      const { getCaseReport } = ServiceApi.groups.report.endpoints
      return ServiceStreams.of({
        getSnvAnnotations: (analysisId) => payload(getSnvAnnotations, { analysisId }, {}, `analysis ${analysisId}`),
        getCaseReport: (personId, { draft = false, inactive = false } = {}) =>
          payload(
            getCaseReport,
            { personId },
            { ...(draft ? { draft: "true" } : {}), ...(inactive ? { inactive: "true" } : {}) },
            `${draft ? "draft " : ""}${inactive ? "inactive " : ""}report of person ${personId}`
          )
      })
    })
  )
}

const makePayload =
  (session: Session["Service"]) =>
  (
    declared: Declared,
    params: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string>>,
    subject: string
  ): PayloadStream =>
    streamedReply(session, declared, params, query, subject).pipe(
      Effect.map(through),
      Effect.withSpan(`ServiceStreams.${declared.identifier}`),
      Stream.unwrap
    )

/** The payload in a reply, checked to its end. */
const through = ({ asked, response }: StreamedReply): PayloadStream => {
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
    yield* opened(yield* parsed(end.outline, asked.request), response.status, asked)
  })
  return Stream.concat(body, Stream.fromEffectDrain(verdict))
}
