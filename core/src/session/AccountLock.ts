/**
 * The lock that keeps the API requests of one account from overlapping between processes.
 *
 * The service ends a session when two requests of an account meet (docs/dev/service.md 8), and pipeline tasks are separate
 * processes. The lock is advisory and best effort: when it cannot be had the session still recovers by itself, only
 * with more logins. Files come from link hosts and need no lock.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Keeps programs that use the same account from talking to the service at the same time. */
export class AccountLock extends Context.Service<
  AccountLock,
  {
    /**
     * Runs `self` while no other process holds `key`. Waits as long as the owner lives; waiting can be interrupted.
     * `key` is text of any form: implementations hash it, so that no name of a user reaches the disk.
     */
    readonly withLock: (key: string) => <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("svc-steps/core/session/AccountLock") {
  /** No lock between processes: for tests, and where only one process uses the account. */
  static readonly layerNone = Layer.succeed(AccountLock, { withLock: () => (self) => self })
}
