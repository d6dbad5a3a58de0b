/**
 * The session of one account: login when the scope opens, logout when it closes, one API request in flight.
 *
 * Everything that goes to the API goes through here; docs/service.md 3, 5, 7 and 8. A request waits for the
 * gate (a semaphore here, a lock between processes), logs in if the session is gone, and has its whole reply before
 * the gate opens again. So the service never sees two requests of the account at once, which would end its session.
 */
import { Context, Duration, type Effect, Layer, type Redacted, type Scope } from "effect"
import type { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { SessionError } from "../Errors.ts"
import type { AccountLock } from "./AccountLock.ts"
import { makeConversation } from "./Conversation.ts"
import type { CookieJars } from "./CookieJars.ts"
import type { SessionProfile } from "./SessionProfile.ts"

/** How long a session waits for what. */
export interface SessionTimeouts {
  /** From sending a request to the headers of its reply, connecting included. 60 s. */
  readonly headers: Duration.Duration
  /** The same for requests marked {@link SlowReply}. 15 min. */
  readonly slowHeaders: Duration.Duration
  /** Without a byte of the body. 60 s. */
  readonly idle: Duration.Duration
  /** For a request under way when its caller is interrupted; then its connection is cut. 3 s. */
  readonly grace: Duration.Duration
  /** For the logout, with all it waits for. 5 s. */
  readonly logout: Duration.Duration
}

/** What {@link SessionSettings} leave out. */
const usualTimeouts: SessionTimeouts = {
  headers: Duration.seconds(60),
  slowHeaders: Duration.minutes(15),
  idle: Duration.seconds(60),
  grace: Duration.seconds(3),
  logout: Duration.seconds(5)
}

/** How patient a session is, and how much it holds in memory. */
export interface SessionLimits {
  /** What is left out stays as it is. */
  readonly timeouts?: Partial<SessionTimeouts>
  /** Cap of a body that `http` keeps in memory, in bytes; 64 MiB by default. */
  readonly bodyLimit?: number
  /** Sends of a request that may be repeated, the first included; 7 by default (about 30 s). */
  readonly tries?: number
}

/** Whose session, and where. */
export interface SessionSettings extends SessionLimits {
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  readonly profile: SessionProfile
}

/** The session of one account, through which every request to the API goes. */
export class Session extends Context.Service<
  Session,
  {
    /**
     * Requests with paths relative to the base URL; the reply is in memory when the next request may start.
     *
     * 302, HTML and 403 are recognised before decoding: one login for all who wait, then the request again when it is
     * safe. Statuses 2xx and the other 4xx come back as they are; 408, 425, 429, 5xx end as `Unavailable`. A page of
     * HTML that is still one after a new login comes back too: the endpoint is one.
     */
    readonly http: HttpClient.HttpClient.With<SessionError>
    /**
     * The same for bodies too large for memory: no other request starts until the scope closes, so a request to
     * `http` inside that scope waits for ever. A body given up early has its connection cut.
     */
    readonly stream: (
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<HttpClientResponse.HttpClientResponse, SessionError, Scope.Scope>
  }
>()("svc-steps/core/session/Session") {
  /**
   * Logs in while building and logs out when its scope closes, also on failure and interruption. The logout never
   * changes the outcome.
   */
  static readonly layer = (
    settings: SessionSettings
  ): Layer.Layer<Session, SessionError, HttpClient.HttpClient | AccountLock | CookieJars> =>
    Layer.effect(Session, makeConversation(settings, { ...usualTimeouts, ...settings.timeouts }))
}
