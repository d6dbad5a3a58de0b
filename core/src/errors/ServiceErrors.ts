/** An answer of the service that is a no or cannot be read, or none to a request that may have taken effect. */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { AnalysisId } from "../contract/Ids.ts"
import type {
  LoginProtocol,
  LoginRefused,
  ProxyRefused,
  SessionContention,
  TlsRefused,
  Unavailable
} from "./ConnectionErrors.ts"

/**
 * The answer to a request that changes data was lost, or was a failure of the service; it was sent once, and may have taken effect.
 *
 * @category errors
 * @since 0.1.0
 */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("SvcOutcomeUnknown", {
  request: Schema.String,
  /** Why there is no answer, when it was not the session that broke. */
  reason: Schema.optionalKey(Schema.String),
  /** What a look afterwards found. */
  found: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = true
  readonly advice = null
  readonly scope = "analysis"
  readonly mayHaveTakenEffect = true
  override get message() {
    const why = this.reason ?? "the connection or session broke before the answer came"
    const found = this.found ?? "look whether it took effect before repeating it"
    return `${this.request}: ${why}; it was not repeated, and may have taken effect: ${found}`
  }
}

/**
 * 403 with a fresh session, or with one that has answered something else just then: this account may not see the thing.
 *
 * @category errors
 * @since 0.1.0
 */
export class Forbidden extends Schema.TaggedError<Forbidden>()("SvcForbidden", {
  what: Schema.String,
  /** 403 when absent; some services say 401. */
  status: Schema.optionalKey(Schema.Int),
  /** It was asked with the token of a gateway. */
  token: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 77
  readonly retryable = false
  get advice(): "gatewayAddress" | null {
    return this.token === true ? "gatewayAddress" : null
  }
  readonly scope = "analysis"
  readonly mayHaveTakenEffect = false
  override get message() {
    const status = this.status === undefined ? "" : ` (status ${this.status})`
    if (this.token === true) {
      return `${this.what}: forbidden to this token${status}: it has no right to it, or the target is no gateway`
    }
    return `${this.what}: the service forbids it to this account${status}`
  }
}

/**
 * The thing does not exist, however the endpoint said it (404, 400 or null; docs/dev/service.md 7).
 *
 * @category errors
 * @since 0.1.0
 */
export class NotFound extends Schema.TaggedError<NotFound>()("SvcNotFound", {
  /** For example `analysis A7`. */
  what: Schema.String,
  detail: Schema.optionalKey(Schema.String),
  /** HTTP status of the reply; only for requests that the user gave by method and path. */
  status: Schema.optionalKey(Schema.Int),
  /** The analysis that it was looked for in. */
  analysisId: Schema.optionalKey(AnalysisId),
  next: Schema.optionalKey(
    Schema.Literals([
      "correctRegion",
      "correctRegions",
      "dropRegion",
      "filetypes",
      "findId",
      "linkOfService",
      "listFiles"
    ])
  )
}) {
  override readonly [Runtime.errorExitCode] = 66
  readonly retryable = false
  get advice() {
    return this.next ?? null
  }
  /** Another file of the analysis may have a reference that this one lacks. */
  get scope(): "analysis" | "file" {
    return this.next === "correctRegion" || this.next === "correctRegions" || this.next === "dropRegion"
      ? "file"
      : "analysis"
  }
  readonly mayHaveTakenEffect = false
  override get message() {
    const known = [...(this.status === undefined ? [] : [`status ${this.status}`]), this.detail]
    const more = known.filter((part) => part !== undefined).join("; ")
    return `${this.what}: not found${more === "" ? "" : ` (${more})`}`
  }
}

/**
 * The service understood and said no (`success: false`, or a 4xx that is not "not found").
 *
 * @category errors
 * @since 0.1.0
 */
export class RequestRejected extends Schema.TaggedError<RequestRejected>()("SvcRequestRejected", {
  request: Schema.String,
  status: Schema.Int,
  errorMessageId: Schema.NullOr(Schema.String),
  errorId: Schema.NullOr(Schema.String),
  additionalInformation: Schema.NullOr(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 65
  readonly retryable = false
  readonly advice = null
  readonly scope = "analysis"
  readonly mayHaveTakenEffect = false
  override get message() {
    const parts = [
      this.errorMessageId,
      this.additionalInformation,
      this.errorId === null ? null : `support reference ${this.errorId}`
    ]
    const said = parts.filter((part) => part !== null && part !== "").join("; ")
    const status = this.status === 200 ? "" : ` with status ${this.status}`
    return `${this.request}: the service rejected it${status}${said === "" ? "" : `: ${said}`}`
  }
}

/**
 * The body is not what the contract says: cut JSON, HTML, a missing field.
 *
 * @category errors
 * @since 0.1.0
 */
export class ReplyMalformed extends Schema.TaggedError<ReplyMalformed>()("SvcReplyMalformed", {
  request: Schema.String,
  reason: Schema.String,
  /** Nothing that the service means: cut or replaced on the way. It was asked for several times, and may come right later. */
  garbled: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 65
  get retryable(): boolean {
    return this.garbled === true
  }
  get advice(): "again" | null {
    return this.retryable ? "again" : null
  }
  readonly scope = "analysis"
  readonly mayHaveTakenEffect = true
  override get message() {
    return `${this.request}: unreadable reply: ${this.reason}`
  }
}

/**
 * The body is larger than this reader keeps in memory; nothing of it was used.
 *
 * @category errors
 * @since 0.1.0
 */
export class ReplyTooLarge extends Schema.TaggedError<ReplyTooLarge>()("SvcReplyTooLarge", {
  request: Schema.String,
  /** Bytes. */
  limit: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 65
  readonly retryable = false
  readonly advice = null
  readonly scope = "analysis"
  readonly mayHaveTakenEffect = true
  override get message() {
    return `${this.request}: the reply is larger than the limit of ${this.limit} bytes`
  }
}

/**
 * Failures of the session and of any API request that goes through it; one that changes something also has {@link OutcomeUnknown}.
 *
 * @category errors
 * @since 0.1.0
 */
export type SessionError =
  | LoginRefused
  | LoginProtocol
  | SessionContention
  | Forbidden
  | Unavailable
  | TlsRefused
  | ProxyRefused
  | ReplyTooLarge
  | ReplyMalformed

/**
 * Failures of a client method that reads.
 *
 * @category errors
 * @since 0.1.0
 */
export type ServiceError = SessionError | NotFound | RequestRejected

/**
 * Failures of a client method that changes something, which is sent once.
 *
 * @category errors
 * @since 0.1.0
 */
export type ChangeError = ServiceError | OutcomeUnknown

/** Of what only reads: it is repeated until it is answered or given up, and leaves no doubt. */
export const readsOnly = <A, E, R>(asking: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, OutcomeUnknown>, R> =>
  Effect.catch(asking, (error) =>
    error instanceof OutcomeUnknown ? Effect.die(error) : Effect.fail(error as Exclude<E, OutcomeUnknown>)
  )
