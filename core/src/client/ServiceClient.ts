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
import type { AnalysisId } from "../contract/Ids.ts"
import { ReplyMalformed, type ServiceError, type UsageError } from "../Errors.ts"
import { Session } from "../session/Session.ts"
import { printable } from "../text/Printable.ts"
import { protectLinks } from "../text/Scrubber.ts"
import { makeCall } from "./EndpointCalls.ts"
import { type GenericReply, makeRequest } from "./GenericRequest.ts"
import { makeMethods } from "./Methods.ts"
import type { ServiceMethods } from "./ServiceMethods.ts"

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

/** The client: every endpoint as a method that gives decoded records, and `request` for all others. */
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
