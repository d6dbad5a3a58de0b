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
import type { AnalysisId, PersonId } from "../contract/Ids.ts"
import { ReplyMalformed, type ServiceError, type UsageError } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { printable } from "../text/Printable.ts"
import { protectLinks } from "../text/Scrubber.ts"
import { analysesText, type Call, makeCall } from "./EndpointCalls.ts"
import { type GenericReply, makeRequest } from "./GenericRequest.ts"
import type { DerivedMethods, Reading, ServiceMethods } from "./ServiceMethods.ts"

/**
 * Makes the methods: one for each endpoint with a note, two of them written out because they do more than one call. Payloads are
 * either decoded or JSON.
 *
 * @param decoded - calls that decode, with which `getPendingCnvSegments` converts a LIMS identifier
 */
const makeMethods = <R extends Reading>(call: Call, decoded: Call): ServiceMethods<R> => {
  const names = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
  const derived = Object.fromEntries(
    names.map((name) => {
      const { choices = [], takes }: EndpointNote = endpointNotes[name]
      const takesNothing = takes.length + choices.length === 0
      return [name, takesNothing ? call(name, []) : (...given: ReadonlyArray<unknown>) => call(name, given)]
    })
    // The cast is sound: `DerivedMethods` derives its types from the same notes.
  ) as DerivedMethods<R>
  // `never`: the two methods below give what their endpoints declare.
  const typed = call as (...about: Parameters<Call>) => Effect.Effect<never, ServiceError>
  return {
    ...derived,
    getPendingCnvSegments: (person, analyses, panel) => {
      const known =
        typeof person === "string"
          ? (decoded("getInternalPersonId", [person]) as Effect.Effect<PersonId, ServiceError>)
          : Effect.succeed(person.personId)
      const subject = `${analysesText(analyses)} of person ${typeof person === "string" ? person : person.personId}`
      return Effect.flatMap(known, (personId) =>
        typed("getPendingCnvSegments", [personId, analyses, panel], { subject })
      )
    },
    requestRestore: (analyses) =>
      analyses.length === 0
        ? Effect.succeed([] as never)
        : typed("requestRestore", [{ analysisIds: analyses, disableArchive: "false" }], { whenNull: [] })
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
 * The client: every endpoint as a method that gives decoded records, and `request` for all others.
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
 * @category services
 * @since 0.1.0
 */
export class ServiceClient extends Context.Service<
  ServiceClient,
  ServiceMethods & {
    /**
     * Any other request of the API; its path begins with one `/` and is relative to the base URL. Replies that are
     * empty or not JSON are fine. `success: false` and statuses of 300 and above fail.
     */
    readonly request: (
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<GenericReply, ServiceError | UsageError>
  }
>()("svc-steps/core/client/ServiceClient") {
  static readonly layer: Layer.Layer<ServiceClient, never, Session> = Layer.effect(
    ServiceClient,
    Effect.gen(function* () {
      const { http } = yield* Session
      const call = makeCall(http, "decoded")
      const methods = makeMethods<"decoded">(call, call)
      return ServiceClient.of({
        ...methods,
        getFileDownloadLinks: (analysis) =>
          methods.getFileDownloadLinks(analysis).pipe(
            Effect.tap(({ apiFileLinks }) =>
              protectLinks(apiFileLinks.flatMap(({ downloadLink }) => downloadLink ?? []))
            ),
            Effect.tap(({ id }) => ofAnalysis(analysis, id))
          ),
        request: makeRequest(http)
      })
    })
  )
}

/**
 * The methods of `ServiceClient` for callers that pass the JSON on. The payload is what the service sent, without its envelope:
 * same key names, unknown fields, identifiers as text or number, and all digits (`JSON.rawJSON` keeps those beyond the precision
 * of a `number`). Errors are the same; records are not checked. Download links are plain text here: print them only where they were
 * asked for.
 *
 * @category services
 * @since 0.1.0
 */
export class ServiceJson extends Context.Service<ServiceJson, ServiceMethods<"json">>()(
  "svc-steps/core/client/ServiceJson"
) {
  static readonly layer: Layer.Layer<ServiceJson, never, Session> = Layer.effect(
    ServiceJson,
    Effect.gen(function* () {
      const { http } = yield* Session
      return ServiceJson.of(makeMethods<"json">(makeCall(http, "json"), makeCall(http, "decoded")))
    })
  )
}
