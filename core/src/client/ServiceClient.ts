/**
 * The service, one method per row of docs/dev/service.md 4.1.
 *
 * Requests go through `Session`, one at a time, with its logins and repeats. Replies are read leniently: unknown fields
 * and unknown words of an enumeration are kept. Every way the service has of saying "not found" is `NotFound`, every way
 * of saying "no" `RequestRejected`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import { type EndpointName, type EndpointNote, endpointNotes } from "../contract/EndpointNotes.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import { type ChangeError, ReplyMalformed, type ServiceError, type UsageError } from "../Errors.ts"
import { type Conversation, Session } from "../session/Session.ts"
import { printable } from "../text/Printable.ts"
import { protectLinks } from "../text/Scrubber.ts"
import { analysesText, type Call, makeCall } from "./EndpointCalls.ts"
import { type GenericReply, makeRequest } from "./GenericRequest.ts"
import type { BytesMethod, JsonMethod, ServiceMethods } from "./ServiceMethods.ts"
import { payloadStream } from "./ServiceStreams.ts"

/**
 * Makes the methods: one for each endpoint with a note, two of them written out because they do more than one call.
 *
 * @param internalId - how `getPendingCnvSegments` converts a LIMS identifier, where the calls do not decode
 */
const makeMethods = (call: Call, internalId?: ServiceMethods["getInternalPersonId"]): ServiceMethods => {
  const names = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
  const derived = Object.fromEntries(
    names.map((name) => {
      const { choices = [], takes }: EndpointNote = endpointNotes[name]
      const takesNothing = takes.length + choices.length === 0
      return [name, takesNothing ? call(name, []) : (...given: ReadonlyArray<unknown>) => call(name, given)]
    })
    // The cast is sound: the types of the methods are derived from the same notes.
  ) as unknown as ServiceMethods
  // `never`: the two methods below give what their endpoints declare.
  const typed = call as (...about: Parameters<Call>) => Effect.Effect<never, ServiceError>
  return {
    ...derived,
    getPendingCnvSegments: (person, analyses, panel) => {
      const known =
        typeof person === "string"
          ? (internalId ?? derived.getInternalPersonId)(person)
          : Effect.succeed(person.personId)
      const subject = `${analysesText(analyses)} of person ${typeof person === "string" ? person : person.personId}`
      return Effect.flatMap(known, (personId) =>
        typed("getPendingCnvSegments", [personId, analyses, panel], { subject })
      )
    },
    requestRestore: (analyses) =>
      analyses.length === 0
        ? Effect.succeed([])
        : typed("requestRestore", [{ analysisIds: analyses, disableArchive: "false" }], { whenNull: [] })
  }
}

/** Gives what a method gives whose payload is handed over as JSON. */
const jsonMethod = (http: Conversation["http"], { getInternalPersonId }: ServiceMethods): JsonMethod => {
  const methods = makeMethods(makeCall(http, "json"), getInternalPersonId)
  return (name, ...given) => {
    // `never`: arguments and failures are those of the method of that name.
    const method = methods[name] as Effect.Effect<never> | ((...given: ReadonlyArray<unknown>) => Effect.Effect<never>)
    return Effect.isEffect(method) ? method : method(...given)
  }
}

/** Fails when the links are those of another analysis than `asked`: its files would carry the name of the wrong person. */
const ofAnalysis = (asked: AnalysisId, answered: AnalysisId | null | undefined): Effect.Effect<void, ReplyMalformed> =>
  answered == null || answered === asked
    ? Effect.void
    : Effect.fail(
        new ReplyMalformed({
          request: `getFileDownloadLinks (analysis ${printable(asked)})`,
          reason: `it is of analysis ${printable(answered)}`
        })
      )

/**
 * The client: every endpoint as a method that gives decoded records, as one that gives JSON, and where its answer may be larger than
 * memory as a stream of bytes; and `request` for all others.
 *
 * **Example** (The ids of all analyses)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Client } from "svc-steps"
 *
 * const ids = Client.ServiceClient.use(({ getAnalyses }) => getAnalyses()).pipe(
 *   Effect.map((analyses) => analyses.map(({ id }) => id))
 * )
 * ```
 *
 * **Example** (A large body, as it came)
 *
 * ```ts
 * import { Stream } from "effect"
 * import { Client, Ids } from "svc-steps"
 *
 * const annotations = Stream.unwrap(
 *   Client.ServiceClient.useSync(({ bytes }) => bytes("getSnvAnnotations", Ids.AnalysisId.make("A1")))
 * )
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class ServiceClient extends Context.Service<
  ServiceClient,
  ServiceMethods & {
    /**
     * The method of a name for callers that pass the JSON on, `json("getPerson", id)`: what the service sent, without its envelope, with
     * the same names of keys, unknown fields, identifiers as text or number, and all digits (`JSON.rawJSON` keeps those beyond the precision of a `number`).
     * Errors are the same; records are not checked. Download links are plain text here: print them only where they were asked for.
     */
    readonly json: JsonMethod
    /**
     * The largest answers, `bytes("getSnvAnnotations", id)`: the bytes of that JSON in the order in which they come. An error may come even after the last byte: only a
     * stream that ends without one was complete. No other request of the session starts before it has ended: one that the same fiber
     * makes inside its reading is a defect, and one that the reading waits for in another fiber waits for ever, which the log says after
     * five minutes.
     */
    readonly bytes: BytesMethod
    /**
     * Any other request of the API; its path begins with one `/` and is relative to the base URL. Replies that are
     * empty or not JSON are fine. `success: false` and statuses of 300 and above fail.
     */
    readonly request: (
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<GenericReply, ChangeError | UsageError>
  }
>()("svc-steps/core/client/ServiceClient") {
  static readonly layer: Layer.Layer<ServiceClient, never, Session> = Layer.effect(
    ServiceClient,
    Effect.map(Session, (session) => {
      const { http } = session
      const methods = makeMethods(makeCall(http, "decoded"))
      return ServiceClient.of({
        ...methods,
        getFileDownloadLinks: (analysis) =>
          methods.getFileDownloadLinks(analysis).pipe(
            Effect.tap(({ apiFileLinks }) =>
              protectLinks(apiFileLinks.flatMap(({ downloadLink }) => downloadLink ?? []))
            ),
            Effect.tap(({ id }) => ofAnalysis(analysis, id))
          ),
        json: jsonMethod(http, methods),
        bytes: (name, ...given) => payloadStream(session, name, given),
        request: makeRequest(http)
      })
    })
  )
}
