/** What all transfers of a run share about link hosts: requests at a time, bytes per second, and how long to wait. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as RateLimit from "./RateLimit.ts"

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

export class LinkPool extends Context.Service<
  LinkPool,
  {
    readonly permits: Semaphore.Semaphore
    readonly limit: RateLimit.RateLimit
    readonly settings: TransferSettings
  }
>()("svc-steps/core/transfer/LinkPool") {
  static readonly layer = (settings: TransferSettings = defaultSettings): Layer.Layer<LinkPool> =>
    Layer.sync(LinkPool, () =>
      LinkPool.of({
        permits: Semaphore.makeUnsafe(settings.connections),
        limit: RateLimit.make(settings.limitRate),
        settings
      })
    )
}
