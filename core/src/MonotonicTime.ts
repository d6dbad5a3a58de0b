/** The time that durations are measured with: it goes on evenly when the clock of the machine is set (fault C1). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds since a moment that nobody knows: only the difference of two readings means something. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6
)
