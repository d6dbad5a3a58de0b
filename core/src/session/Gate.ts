/**
 * The gate that lets one API request of an account through at a time: a semaphore in this process, a lock between processes.
 *
 * The service ends a session when two requests of an account meet (docs/dev/service.md 8), and pipeline tasks are separate
 * processes. It works on when a client leaves, so a question outlives who asked it: a turn whose answer did not come is left and not
 * given back, and nobody has the next one before {@link longestAnswer} is over. The lock keeps that, for this process and the next.
 * Files come from link hosts and need no lock.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"

/** How long the service is taken to be at work on what it was asked by somebody who has left. */
export const longestAnswer = Duration.minutes(1)

/** Says that a turn waits for such an answer. */
export const sayAtWork = (left: Duration.Duration): Effect.Effect<void> =>
  Effect.logWarning(
    `The service may still be at work on a request of this account that was stopped or given up: nothing is asked for up to ${Duration.format(Duration.seconds(Math.ceil(Duration.toSeconds(left))))}`
  )

/**
 * The turn of a session at its account.
 *
 * @category models
 * @since 0.1.0
 */
export interface AccountTurn {
  /** To be called when what was asked may still be worked on: nobody has the next turn within a minute. */
  readonly leave: Effect.Effect<void>
}

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
     * A turn at `key`, until the scope closes. Waits as long as another one lasts, and for a minute after one that was left or whose
     * process was killed; waiting can be interrupted. `key` is text of any form: implementations hash it, so that no name of a user reaches the disk.
     */
    readonly take: (key: string) => Effect.Effect<AccountTurn, never, Scope.Scope>
  }
>()("svc-steps/core/session/AccountLock") {
  /** No lock between processes: for tests, and where only one process uses the account. */
  static readonly layerNone: Layer.Layer<AccountLock> = Layer.sync(AccountLock, () => makeAccountLock())
}

/** A lock that is kept in memory: of turns it knows which were left. Who takes part takes them in order (`Gate`). */
export const makeAccountLock = (): AccountLock["Service"] => {
  /** Until when nothing may be asked, ms of the monotonic clock, by key. */
  const left = new Map<string, number>()
  return {
    take: Effect.fnUntraced(function* (key) {
      const rest = Duration.millis((left.get(key) ?? 0) - (yield* monotonicMillis))
      if (Duration.isPositive(rest)) {
        yield* sayAtWork(rest)
        yield* Effect.sleep(rest)
      }
      return {
        leave: Effect.map(monotonicMillis, (now) => void left.set(key, now + Duration.toMillis(longestAnswer)))
      }
    })
  }
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

/** @param unanswered - whether a question of the last turn was left without its answer */
export const makeGate = Effect.fnUntraced(function* (
  key: string,
  grace: Duration.Duration,
  unanswered: Ref.Ref<boolean>
) {
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
    const { leave } = yield* lock.take(key)
    yield* Ref.set(unanswered, false)
    yield* Effect.addFinalizer(() => Effect.flatMap(Ref.get(unanswered), (left) => (left ? leave : Effect.void)))
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
