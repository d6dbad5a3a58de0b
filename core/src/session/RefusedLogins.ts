/**
 * Lets the programs of one account share that a password was refused.
 *
 * A workflow starts hundreds of steps with the same credentials. When these are wrong and each step tries them once, the service
 * locks the account. So a step does not try a password that was refused to another while it waited or shortly before it started, and after
 * a few refusals of the same password no step tries that one for some minutes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

export interface RefusedLogins {
  /**
   * Whether the password of the account `key` must not be sent: it was refused to another program shortly before `since` or
   * later (`since` is when this program started, ms since 1970), or several times in the last minutes.
   */
  readonly has: (key: string, password: Redacted.Redacted, since: number) => Effect.Effect<boolean>
  readonly add: (key: string, password: Redacted.Redacted) => Effect.Effect<void>
  /** Forgets all refusals of the account, after a login that worked. */
  readonly forget: (key: string) => Effect.Effect<void>
}

/** The default remembers nothing; the layer of the lock folder replaces it. */
export const RefusedLogins: Context.Reference<RefusedLogins> = Context.Reference<RefusedLogins>(
  "svc-steps/core/session/RefusedLogins",
  { defaultValue: () => ({ has: () => Effect.succeed(false), add: () => Effect.void, forget: () => Effect.void }) }
)
