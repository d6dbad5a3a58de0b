/**
 * A limit on the bytes per second that all connections of a run bring: a token bucket.
 *
 * The bucket is one number: the time at which the bytes so far have had their share of the limit. A reader adds its
 * bytes to it and sleeps until then, once, so that readers go on in the order in which their bytes came. While it sleeps
 * it takes nothing, its buffer fills up, and TCP makes the link host wait.
 */
import { Clock, Effect } from "effect"

export interface RateLimit {
  /** Batches are taken in portions of at most this many bytes, so that a slow download moves evenly. */
  readonly portion: number
  /** Counts bytes that have come, and returns when more may be taken: how long that was, in ms. */
  readonly spend: (bytes: number) => Effect.Effect<number>
}

const unlimited: RateLimit = { portion: Number.POSITIVE_INFINITY, spend: () => Effect.succeed(0) }

/** So much unused time, in ms, may be made up for: a timer that fires late, or a disk that was busy, costs no throughput. */
const saved = 250
/** A portion has the bytes of this many ms, but is not so small that a write costs more than its bytes. */
const portionTime = 100
const leastPortion = 4096

/** @param bytesPerSecond - 0: no limit */
export const make = (bytesPerSecond: number): RateLimit => {
  if (bytesPerSecond === 0) return unlimited
  // In ms of the monotonic clock.
  let paidUntil = Number.NEGATIVE_INFINITY
  return {
    portion: Math.max(leastPortion, Math.floor((bytesPerSecond * portionTime) / 1000)),
    spend: (bytes) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
        const now = Number(nanos) / 1e6
        paidUntil = Math.max(paidUntil, now - saved) + (bytes * 1000) / bytesPerSecond
        const wait = paidUntil - now
        return wait > 0 ? Effect.as(Effect.sleep(wait), wait) : Effect.succeed(0)
      })
  }
}
