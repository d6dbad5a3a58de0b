/** Virtual time for programs that talk over real sockets: it passes only while nobody does anything but sleep. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { TestClock } from "effect/testing/TestClock"

const isVirtual = (clock: Clock.Clock): clock is TestClock => "setTime" in clock

/** What is under way in this process: calls for files, connections that are made, bytes that are written. */
const working = /Req(?:Callback|Promise|Wrap)?$|ConnectWrap$|(?:Write|Shutdown)Wrap$|^Zlib$|Job$|Request$/

/** Bytes that another socket of this process has sent are seen one turn of the event loop later, an accepted connection two. */
const turns = 5

const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/**
 * Runs `effect`. Whenever all that is left of it are sleeps, the clock goes to the end of the first one, so that hours take a moment,
 * and no request runs into a timeout while it is answered. Without a TestClock time passes by itself.
 *
 * @param answering - whether a request is being answered
 */
export const passTime =
  (answering: () => boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      if (!isVirtual(clock)) return yield* effect
      const ends = new Set<{ readonly at: number }>()
      const sleep = (duration: Duration.Duration) =>
        Effect.suspend(() => {
          const end = { at: clock.currentTimeMillisUnsafe() + Duration.toMillis(duration) }
          ends.add(end)
          return Effect.ensuring(
            clock.sleep(duration),
            Effect.sync(() => ends.delete(end))
          )
        })
      const watched: Clock.Clock = Object.create(clock, { sleep: { value: sleep } })
      const fiber = yield* Effect.forkChild(Effect.provideService(effect, Clock.Clock, watched))
      let quiet = 0
      while (fiber.pollUnsafe() === undefined) {
        yield* nextTurn
        quiet = answering() || process.getActiveResourcesInfo().some((name) => working.test(name)) ? 0 : quiet + 1
        if (quiet < turns || ends.size === 0) continue
        quiet = 0
        yield* clock.setTime(Math.min(...Array.from(ends, ({ at }) => at)))
      }
      return yield* Fiber.join(fiber)
    })
