/**
 * The session of one account: login when the scope opens, logout when it closes, one API request in flight.
 *
 * Everything that goes to the API goes through here; docs/dev/service.md 3, 5, 7 and 8. A request waits for the
 * gate (a semaphore here, a lock between processes), logs in if the session is gone, and has its whole reply before
 * the gate opens again. So the service never sees two requests of the account at once, which would end its session.
 */
import * as Context from "effect/Context"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { SessionError } from "../Errors.ts"
import type { AccountLock } from "./AccountLock.ts"
import { type Conversation, makeConversation } from "./Conversation.ts"
import type { CookieJars } from "./CookieJars.ts"
import { type SessionSettings, usualTimeouts } from "./SessionSettings.ts"

/** The session of one account, through which every request to the API goes. */
export class Session extends Context.Service<Session, Conversation>()("svc-steps/core/session/Session") {
  /**
   * @internal Logs in while building and logs out when its scope closes, also on failure and interruption. The logout never
   * changes the outcome.
   */
  static readonly layer = (
    settings: SessionSettings
  ): Layer.Layer<Session, SessionError, HttpClient.HttpClient | AccountLock | CookieJars> =>
    Layer.effect(Session, makeConversation(settings, { ...usualTimeouts, ...settings.timeouts }))
}
