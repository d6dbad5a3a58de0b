/** The body of an answer as it arrives, piece by piece, each within its time. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { countBytes } from "../telemetry/Counters.ts"
import { makePace, monotonicMillis } from "../telemetry/MonotonicTime.ts"
import type { SessionReply } from "./ReplyReading.ts"
import type { Setback } from "./Setback.ts"

export interface BodyWaits {
  /** Until the headers of the answer, and then until the first byte of its body. */
  readonly headers: Duration.Duration
  /** Between two pieces of the body. */
  readonly idle: Duration.Duration
}

/** What is done when an answer takes long, and too long. */
export interface Patience {
  readonly giveUp: (reason: string) => Effect.Effect<never, Setback>
  readonly sayLong: (wait: Duration.Duration) => Effect.Effect<void>
}

/** A line says that an answer takes long after this time. */
export const longWait = Duration.minutes(1)

/** Waits for a part of the answer, and gives it up after `wait` for `reason`. `first`: that this takes long is said. */
export const inTime =
  ({ giveUp, sayLong }: Patience, wait: Duration.Duration, reason: string, first: boolean) =>
  <A, E, R>(part: Effect.Effect<A, E, R>): Effect.Effect<A, E | Setback, R> => {
    const said = Effect.andThen(Effect.delay(sayLong(wait), longWait), Effect.never)
    return Effect.timeoutOrElse(first ? Effect.raceFirst(part, said) : part, {
      duration: wait,
      orElse: () => giveUp(reason)
    })
  }

/** The next piece of `body` each time it is run, null at the end. */
export const makeArrival = Effect.fnUntraced(function* (
  body: Stream.Stream<Uint8Array, Setback>,
  { headers, idle }: BodyWaits,
  patience: Patience
) {
  const pull = yield* Stream.toPull(Stream.rechunk(body, 1))
  let begun = false
  const isTooSlow = makePace()

  const take = Effect.suspend(() => {
    const wait = begun ? idle : headers
    return Pull.matchEffect(pull, {
      onSuccess: ([piece]): Effect.Effect<Uint8Array | null> => Effect.as(countBytes("api", piece.length), piece),
      onFailure: Effect.failCause,
      onDone: () => Effect.succeed(null)
    }).pipe(inTime(patience, wait, `no further byte of the answer within ${Duration.format(wait)}`, !begun))
  })

  const next: SessionReply["next"] = Effect.gen(function* () {
    const asked = yield* monotonicMillis
    const piece = yield* take
    const waited = (yield* monotonicMillis) - asked
    if (piece !== null && begun && isTooSlow(waited, piece.length)) {
      return yield* patience.giveUp("the answer comes with less than 1 KiB per second")
    }
    begun = true
    return piece
  })
  return next
})
