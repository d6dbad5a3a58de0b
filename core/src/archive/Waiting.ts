/**
 * Waiting for restorations: when one may be expected, and looking again and again until all have come to an end or the time is up.
 * Nothing is held between two looks: no session, no file, no lock.
 *
 * Estimates are hints for when to look: whether a file is back is decided by the flags of the service alone, so a clock that is wrong
 * costs a look or some waiting, and nothing else (faults C2, L11).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type RestorationOutlook, restorationPoll } from "../Schedules.ts"
import { timeOf } from "../text/Timestamp.ts"
import { requesting, type TrackingEntry } from "./TrackingEntry.ts"

/**
 * The restoration of an archived file, times as written where they are known: ISO 8601 unless the service errs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Restoration {
  readonly requestedAt: string | null
  readonly estimate: string | null
}

/** Restorations take up to half a day (docs/dev/service.md 15); after that an unexplained one counts as over. */
const longestRestoration = Duration.toMillis("12 hours")

/** An estimate further ahead of its request is no estimate: waiting for the year 9999 would keep a lost request lost. */
const credible = Duration.toMillis("7 days")

/** When a restoration should have ended, in ms since 1970; null when nothing tells it. `now` in the same. */
const expectedEnd = (
  { requestTime, restoreEstimation }: Pick<TrackingEntry, "requestTime" | "restoreEstimation">,
  now: number
): number | null => {
  const expected = timeOf(restoreEstimation)
  const requested = timeOf(requestTime)
  if (expected !== null && expected - (requested ?? now) <= credible) return expected
  return requested === null ? null : requested + longestRestoration
}

/** Whether a restoration that the service does not mention may still be under way. `now` in ms since 1970. */
export const mayBeUnderWay = (
  entry: Pick<TrackingEntry, "requestTime" | "restoreEstimation" | "status">,
  now: number
): boolean => entry.status !== requesting && (expectedEnd(entry, now) ?? now) > now

/** Who waits for a file looks once a night at least: two nights later it has been fetched, or nobody looks for it. */
const twoNights = Duration.toMillis("2 days")

/** Whether the request should long have been finished. `now` in ms since 1970. */
export const isOverdue = (entry: Pick<TrackingEntry, "requestTime" | "restoreEstimation">, now: number): boolean =>
  (expectedEnd(entry, now) ?? now) + twoNights <= now

/** The earliest of `estimates` that lies ahead, as it was written; null when none does. */
export const nextOf = (estimates: ReadonlyArray<string | null>, now: number): string | null => {
  let next: { readonly text: string; readonly time: number } | null = null
  for (const text of estimates) {
    const time = timeOf(text)
    if (text !== null && time !== null && time > now && (next === null || time < next.time)) next = { text, time }
  }
  return next?.text ?? null
}

/** How long until the first file may be restored: zero when an estimate has passed, null when any estimate is unknown. */
export const untilFirst = (estimates: ReadonlyArray<string | null>, now: number): Duration.Duration | null => {
  const times = estimates.map(timeOf)
  if (times.length === 0 || times.includes(null)) return null
  const first = times.reduce<number>((least, time) => Math.min(least, time ?? least), Number.MAX_SAFE_INTEGER)
  return Duration.millis(Math.max(0, first - now))
}

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
