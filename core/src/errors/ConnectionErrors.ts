/** No session with the service, or no way to it: the login, the network, a proxy. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
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
  /** The path of its page for that. */
  page: Schema.optionalKey(Schema.String),
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
      return `${this.host} wants a new password for ${this.user}, as the old one has expired or was set by somebody else: change it in a browser${this.page === undefined ? "" : `, at ${this.page}`} (${tried})`
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
    return `${this.host} ended the session again after ${counted(this.logins, "login")}: it may still be at work for a command that was stopped, or another program or browser uses this account`
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
