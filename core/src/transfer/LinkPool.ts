/** What all transfers of a run share about link hosts: requests at a time, bytes per second, and how long to wait. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { type ConfigUnusable, givenTimes } from "../Errors.ts"
import { monotonicMillis } from "../telemetry/MonotonicTime.ts"

/** There is no limit in time for a whole transfer: a slow download may take days. */
export interface TransferSettings {
  /** Requests to link hosts at the same time, over all files. */
  readonly connections: number
  /** Bytes per second over all connections; 0: no limit. */
  readonly limitRate: number
  /** The longest time from a request to the end of its header fields. */
  readonly header: Duration.Duration
  /** The longest time between two bytes of a body. */
  readonly idle: Duration.Duration
}

export const defaultSettings: TransferSettings = {
  connections: 8,
  limitRate: 0,
  header: Duration.seconds(60),
  idle: Duration.seconds(60)
}

/** The same as options; what is left out has its default. */
export interface TransferOptions {
  /** Requests to link hosts at the same time, over all files; 8. */
  readonly connections?: number | undefined
  /** Bytes per second over all connections; no limit when it is 0 or left out. */
  readonly limitRate?: number | undefined
  /** The longest time from a request to the end of its header fields; a minute. */
  readonly header?: Duration.Input | undefined
  /** The longest time between two bytes of a body; a minute. */
  readonly idle?: Duration.Input | undefined
}

/** Options as settings. */
export const transferSettings = ({
  connections = defaultSettings.connections,
  limitRate = defaultSettings.limitRate,
  ...times
}: TransferOptions): Effect.Effect<TransferSettings, ConfigUnusable> =>
  Effect.map(givenTimes(times, { header: defaultSettings.header, idle: defaultSettings.idle }), (found) => ({
    connections,
    limitRate,
    ...found
  }))

export class LinkPool extends Context.Service<
  LinkPool,
  {
    readonly permits: Semaphore.Semaphore
    readonly limit: RateLimit
    /** Turns of those who inflate aside: of the four threads of libuv one is left for reads and writes. */
    readonly inflating: Semaphore.Semaphore
    readonly settings: TransferSettings
  }
>()("svc-steps/core/transfer/LinkPool") {
  static readonly layer = (settings: TransferSettings = defaultSettings): Layer.Layer<LinkPool> =>
    Layer.sync(LinkPool, () =>
      LinkPool.of({
        permits: Semaphore.makeUnsafe(settings.connections),
        limit: makeRateLimit(settings.limitRate),
        inflating: Semaphore.makeUnsafe(3),
        settings
      })
    )
}

/**
 * A limit on the bytes per second that all connections of a run bring: a token bucket.
 *
 * The bucket is one number: the time at which the bytes so far have had their share of the limit. A reader adds its
 * bytes to it and sleeps until then, once, so that readers go on in the order in which their bytes came. While it sleeps
 * it takes nothing, its buffer fills up, and TCP makes the link host wait.
 */
export interface RateLimit {
  /** Batches are taken in portions of at most this many bytes, so that a slow download moves evenly. */
  readonly portion: number
  /** Counts bytes that have come, and returns when more may be taken. */
  readonly spend: (bytes: number) => Effect.Effect<void>
}

const unlimited: RateLimit = { portion: Number.POSITIVE_INFINITY, spend: () => Effect.void }

/** At most this much unused time (ms) is made up for, so that a timer that fires late or a busy disk costs no throughput. */
const saved = 250
/** A portion is what may be sent in this many ms, but at least `leastPortion` bytes: smaller writes cost more than their bytes. */
const portionTime = 100
const leastPortion = 4096

/** @param bytesPerSecond - 0: no limit */
export const makeRateLimit = (bytesPerSecond: number): RateLimit => {
  if (bytesPerSecond === 0) return unlimited
  // The time, in ms of the monotonic clock, until which the bytes spent so far use up the limit.
  let paidUntil = Number.NEGATIVE_INFINITY
  return {
    portion: Math.max(leastPortion, Math.floor((bytesPerSecond * portionTime) / 1000)),
    spend: (bytes) =>
      Effect.flatMap(monotonicMillis, (now) => {
        paidUntil = Math.max(paidUntil, now - saved) + (bytes * 1000) / bytesPerSecond
        const wait = paidUntil - now
        return wait > 0 ? Effect.sleep(wait) : Effect.void
      })
  }
}
