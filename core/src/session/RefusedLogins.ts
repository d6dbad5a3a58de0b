/**
 * What programs of one account tell each other about a refused password.
 *
 * A workflow starts hundreds of steps with the same credentials. When these are wrong, each step would try them once, and
 * the account would be locked; so steps that waited while another one was refused, or come right behind it, do not try,
 * and soon nobody does.
 */
import { Context, Effect, type Redacted } from "effect"

export interface RefusedLogins {
  /**
   * Whether this password of the account `key` is better not sent: it was refused to another program after `since` (ms of
   * the clock, the start of this one) or shortly before, or a few times in the last minutes.
   */
  readonly has: (key: string, password: Redacted.Redacted, since: number) => Effect.Effect<boolean>
  readonly add: (key: string, password: Redacted.Redacted) => Effect.Effect<void>
  /** The account let somebody in: nothing stays known. */
  readonly forget: (key: string) => Effect.Effect<void>
}

/** Knows of none, unless the lock folder's layer says otherwise. */
export const RefusedLogins: Context.Reference<RefusedLogins> = Context.Reference<RefusedLogins>(
  "svc-steps/core/session/RefusedLogins",
  { defaultValue: () => ({ has: () => Effect.succeed(false), add: () => Effect.void, forget: () => Effect.void }) }
)
