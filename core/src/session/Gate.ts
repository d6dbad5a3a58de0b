/**
 * The gate that lets one API request of an account through at a time: a semaphore in this process, a lock between processes.
 *
 * The service ends a session when two requests of an account meet (docs/dev/service.md 8), and pipeline tasks are separate
 * processes. The lock is advisory and best effort: when it cannot be had the session still recovers by itself, only
 * with more logins. Files come from link hosts and need no lock.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/**
 * Keeps programs that use the same account from talking to the service at the same time.
 *
 * @category services
 * @since 0.1.0
 */
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

export interface Gate {
  /** Holds the gate until the scope closes. Waiting can be interrupted; whoever holds it and asks for it again dies. */
  readonly enter: Effect.Effect<void, never, Scope.Scope>
  /**
   * Runs `work` inside the gate to its end even when the caller is interrupted, for at most the grace time: the
   * service must have answered before the next request, the logout included, may start (S8).
   */
  readonly inside: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R | Scope.Scope>
  /**
   * Until the scope closes: says in the log, once, that others wait for a body that is read for long. One of them may be what the
   * reading waits for, by another fiber, which nothing can see.
   */
  readonly tellWhoWaits: Effect.Effect<unknown, never, Scope.Scope>
}

/** For requests to a gateway, which lets one through at a time itself. */
export const openGate: Gate = { enter: Effect.void, inside: (work) => work, tellWhoWaits: Effect.void }

const nested =
  "A request was made inside the reading of a streamed body, of which the session lets no other begin: collect what the " +
  "stream gives and ask when it has ended, or ask by a session of another account"

/** How long a body may be read while others wait, until a line says so. */
const longReading = Duration.minutes(5)

const othersWait =
  `A streamed body has been read for ${Duration.toMinutes(longReading)} minutes or longer, and other requests wait until it ends. ` +
  "If the reading itself waits for one of them, neither will end"

export const makeGate = Effect.fnUntraced(function* (key: string, grace: Duration.Duration) {
  const lock = yield* AccountLock
  const permit = yield* Semaphore.make(1)
  const inIt = yield* Ref.make<number | null>(null)
  const waiting = yield* Ref.make(0)

  const takeTurn = Effect.acquireUseRelease(
    Ref.update(waiting, (count) => count + 1),
    () => Semaphore.takeScoped(permit, 1),
    () => Ref.update(waiting, (count) => count - 1)
  )

  const enter: Gate["enter"] = Effect.gen(function* () {
    const asking = yield* Effect.fiberId
    // It would wait for itself, in silence.
    if ((yield* Ref.get(inIt)) === asking) return yield* Effect.die(new Error(nested))
    yield* takeTurn
    yield* Ref.set(inIt, asking)
    yield* Effect.addFinalizer(() => Ref.set(inIt, null))
    const held = yield* Deferred.make<void>()
    const holder = yield* Effect.forkScoped(
      lock.withLock(key)(Effect.andThen(Deferred.succeed(held, undefined), Effect.never))
    )
    yield* Effect.addFinalizer(() => Fiber.interrupt(holder))
    // Joining the holder ends the wait too when the lock dies with a defect.
    yield* Effect.raceFirst(Deferred.await(held), Fiber.join(holder))
  })

  const tellWhoWaits = Effect.sleep(longReading).pipe(
    Effect.andThen(Ref.get(waiting)),
    Effect.repeat({ until: (count) => count > 0 }),
    Effect.andThen(Effect.logWarning(othersWait)),
    Effect.forkScoped
  )

  const inside: Gate["inside"] = (work) =>
    Effect.andThen(
      enter,
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.forkChild(work), (fiber) =>
          Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
            Fiber.await(fiber).pipe(
              Effect.interruptible,
              Effect.timeoutOption(grace),
              Effect.andThen(Fiber.interrupt(fiber))
            )
          )
        )
      )
    )

  return { enter, inside, tellWhoWaits }
})
