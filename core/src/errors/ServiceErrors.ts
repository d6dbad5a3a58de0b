/** The service: no session with it, no answer from it or from somebody on the way, or an answer that is a no. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { AnalysisId } from "../contract/Ids.ts"
import { counted } from "../text/Quantity.ts"

/**
 * The service answered the login without a token: wrong user name or password. It was tried exactly once.
 *
 * @category errors
 * @since 0.1.0
 */
export class LoginRefused extends Schema.TaggedError<LoginRefused>()("SvcLoginRefused", {
  user: Schema.String,
  host: Schema.String,
  /** Another program of the account tried the same password a short while ago; this one did not. */
  earlier: Schema.optionalKey(Schema.Boolean),
  /** It was no password but the token of a gateway. */
  token: Schema.optionalKey(Schema.Boolean),
  /** The service wants a new password before anything else. */
  expired: Schema.optionalKey(Schema.Boolean),
  /** What looks like a mistake about the password, such as `it ends with a line end`. */
  odd: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 77
  readonly retryable = false
  get advice(): "giveToken" | null {
    return this.token === true ? "giveToken" : null
  }
  readonly scope = "run"
  readonly mayHaveTakenEffect = false
  override get message() {
    if (this.token === true) {
      return `${this.host} refused the token: it is wrong, was revoked or has come to its end`
    }
    const tried =
      this.earlier === true
        ? "another step has just tried this password, so it was not sent again; if it is right by now, try again in half a minute, or in 10 minutes after three refusals of it"
        : "it is not sent again"
    if (this.expired === true) {
      return `${this.host} wants a new password for ${this.user}, as the old one has expired or was set by somebody else: change it in a browser (${tried})`
    }
    const odd = this.odd === undefined ? "" : `; ${this.odd}`
    return `${this.host} refused the login of ${this.user}: check user name and password${odd} (${tried})`
  }
}

/**
 * The service did not speak the login protocol: no token, no cookie, or a maintenance page.
 *
 * @category errors
 * @since 0.1.0
 */
export class LoginProtocol extends Schema.TaggedError<LoginProtocol>()("SvcLoginProtocol", {
  host: Schema.String,
  reason: Schema.String,
  /** What was asked with a token is no gateway, so nothing can be done with it there. */
  token: Schema.optionalKey(Schema.Boolean)
}) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = true
  get advice(): "again" | "gatewayAddress" {
    return this.token === true ? "gatewayAddress" : "again"
  }
  readonly scope = "run"
  readonly mayHaveTakenEffect = false
  override get message() {
    return `Cannot log in to ${this.host}: ${this.reason}`
  }
}

/**
 * The session was lost again and again: something else uses the same account at the same time.
 *
 * @category errors
 * @since 0.1.0
 */
export class SessionContention extends Schema.TaggedError<SessionContention>()("SvcSessionContention", {
  host: Schema.String,
  logins: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = true
  readonly advice = "lockDir"
  readonly scope = "run"
  readonly mayHaveTakenEffect = true
  override get message() {
    return `${this.host} ended the session again after ${counted(this.logins, "login")}, as if another program or browser used this account`
  }
}

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
 * No usable answer after all retries: refused, reset, silent, unknown host, 5xx.
 *
 * @category errors
 * @since 0.1.0
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("SvcUnavailable", {
  host: Schema.String,
  reason: Schema.String,
  attempts: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = true
  readonly advice = "again"
  readonly scope = "analysis"
  readonly mayHaveTakenEffect = true
  override get message() {
    return `${this.host} is unavailable: ${this.reason} (${counted(this.attempts, "attempt")})`
  }
}

/** What can be wrong with TLS that something can be done about. */
export const tlsReasons = [
  "its certificate has expired",
  "its certificate is not valid yet",
  "its certificate is for another host name",
  "its certificate is self-signed",
  "its certificate comes from an unknown authority",
  "it does not speak TLS there",
  "it offers no TLS version that is safe (1.2 at least)",
  "it wants a certificate of the client"
] as const

export type TlsReason = (typeof tlsReasons)[number]

/**
 * The certificate was not accepted; never retried, never downgraded.
 *
 * @category errors
 * @since 0.1.0
 */
export class TlsRefused extends Schema.TaggedError<TlsRefused>()("SvcTlsRefused", {
  host: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 69
  readonly retryable = false
  get advice(): "tls" | null {
    return tlsReasons.some((reason) => reason === this.reason) ? "tls" : null
  }
  readonly scope = "run"
  readonly mayHaveTakenEffect = false
  override get message() {
    return `TLS with ${this.host} failed: ${this.reason}`
  }
}

/**
 * The proxy refused us.
 *
 * @category errors
 * @since 0.1.0
 */
export class ProxyRefused extends Schema.TaggedError<ProxyRefused>()("SvcProxyRefused", {
  proxy: Schema.String,
  status: Schema.Int,
  /** The ways of signing in that it offers, when the one that we know is not among them. */
  offers: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 77
  readonly retryable = false
  get advice(): "proxyHelper" | null {
    return this.offers === undefined ? null : "proxyHelper"
  }
  readonly scope = "run"
  readonly mayHaveTakenEffect = false
  override get message() {
    if (this.offers !== undefined) {
      return `The proxy ${this.proxy} wants ${this.offers}, and only Basic is known here`
    }
    return this.status === 407 || this.status === 401
      ? `The proxy ${this.proxy} refused the credentials: check proxyUsername and proxyPassword`
      : `The proxy ${this.proxy} answered ${this.status}`
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
  analysisId: Schema.optionalKey(Schema.toType(AnalysisId)),
  next: Schema.optionalKey(
    Schema.Literals(["correctRegion", "correctRegions", "dropRegion", "filetypes", "findId", "findPerson", "listFiles"])
  )
}) {
  override readonly [Runtime.errorExitCode] = 66
  readonly retryable = false
  get advice() {
    return this.next ?? null
  }
  readonly scope = "analysis"
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
 * Failures of the session and of any API request that goes through it.
 *
 * @category errors
 * @since 0.1.0
 */
export type SessionError =
  | LoginRefused
  | LoginProtocol
  | SessionContention
  | OutcomeUnknown
  | Forbidden
  | Unavailable
  | TlsRefused
  | ProxyRefused
  | ReplyTooLarge
  | ReplyMalformed

/**
 * Failures of a typed endpoint call.
 *
 * @category errors
 * @since 0.1.0
 */
export type ServiceError = SessionError | NotFound | RequestRejected
