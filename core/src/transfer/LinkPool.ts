/** What all transfers of a run share about link hosts: how many requests at a time, and how long to wait. */
import { Context, Duration, Layer, Semaphore } from "effect"

/** Limits in time; there is none for the whole, a slow download may take days. */
export interface LinkTimeouts {
  /** From the request to the end of the header fields. */
  readonly header: Duration.Duration
  /** Between two bytes of the body. */
  readonly idle: Duration.Duration
}

export interface TransferSettings extends LinkTimeouts {
  /** Requests to link hosts at the same time, over all files. */
  readonly connections: number
}

export const defaultSettings: TransferSettings = {
  connections: 4,
  header: Duration.seconds(60),
  idle: Duration.seconds(60)
}

export class LinkPool extends Context.Service<
  LinkPool,
  { readonly permits: Semaphore.Semaphore; readonly settings: TransferSettings }
>()("svc-steps/core/transfer/LinkPool") {
  static readonly layer = (settings: TransferSettings = defaultSettings): Layer.Layer<LinkPool> =>
    Layer.sync(LinkPool, () => LinkPool.of({ permits: Semaphore.makeUnsafe(settings.connections), settings }))
}
