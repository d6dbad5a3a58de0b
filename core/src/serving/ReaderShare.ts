/** How much one reader may have under way: what is beyond waits until something of its own has ended, and holds up nobody else. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import { patience, Reader, ServiceAway } from "./Questions.ts"

interface Share {
  readonly permits: Semaphore.Semaphore
  /** How many works have ended with an answer, if only a no. */
  answered: number
  /** Fails those who wait at that time. */
  away: Deferred.Deferred<never, ServiceAway>
}

/**
 * Readers wait as long as there are answers. Where a work ends since nobody answers (`ServiceAway`), and no other of its reader had an
 * answer meanwhile, those who wait end as well: one after the other, each would wait as long again. A work that joined the look-up of
 * another shortly before that failed has not waited, so it says nothing about them.
 *
 * @param most - works of one reader at a time
 */
export const makeReaderShare = (most: number) =>
  Effect.map(
    RcMap.make({
      lookup: (_reader: string) =>
        Effect.sync((): Share => ({ permits: Semaphore.makeUnsafe(most), answered: 0, away: Deferred.makeUnsafe() }))
    }),
    (shares) =>
      <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const share = yield* RcMap.get(shares, (yield* Reader).key)
          const begun = yield* Deferred.make<void>()
          const { away } = share
          const turn = Effect.gen(function* () {
            yield* Deferred.succeed(begun, undefined)
            const before = share.answered
            const since = yield* monotonicMillis
            const answered = Effect.sync(() => void share.answered++)
            return yield* work.pipe(
              Effect.tap(() => answered),
              Effect.tapError(
                Effect.fnUntraced(function* (error) {
                  if (!(error instanceof ServiceAway)) return yield* answered
                  if (share.answered > before || (yield* monotonicMillis) - since < patience) return
                  const waiting = share.away
                  share.away = Deferred.makeUnsafe()
                  yield* Deferred.fail(waiting, error)
                })
              )
            )
          })
          const inVain = Effect.raceFirst(Deferred.await(begun), Deferred.await(away))
          return yield* Effect.raceFirst(share.permits.withPermit(turn), Effect.andThen(inVain, Effect.never))
        }).pipe(Effect.scoped)
  )
