/** JSON as the sandbox holds, reads and sends it: in the form that it has on the wire. */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { type ExactNumber, parseExactly } from "../core/src/contract/ExactNumber.ts"
import { placeOfIssue } from "../core/src/text/IssuePlace.ts"
import { faultText, readJson } from "../core/src/text/JsonText.ts"

/**
 * An id as it stands in a JSON body; one beyond 2^53 by its digits.
 *
 * @category models
 * @since 0.1.0
 */
export type WireId = string | number | ExactNumber

/**
 * The sandbox keeps its records in the form they have on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export type Json = WireId | boolean | null | ReadonlyArray<Json> | JsonObject
/**
 * An object of the wire, with all its digits.
 *
 * @category models
 * @since 0.1.0
 */
export type JsonObject = { readonly [key: string]: Json }

/** The ids of the n-th record (from 1) of each kind; the panel "all genes" has id 1 in both forms. */
export interface WireIds {
  readonly analysis: (n: number) => WireId
  readonly person: (n: number) => WireId
  readonly panel: (n: number) => WireId
  readonly gene: (n: number) => WireId
}

const text: WireIds = {
  analysis: (n) => `A${n}`,
  person: (n) => `P${n}`,
  panel: (n) => (n === 1 ? "1" : `V${n}`),
  gene: (n) => `G${n}`
}

const numeric: WireIds = {
  analysis: (n) => n,
  person: (n) => 1000 + n,
  panel: (n) => n,
  gene: (n) => 10_000 + n
}

export const wireIds = (form: "text" | "numeric"): WireIds => (form === "text" ? text : numeric)

/** A misspelt key must not pass for a missing one. */
export const strictly = { onExcessProperty: "error" } as const

/** A JSON text of the given shape; the failure says in one line what is wrong with it, and where. */
export const decodeJson = <A, I>(text: string, schema: Schema.Codec<A, I>, options: SchemaAST.ParseOptions = {}) =>
  Effect.fromResult(readJson(text)).pipe(
    Effect.mapError(faultText),
    // Identifiers keep all their digits.
    Effect.flatMap(() =>
      Effect.mapError(Schema.decodeUnknownEffect(schema, options)(parseExactly(text, "integers")), placeOfIssue)
    )
  )

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

/** Reads a body so that a fault in it is explained. */
export const withJson =
  <A, I>(schema: Schema.Codec<A, I>, save: (update: A) => HttpServerResponse.HttpServerResponse) =>
  ({ request }: { readonly request: HttpServerRequest.HttpServerRequest }) =>
    Effect.orElseSucceed(request.text, () => "").pipe(
      Effect.flatMap((text) => decodeJson(text, schema)),
      Effect.match({ onSuccess: save, onFailure: (reason) => refusal(400, "INVALID_BODY", reason) })
    )
