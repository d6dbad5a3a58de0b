/** The settings of a session: account, address, time limits and number of tries. */
import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import type { SessionProfile } from "./SessionProfile.ts"

/** The time limits of a session. */
export interface SessionTimeouts {
  /** From sending a request to the headers of its reply, connecting included. 60 s. */
  readonly headers: Duration.Duration
  /** The same for requests marked {@link SlowReply}. 15 min. */
  readonly slowHeaders: Duration.Duration
  /** Between two pieces of the body. 60 s. */
  readonly idle: Duration.Duration
  /** How long a request may still run after its caller was interrupted; then its connection is cut. 3 s. */
  readonly grace: Duration.Duration
  /** For the logout, including the wait for the gate. 5 s. */
  readonly logout: Duration.Duration
}

/** The time limits that hold when {@link SessionSettings} give none. */
export const usualTimeouts: SessionTimeouts = {
  headers: Duration.seconds(60),
  slowHeaders: Duration.minutes(15),
  idle: Duration.seconds(60),
  grace: Duration.seconds(3),
  logout: Duration.seconds(5)
}

/** Limits of a session: time, tries, and memory. */
export interface SessionLimits {
  /** Time limits that differ from the usual ones, which stand at `SessionTimeouts`. */
  readonly timeouts?: Partial<SessionTimeouts>
  /** Largest body that `http` keeps in memory, in bytes; 64 MiB by default. */
  readonly bodyLimit?: number
  /** How often a request that may be repeated is sent, the first time included; 7 by default (about 30 s). */
  readonly tries?: number
}

/** The account and the address of the service. */
export interface SessionSettings extends SessionLimits {
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  readonly profile: SessionProfile
}
