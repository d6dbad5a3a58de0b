/** An htsget error, sent instead of a ticket (GA4GH htsget 1.3.0, "Error responses"). */
import * as Data from "effect/Data"

/** The kinds of the protocol that we send, with their statuses. */
export const errorStatus = {
  InvalidAuthentication: 401,
  NotFound: 404,
  PayloadTooLarge: 413,
  UnsupportedFormat: 400,
  InvalidInput: 400,
  InvalidRange: 400
} as const

export class HtsgetError extends Data.TaggedError("HtsgetError")<{
  readonly kind: keyof typeof errorStatus
  readonly message: string
}> {}
