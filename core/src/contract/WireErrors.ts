/**
 * Error statuses of the API as they travel. Their bodies have the fields of an envelope, or none, or are a page of HTML;
 * which status means "not found" differs by endpoint (docs/service.md 7), and is decided by the client.
 */
import { Schema } from "effect"
import { errorFields } from "./Envelope.ts"

/** 404: not found, at few endpoints. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(errorFields, { httpApiStatus: 404 }) {}

/** 400: not found at most endpoints, a wrong body at those that take one. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(errorFields, { httpApiStatus: 400 }) {}

/** 422: the analysis is of another kind or person. */
export class Unprocessable extends Schema.Error<Unprocessable>("Unprocessable")(errorFields, { httpApiStatus: 422 }) {}

/** 403: the session is gone; with a session known to be good, the thing is forbidden. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(errorFields, { httpApiStatus: 403 }) {}
