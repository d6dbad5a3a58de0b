/**
 * The error statuses of the API. Their bodies have the fields of an envelope, or are empty, or are a page of HTML. Which status
 * means "not found" differs by endpoint (docs/dev/service.md 7); the client decides it.
 */
import * as Schema from "effect/Schema"
import { errorFields } from "./Envelope.ts"

/** 404: "not found" at a few endpoints. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(errorFields, { httpApiStatus: 404 }) {}

/** 400: "not found" at most endpoints, a wrong body at those that take one. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(errorFields, { httpApiStatus: 400 }) {}

/** 422: the analysis is of another kind, or of another person. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(errorFields, { httpApiStatus: 422 }) {}

/** 403: the session is gone; when the session is known to be alive, the account may not see the thing asked for. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(errorFields, { httpApiStatus: 403 }) {}
