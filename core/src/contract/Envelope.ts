/**
 * The two forms of a reply body, docs/dev/service.md 2.2: an envelope around the payload, or the payload itself; and the error
 * statuses, whose bodies have the fields of an envelope, or are empty, or are a page of HTML. Which status means "not found" differs
 * by endpoint (docs/dev/service.md 7); the client decides it.
 */
import * as Schema from "effect/Schema"
import { Reference } from "./Ids.ts"
import { maybe, openStruct } from "./Record.ts"

/** The fields that explain a failure, in envelopes and in the bodies of error statuses (docs/dev/service.md 16). */
const errorFields = {
  success: maybe(Schema.Unknown),
  errorMessageId: maybe(Reference),
  errorExpected: maybe(Schema.Unknown),
  errorId: maybe(Reference),
  additionalInformation: maybe(Schema.Unknown)
}

/** The record of an envelope around `payload`. */
const envelope = <S extends Schema.Top>(payload: S) => openStruct({ ...errorFields, response: maybe(payload) })

/** An envelope whose schema also names that of its payload. */
export type Enveloped<S extends Schema.Top> = ReturnType<typeof envelope<S>> & { readonly payload: S }

/**
 * `{success, response, errorMessageId, ...}` around a payload. `response` is null or absent when there is none;
 * `success` is open because it arrives as text or not at all at times (H20).
 *
 * **Example** (An endpoint of your own)
 *
 * ```ts
 * import { Effect, Schema } from "effect"
 * import { HttpClientResponse } from "effect/http"
 * import { Contract, Session } from "svc-steps"
 *
 * const Status = Contract.enveloped(Schema.Struct({ version: Schema.String }))
 * const version = Session.Session.use(({ http }) => http.get("/api/status")).pipe(
 *   Effect.flatMap(HttpClientResponse.schemaBodyJson(Status)),
 *   Effect.map(({ response }) => response?.version)
 * )
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const enveloped = <S extends Schema.Top>(payload: S): Enveloped<S> =>
  Object.assign(envelope(payload), { payload })

/** 404: "not found" at a few endpoints. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(errorFields, { httpApiStatus: 404 }) {}

/** 400: "not found" at most endpoints, a wrong body at those that take one. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(errorFields, { httpApiStatus: 400 }) {}

/** 422: the analysis is of another kind, or of another person. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(errorFields, { httpApiStatus: 422 }) {}

/** 403: the session is gone; when the session is known to be alive, the account may not see the thing asked for. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(errorFields, { httpApiStatus: 403 }) {}
