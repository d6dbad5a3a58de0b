/** A clock that a test can set back or forward, while its monotonic time goes on. */
import { Clock, Effect } from "effect"

export interface JumpingClock {
  readonly clock: Clock.Clock
  /** Sets the wall clock to `milliseconds` after the right time. */
  readonly set: (milliseconds: number) => void
}

/** Sleeps and monotonic time are those of the clock of the test. */
export const makeJumpingClock: Effect.Effect<JumpingClock> = Effect.map(Clock.Clock, (right) => {
  let offset = 0
  const nanos = () => BigInt(offset) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => right.currentTimeMillisUnsafe() + offset,
    currentTimeMillis: Effect.map(right.currentTimeMillis, (now) => now + offset),
    currentTimeNanosUnsafe: () => right.currentTimeNanosUnsafe() + nanos(),
    currentTimeNanos: Effect.map(right.currentTimeNanos, (now) => now + nanos()),
    monotonicTimeNanosUnsafe: () => right.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: right.monotonicTimeNanos,
    sleep: (duration) => right.sleep(duration)
  }
  return {
    clock,
    set: (milliseconds) => {
      offset = milliseconds
    }
  }
})
