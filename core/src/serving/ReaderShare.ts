/** How many works a reader may have under way: further ones wait for their turn, and hold up no other reader. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"
import { patience, Reader, ServiceAway } from "./Questions.ts"

/** @param most - works of one reader at a time */
export const makeReaderShare = (most: number) =>
  Effect.map(RcMap.make({ lookup: (_reader: string) => Effect.sync(() => makeShare(most)) }), (shares) =>
    Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
      const inTurn = yield* RcMap.get(shares, (yield* Reader).key)
      return yield* inTurn(work)
    }, Effect.scoped)
  )

/**
 * The works of one reader. When one of them ends since the service was silent for the whole of its `patience`, and none was answered
 * meanwhile, all who wait fail with it at once: else each would wait as long again. A work that tells nothing of the service only takes its turn.
 */
const makeShare = (most: number) => {
  const permits = Semaphore.makeUnsafe(most)
  /** Who waits for a turn; failing it ends the wait. */
  const waiting = new Set<Deferred.Deferred<never, ServiceAway>>()
  /** Works that were answered, if only with a no. */
  let answers = 0
  const countAnswer = Effect.sync(() => void answers++)

  const watched = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
    const before = answers
    const begun = yield* monotonicMillis
    const unanswered = Effect.fnUntraced(function* (error: ServiceAway) {
      const waited = (yield* monotonicMillis) - begun
      // One that joined another's look-up just before that failed has not waited itself, so it says nothing about those who do.
      if (answers > before || waited < patience) return
      for (const wait of [...waiting]) yield* Deferred.fail(wait, error)
    })
    return yield* work.pipe(
      Effect.tap(() => countAnswer),
      Effect.tapError((error) => (error instanceof ServiceAway ? unanswered(error) : countAnswer))
    )
  })

  return Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
    const wait = yield* Deferred.make<never, ServiceAway>()
    const endWait = Effect.sync(() => waiting.delete(wait))
    waiting.add(wait)
    const turn = permits.withPermit(Effect.andThen(endWait, watched(work)))
    return yield* Effect.raceFirst(turn, Deferred.await(wait)).pipe(Effect.ensuring(endWait))
  })
}
