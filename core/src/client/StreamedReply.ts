/**
 * Sends requests whose replies may be larger than memory: the request follows the declaration of the endpoint, the status is
 * checked, and the body is left unread for the caller.
 */
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as UrlParams from "effect/http/UrlParams"
import type * as Scope from "effect/Scope"
import type { EndpointName } from "../contract/EndpointNotes.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import { PathTemplate, SlowReply } from "../session/RequestMarks.ts"
import type { Session } from "../session/Session.ts"
import { requestOf, subjectOf } from "./CallRequest.ts"
import { endpointOf, expectedReplyOf, fitsPath } from "./EndpointCalls.ts"
import { failOnStatus, tellRefusal } from "./Reply.ts"
import { type ExpectedReply, textOf } from "./ReplyText.ts"

export interface StreamedReply {
  readonly asked: ExpectedReply
  readonly response: HttpClientResponse.HttpClientResponse
}

/**
 * Sends the request. No other request of the session starts before the scope closes.
 *
 * @param given - the arguments of the client method of the same name
 */
export const streamedReply = (
  session: Session["Service"],
  name: EndpointName,
  given: ReadonlyArray<unknown>
): Effect.Effect<StreamedReply, ServiceError, Scope.Scope> =>
  Effect.gen(function* () {
    const { endpoint, note } = endpointOf(name)
    const subject = subjectOf(note, given)
    const asked = expectedReplyOf(endpoint, subject, "json")
    const { params, query } = requestOf(endpoint.path, note, given)
    if (!fitsPath({ params })) {
      return yield* new NotFound({ what: subject ?? asked.request, detail: "no such identifier can exist" })
    }
    const address = Object.entries(params).reduce<string>(
      (rest, [name, value]) => rest.replace(`:${name}`, () => encodeURIComponent(value)),
      endpoint.path
    )
    const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(address), query as UrlParams.Input)
    const response = yield* session
      .stream(request)
      .pipe(Effect.provideService(PathTemplate, endpoint.path), Effect.provideService(SlowReply, note.slow === true))
    if (response.status >= 300) {
      const text = yield* textOf(response, asked.request)
      yield* tellRefusal(response.status, text)(failOnStatus(response.status, text, asked))
    }
    return { asked, response }
  })
