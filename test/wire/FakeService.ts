/** A service in memory, behind the interface of a session: answers come from a function, requests are kept. */
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import type { OutcomeUnknown, SessionError } from "../../core/src/Errors.ts"
import { JsonReply } from "../../core/src/session/RequestMarks.ts"
import { Session } from "../../core/src/session/Session.ts"

export interface Sent {
  readonly line: string
  readonly contentType: string | undefined
  readonly body: string
  readonly json: boolean
}

export type Answer =
  | string
  | { readonly status?: number; readonly body: string | Uint8Array<ArrayBuffer>; readonly type?: string }

/** A session that answers from a function, or always the same; what was sent is kept in `sent`. */
export const service = (answer: Answer | ((line: string) => Answer)) => {
  const sent: Array<Sent> = []
  const http = HttpClient.makeWith<never, never, SessionError | OutcomeUnknown, never>(
    Effect.flatMap((request) =>
      Effect.gen(function* () {
        const sentTo = HttpClientRequest.prependUrl(request, "http://service.test")
        const url = HttpClientRequest.toUrl(sentTo)
        const { pathname, search } = url._tag === "Some" ? url.value : new URL("http://no.url")
        const line = `${request.method} ${pathname}${search}`
        const { body } = request
        sent.push({
          line,
          contentType: body._tag === "Uint8Array" ? body.contentType : undefined,
          body: body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "",
          json: (yield* JsonReply) !== null
        })
        const given = typeof answer === "function" ? answer(line) : answer
        const {
          body: text,
          status = 200,
          type = "application/json"
        } = typeof given === "string" ? { body: given } : given
        const headers = type === "" ? [] : [["content-type", type] as [string, string]]
        return HttpClientResponse.fromWeb(sentTo, new Response(bytesOf(text), { status, headers }))
      })
    ),
    Effect.succeed
  )
  const session = Layer.succeed(Session, Session.of({ http, stream: () => Effect.die("not used") }))
  const layer = ServiceClient.layer.pipe(Layer.provide(session))
  return { sent, layer, lines: () => sent.map(({ line }) => line) }
}

/** Bytes, because a text would bring a content type of its own. */
const bytesOf = (body: string | Uint8Array<ArrayBuffer>) =>
  typeof body === "string" ? new TextEncoder().encode(body) : body

export const enveloped = (response: unknown) => JSON.stringify({ success: true, response, errorMessageId: null })
