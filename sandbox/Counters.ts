import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * What `GET /__sandbox/stats` shows. Bytes are body bytes written to the socket.
 *
 * @category models
 * @since 0.1.0
 */
export interface Stats {
  logins: number
  failedLogins: number
  logouts: number
  /** Requests per endpoint name of the contract, or `other`. */
  requests: Record<string, number>
  apiInFlight: number
  maxApiInFlight: number
  /** Times two or more requests of one account were in flight. */
  overlaps: number
  /** Sessions ended by the service (overlap or fault). */
  invalidations: number
  restores: number
  linksIssued: number
  linkRequests: number
  linkInFlight: number
  maxLinkInFlight: number
  linkBytes: number
  /** Requests refused because their link had expired. */
  expiredLinks: number
  /** Requests at the link host that carried what only the API may see. */
  cookiesSeenByLinkHost: number
  tokensSeenByLinkHost: number
  referersSeenByLinkHost: number
  authorizationsSeenByLinkHost: number
  faultsFired: number
  /** Per `analysis/file`: requests, bytes, and each Range header as it came (`null`: none). */
  files: Record<string, { requests: number; bytes: number; ranges: Array<string | null> }>
}

const zero = (): Stats => ({
  logins: 0,
  failedLogins: 0,
  logouts: 0,
  requests: {},
  apiInFlight: 0,
  maxApiInFlight: 0,
  overlaps: 0,
  invalidations: 0,
  restores: 0,
  linksIssued: 0,
  linkRequests: 0,
  linkInFlight: 0,
  maxLinkInFlight: 0,
  linkBytes: 0,
  expiredLinks: 0,
  cookiesSeenByLinkHost: 0,
  tokensSeenByLinkHost: 0,
  referersSeenByLinkHost: 0,
  authorizationsSeenByLinkHost: 0,
  faultsFired: 0,
  files: {}
})

/** The counters of both planes: one mutable record, because each count is one synchronous step of one process. */
export class Counters extends Context.Service<Counters>()("svc-steps/sandbox/Counters", {
  make: Effect.sync(() => {
    const stats = zero()
    return {
      stats,
      snapshot: () => structuredClone(stats),
      /** All to zero, except what is in flight right now. */
      reset: () => {
        const { apiInFlight, linkInFlight } = stats
        Object.assign(stats, zero(), { apiInFlight, linkInFlight })
      }
    }
  })
}) {
  static readonly layer = Layer.effect(Counters, Counters.make)
}
