import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** Moves the virtual clock on until `done`; what the disk does takes its own time. */
export const passTimeUntil = (done: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!done()) {
      yield* TestClock.adjust("1 second")
      yield* TestClock.withLive(Effect.sleep("1 millis"))
    }
  })
