/**
 * What programs of one account tell each other about a refused password.
 *
 * A workflow starts hundreds of steps with the same credentials. When these are wrong, each step would try them once, and
 * the account would be locked; so the first one says it, and the others do not try.
 */
import { Context, Effect, type Redacted } from "effect"

export interface RefusedLogins {
  /** Whether the service refused this password of the account `key` to another program a short while ago. */
  readonly has: (key: string, password: Redacted.Redacted) => Effect.Effect<boolean>
  readonly add: (key: string, password: Redacted.Redacted) => Effect.Effect<void>
}

/** Knows of none, unless the lock folder's layer says otherwise. */
export const RefusedLogins: Context.Reference<RefusedLogins> = Context.Reference<RefusedLogins>(
  "svc-steps/core/session/RefusedLogins",
  { defaultValue: () => ({ has: () => Effect.succeed(false), add: () => Effect.void }) }
)
