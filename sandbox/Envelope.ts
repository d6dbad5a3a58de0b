import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Schema from "effect/Schema"
import type { Json } from "./WireIds.ts"
import { decodeJson } from "./WorldFile.ts"

/** The payload is the body. */
export const bare = (payload: Json) => HttpServerResponse.jsonUnsafe(payload)

/** The payload in the envelope (docs/dev/service.md 2.2). */
export const envelopedAnswer = (payload: Json) =>
  HttpServerResponse.jsonUnsafe({
    success: true,
    response: payload,
    errorMessageId: null,
    errorExpected: null,
    errorId: null,
    additionalInformation: null
  })

/** What the service says when it says no; with 200 it is "success false", else an error status with the same fields. */
export const refusal = (
  status: 200 | 400 | 403 | 404 | 413 | 422 | 500,
  errorMessageId: string,
  additionalInformation: string
) =>
  HttpServerResponse.jsonUnsafe(
    {
      success: false,
      response: null,
      errorMessageId,
      errorExpected: true,
      errorId: `SBX-${status}`,
      additionalInformation
    },
    { status }
  )

/** Reads a body so that a fault in it is explained, and identifiers keep all their digits. */
export const withJson =
  <A, I>(schema: Schema.Codec<A, I>, save: (update: A) => HttpServerResponse.HttpServerResponse) =>
  ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
    Effect.orElseSucceed(request.text, () => "").pipe(
      Effect.flatMap((text) => decodeJson(text, schema)),
      Effect.match({ onSuccess: save, onFailure: (reason) => refusal(400, "INVALID_BODY", reason) })
    )
