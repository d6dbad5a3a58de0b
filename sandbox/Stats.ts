/**
 * What `GET /__sandbox/stats` shows: one mutable record, because each count is one synchronous step of one process. Bytes are body
 * bytes written to the socket.
 *
 * @category models
 * @since 0.1.0
 */
export class Stats {
  logins = 0
  failedLogins = 0
  logouts = 0
  /** Requests per endpoint name of the contract, or `other`. */
  requests: Record<string, number> = {}
  apiInFlight = 0
  maxApiInFlight = 0
  /** Requests whose client left before the answer began; they are in flight until the work on them is done. */
  abandoned = 0
  /** Times two or more requests of one account were in flight. */
  overlaps = 0
  /** Sessions ended by the service (overlap or fault). */
  invalidations = 0
  restores = 0
  linksIssued = 0
  linkRequests = 0
  linkInFlight = 0
  maxLinkInFlight = 0
  linkBytes = 0
  /** Requests refused because their link had expired. */
  expiredLinks = 0
  /** Requests at the link host that carried what only the API may see. */
  cookiesSeenByLinkHost = 0
  tokensSeenByLinkHost = 0
  referersSeenByLinkHost = 0
  authorizationsSeenByLinkHost = 0
  faultsFired = 0
  /** Per `analysis/file`: requests, bytes, and each Range header as it came (`null`: none). */
  files: Record<string, { requests: number; bytes: number; ranges: Array<string | null> }> = {}
}
