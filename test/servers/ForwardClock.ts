/** The machine's clock, which a test puts forward: what would end after a second or more ends then, and never by itself. */
import { type Clock, Duration, Effect, Latch } from "effect"

export interface ForwardClock {
  readonly clock: Clock.Clock
  readonly forward: (time: Duration.Input) => Effect.Effect<void>
}

/** Shorter waits take their time: they are there for the sockets, not for what a test is about. */
const shortest = Duration.seconds(1)

/** @param ahead - ms that it is before the machine's from the start; below zero, behind it */
export const makeForwardClock = (ahead = 0): Effect.Effect<ForwardClock> =>
  Effect.clockWith((machine) =>
    Effect.sync(() => {
      const now = () => machine.currentTimeMillisUnsafe() + ahead
      const nanos = () => machine.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n
      const monotonic = () => machine.monotonicTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n
      const waiting = new Set<{ readonly end: number; readonly latch: Latch.Latch }>()
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: monotonic,
        monotonicTimeNanos: Effect.sync(monotonic),
        sleep: (time) =>
          Effect.suspend(() => {
            if (Duration.isLessThan(time, shortest)) return machine.sleep(time)
            const waits = { end: now() + Duration.toMillis(time), latch: Latch.makeUnsafe() }
            waiting.add(waits)
            return Effect.ensuring(
              waits.latch.await,
              Effect.sync(() => waiting.delete(waits))
            )
          })
      }
      const forward = (time: Duration.Input) =>
        Effect.sync(() => {
          ahead += Duration.toMillis(Duration.fromInputUnsafe(time))
          for (const { end, latch } of waiting) if (end <= now()) latch.openUnsafe()
        })
      return { clock, forward }
    })
  )
