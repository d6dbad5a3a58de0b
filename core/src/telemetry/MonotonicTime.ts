/** The time that durations are measured with: it goes on evenly when the clock of the machine is set (fault C1). */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

/** Milliseconds since a moment that nobody knows: only the difference of two readings means something. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6
)

/** When something began and ended, and how long it took: the times may lie hours apart, or in the wrong order, when the clock was set. */
export interface Timing {
  readonly startedAt: Date
  readonly finishedAt: Date
  readonly seconds: number
}

/** What `work` gives, and its timing. */
export const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const startedAt = DateTime.toDate(yield* DateTime.now)
  const begun = yield* monotonicMillis
  const value = yield* work
  const seconds = ((yield* monotonicMillis) - begun) / 1000
  const timing: Timing = { startedAt, finishedAt: DateTime.toDate(yield* DateTime.now), seconds }
  return { value, timing }
})

/** A body that brings fewer `bytes` than these in `milliseconds` of waiting for it comes too slowly. */
const slowest = { bytes: 120 * 1024, milliseconds: 120_000 }

/** Judges a body piece by piece, by its bytes and the ms that were waited for them: true when it comes too slowly. */
export const makePace = () => {
  let window = { waited: 0, bytes: 0 }
  return (waited: number, bytes: number): boolean => {
    window = { waited: window.waited + waited, bytes: window.bytes + bytes }
    if (window.waited < slowest.milliseconds) return false
    const isSlow = window.bytes < slowest.bytes
    window = { waited: 0, bytes: 0 }
    return isSlow
  }
}
