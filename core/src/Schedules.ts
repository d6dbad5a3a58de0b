/**
 * Every repetition policy of the product, named after its purpose. Times are virtual in tests.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"

/**
 * Whether a status says that the same request may work later: those of the client that say so, and failures of a server, also
 * those that nobody registered, such as 520 to 530 of Cloudflare (RFC 9110 section 15: an unknown one counts as 500). It is no
 * answer of the service: a proxy on the way gives them too.
 */
export const isPassing = (status: number): boolean =>
  [408, 425, 429].includes(status) || (status >= 500 && ![501, 505].includes(status))

/** The pause before a login that follows `logins` others of a session in a row without an answer: none, then 2 s, growing tenfold to half a minute, jittered. */
export const loginPause = (logins: number): Effect.Effect<Duration.Duration> =>
  logins === 0
    ? Effect.succeed(Duration.zero)
    : Effect.map(Random.nextBetween(0.8, 1.2), (jitter) =>
        Duration.seconds(Math.min(2 * 10 ** (logins - 1), 30) * jitter)
      )

/** A failure that knows how long the other side asked to wait, or null when it did not say. */
export interface AskedToWait {
  readonly retryAfter: Duration.Duration | null
}

/**
 * What a `Retry-After` field asks for: whole seconds, or the time until a date, zero for one in the past. Null when it says
 * nothing that can be used. `now` in ms since 1970.
 */
export const waitAsked = (field: string | null | undefined, now: number): Duration.Duration | null =>
  field == null
    ? null
    : Result.match(Headers.parseRetryAfter(field), {
        onFailure: () => null,
        onSuccess: (asked) => Headers.retryAfterDelay(asked, now)
      })

/** The longest wait that a `Retry-After` of the service is granted. */
const longestRetryAfter = Duration.minutes(2)

/**
 * Repeating an API request that may be repeated: 0.5 s doubling to 16 s, jittered by a fifth, longer when the service
 * asks for it (capped), `tries` sends in all. Seven tries outlast a restart of half a minute.
 */
export const apiRetry = (tries: number) =>
  Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("16 seconds")]).pipe(
    Schedule.jittered,
    Schedule.setInputType<AskedToWait>(),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.succeed(
        input.retryAfter === null ? duration : Duration.max(duration, Duration.min(input.retryAfter, longestRetryAfter))
      )
    ),
    Schedule.upTo({ times: tries - 1 })
  )

/** The longest wait between two requests to a link host, also when it asks for more. */
const longestLinkDelay = Duration.seconds(60)

/**
 * Asking a link host again for the same byte: 1 s doubling to 60 s, with full jitter, longer when the host asks for it
 * (capped), 8 times. Progress starts it anew.
 */
export const linkRetry = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced(longestLinkDelay)]).pipe(
  Schedule.setInputType<AskedToWait>(),
  Schedule.modifyDelay(({ duration, input }) =>
    Effect.map(Random.next, (random) => {
      const jittered = Duration.times(duration, random)
      return input.retryAfter === null
        ? jittered
        : Duration.max(jittered, Duration.min(input.retryAfter, longestLinkDelay))
    })
  ),
  Schedule.upTo({ times: 8 })
)

/** Looking again whether a lock file is free: 5 ms growing to 25 ms, jittered so that waiters do not all look at the same moment. */
export const lockPoll = Schedule.min([Schedule.exponential("5 millis", 1.5), Schedule.spaced("25 millis")]).pipe(
  Schedule.jittered
)

/** Trying a folder of a disk again that is away for now, or for which too many files are open. */
export const diskPoll = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered
)

/** What is known, after looking at restorations, of when to look again. */
export interface RestorationOutlook {
  /** Until the earliest expected restoration; null when nothing is expected that can be read as a time. */
  readonly expected: Duration.Duration | null
  /** How long the caller will still wait. */
  readonly left: Duration.Duration
}

/** The service is asked at least once a day, whatever it estimated; timers of Node end at 24.8 days. */
const longestRestorationSleep = Duration.hours(24)

/**
 * Looking whether files have been restored: a moment after the earliest estimate, then from an eighth of `poll` (at
 * least a second) growing to `poll`, jittered by a fifth, and a last time when the waiting ends.
 */
export const restorationPoll = <Outlook extends RestorationOutlook>(poll: Duration.Duration) =>
  Schedule.min([
    Schedule.exponential(Duration.min(poll, Duration.max(Duration.seconds(1), Duration.times(poll, 1 / 8))), 1.5),
    Schedule.spaced(poll)
  ]).pipe(
    Schedule.jittered,
    Schedule.setInputType<Outlook>(),
    Schedule.modifyDelay(({ duration, input: { expected, left } }) => {
      const wanted = Duration.sum(duration, expected ?? Duration.zero)
      return Effect.succeed(Duration.min(Duration.min(wanted, left), longestRestorationSleep))
    }),
    Schedule.while(({ input }) => Duration.isGreaterThan(input.left, Duration.zero))
  )

/** Asking once more for a body that broke in the middle and cannot be continued: after about 1 s and 2 s, twice in all. */
export const bodyRetry = Schedule.exponential("1 second").pipe(Schedule.jittered, Schedule.upTo({ times: 2 }))

/** Looking again whether somebody reads a pipe that is to be written to. */
export const pipePoll = Schedule.spaced("100 millis")

/** Drawing the status of a job anew on a terminal: fast enough to look alive, slow enough to cost nothing. */
export const statusDraw = Schedule.spaced("200 millis")

/** Writing the status of a job into a log, where nothing can be redrawn. */
export const statusLog = Schedule.spaced("1 minute")

/** Logging in to a service that was away when a server started: after 2 s, doubling to half a minute, for ever. */
export const serviceReturn = Schedule.min([Schedule.exponential("2 seconds"), Schedule.spaced("30 seconds")]).pipe(
  Schedule.jittered
)

/** Looking whether a service that did not answer is back, by a server that nobody asks for anything. */
export const serviceLook = Schedule.spaced("10 seconds")
