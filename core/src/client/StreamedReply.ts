/**
 * Replies that may be larger than memory: asked for as their endpoint is declared, their status judged, and nothing of
 * their body read.
 */
import { Effect, type Scope } from "effect"
import { HttpClientRequest, type HttpClientResponse } from "effect/http"
import { NotFound, type ServiceError } from "../Errors.ts"
import { SlowReply } from "../session/RequestMarks.ts"
import type { Session } from "../session/Session.ts"
import { fitsPath } from "./Calls.ts"
import { refused, told } from "./Reply.ts"
import { type Asked, textOf } from "./ReplyText.ts"

/** As much of the declaration of an endpoint as a request is made of. */
export interface Declared {
  readonly identifier: string
  readonly path: string
}

export interface StreamedReply {
  readonly asked: Asked
  readonly response: HttpClientResponse.HttpClientResponse
}

/**
 * Asks; no other request of the session starts before the scope closes.
 *
 * @param subject - what a "not found" is about, such as `analysis A1`
 */
export const streamedReply = (
  session: Session["Service"],
  { identifier, path }: Declared,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
  subject: string
): Effect.Effect<StreamedReply, ServiceError, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Asked = { request: `${identifier} (${subject})`, subject, missing: [404, 400] }
    if (!fitsPath({ params })) {
      return yield* new NotFound({ what: subject, detail: "no such identifier can exist" })
    }
    const address = Object.entries(params).reduce(
      (rest, [name, value]) => rest.replace(`:${name}`, () => encodeURIComponent(value)),
      path
    )
    const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(address), query)
    const response = yield* session.stream(request)
    if (response.status >= 300) {
      const text = yield* textOf(response, asked.request)
      yield* told(response.status, text)(refused(response.status, text, asked))
    }
    return { asked, response }
  }).pipe(Effect.provideService(SlowReply, true))
