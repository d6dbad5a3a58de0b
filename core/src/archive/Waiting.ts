/**
 * Looking again and again until all restorations have come to an end or the time is up. Nothing is held between two
 * looks: no session, no file, no lock.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type RestorationOutlook, restorationPoll } from "../Schedules.ts"
import { untilFirst } from "./Estimate.ts"

/** How long to wait for restorations, and how often to look at least. */
export interface Patience {
  /** Zero looks once. */
  readonly wait: Duration.Duration
  readonly poll: Duration.Duration
}

/** What one look found. */
export interface Found<A> {
  readonly value: A
  /** Estimates of all that may still come back, as written; empty when nothing may. */
  readonly awaited: ReadonlyArray<string | null>
}

interface Outlook<A> extends RestorationOutlook {
  readonly value: A
}

/**
 * Repeats `look` by `restorationPoll`; the value of the last one. Durations are of the monotonic clock, so that a clock
 * which is set changes neither how long is waited nor how often is looked (fault C1).
 *
 * @param asleep - called before each sleep with its length, and with the longest time that the waiting may still take
 */
export const untilRestored = Effect.fn("svc.archive.untilRestored")(function* <A, E, R>(
  look: Effect.Effect<Found<A>, E, R>,
  { poll, wait }: Patience,
  asleep: (found: A, sleep: Duration.Duration, left: Duration.Duration) => Effect.Effect<void>
): Effect.fn.Return<A, E, R> {
  const begun = yield* Clock.monotonicTimeNanos
  const end = begun + BigInt(Math.round(Duration.toMillis(wait))) * 1_000_000n
  const step = Effect.gen(function* () {
    const { awaited, value } = yield* look
    const left = Math.ceil(Number(end - (yield* Clock.monotonicTimeNanos)) / 1e6)
    const expected = untilFirst(awaited, yield* Clock.currentTimeMillis)
    return { value, expected, left: Duration.millis(awaited.length === 0 ? 0 : Math.max(0, left)) }
  })
  const { value } = yield* Effect.repeat(step, {
    schedule: Schedule.passthrough(
      restorationPoll<Outlook<A>>(poll).pipe(
        Schedule.tap(({ duration, input }) => asleep(input.value, duration, input.left))
      )
    )
  })
  return value
})
