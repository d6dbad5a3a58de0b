/** Whose session, where, and how patient: what a session is made of. */
import { Duration, type Redacted } from "effect"
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
export const usualTimeouts: SessionTimeouts = {
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
