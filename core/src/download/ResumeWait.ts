/** Looking at stored requests again and again, until nothing more is awaited or the time is up. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Found, type Patience, untilRestored } from "../archive/Waiting.ts"
import type { Look } from "./ResumeMemory.ts"

/** A failure of a whole look, which says of itself whether another look may not meet it. */
export interface LookFailure {
  readonly message: string
  readonly retryable: boolean
}

/** A look, or why there was none. */
interface Attempt<E> {
  /** Null when the service was away. */
  readonly look: Look | null
  readonly error: E | null
}

/**
 * The last look. Who waits gets over a service that is away for some time; when it is away at the last look, that is the
 * failure of the run, as any other failure is at once.
 *
 * @param look - one look, with a session of its own
 * @param asleep - called before each sleep with its length, and with the longest time that the waiting may still take
 */
export const untilBack = Effect.fn("svc.download.untilBack")(function* <E extends LookFailure, R>(
  look: Effect.Effect<Look, E, R>,
  patience: Patience,
  asleep: (sleep: Duration.Duration, left: Duration.Duration) => Effect.Effect<void>
): Effect.fn.Return<Look | null, E, R> {
  const waits = !Duration.isZero(patience.wait)
  const attempt = look.pipe(
    Effect.map((look): Found<Attempt<E>> => ({ value: { look, error: null }, awaited: expectedIn(look) })),
    Effect.catch((error): Effect.Effect<Found<Attempt<E>>, E> => {
      if (!waits || !error.retryable) return Effect.fail(error)
      const again: Found<Attempt<E>> = { value: { look: null, error }, awaited: [null] }
      return Effect.as(Effect.logWarning(error.message), again)
    })
  )
  const last = yield* untilRestored(attempt, patience, (_, sleep, left) => asleep(sleep, left))
  return last.error === null ? last.look : yield* Effect.fail(last.error)
})

/** What may still come back: what was requested, and what failed for a reason that passes. */
export const expectedIn = ({ statuses }: Look): ReadonlyArray<string | null> =>
  statuses.flatMap(({ state }) => {
    if (state._tag === "Requested") return [state.estimate]
    return state._tag === "Failed" && state.error.retryable ? [null] : []
  })
