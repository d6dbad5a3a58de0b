/** Watches that a link host sends a first byte in time. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { monotonicMillis } from "../MonotonicTime.ts"
import { ServiceAway } from "./Questions.ts"

export interface StartWatch {
  /** The first byte is there; after that there is no limit. */
  readonly started: Effect.Effect<void>
  /** Waiting for the service is no fault of the link host: the store of links has a limit of its own. */
  readonly excluding: <A, E>(link: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Fails when the first byte is late; never succeeds. */
  readonly late: Effect.Effect<never, ServiceAway>
}

/** How long a reader waits for the first byte of the link host, in ms. */
const firstByte = Duration.toMillis("10 seconds")

export const makeStartWatch: Effect.Effect<StartWatch> = Effect.gen(function* () {
  const started = yield* Deferred.make<void>()
  const atHost = yield* Latch.make(true)
  let since = yield* monotonicMillis
  let before = 0
  const look = Effect.gen(function* () {
    yield* atHost.await
    const spent = before + (yield* monotonicMillis) - since
    if (spent >= firstByte) return yield* new ServiceAway({ reason: "the link host has not answered yet" })
    yield* Effect.sleep(Math.ceil(firstByte - spent))
  })
  return {
    started: Effect.asVoid(Deferred.succeed(started, undefined)),
    excluding: (link) =>
      Effect.acquireUseRelease(
        Effect.gen(function* () {
          before += (yield* monotonicMillis) - since
          yield* atHost.close
        }),
        () => link,
        () =>
          Effect.gen(function* () {
            since = yield* monotonicMillis
            yield* atHost.open
          })
      ),
    late: Effect.raceFirst(Deferred.await(started), Effect.forever(look)).pipe(Effect.andThen(Effect.never))
  }
})
