/** The settings of a gateway. */
import * as Context from "effect/Context"
import type * as Ref from "effect/Ref"
import type { ListenAddress } from "../platform/http/Listener.ts"
import type { AccessLog } from "./AccessLog.ts"
import type { NamedReader } from "./Readers.ts"

export interface GatewayOptions {
  readonly address: ListenAddress
  /** Whether the gateway sends the bytes of files itself instead of redirecting to their links. */
  readonly relay: boolean
  /** Whether readers may ask for restorations, which cost money. */
  readonly allowRestore: boolean
  /** Who may read, which may change while it serves; null serves this machine only, without a token. */
  readonly readers: Ref.Ref<ReadonlyArray<NamedReader>> | null
  readonly accessLog: AccessLog | null
  /** Origins of pages that may read, or `*`. */
  readonly allowOrigin: ReadonlyArray<string>
  /** The address under which readers know the gateway, without a slash at its end; null for that of each request. */
  readonly publicUrl: string | null
  /** Version of this package. */
  readonly version: string
}

export class GatewaySettings extends Context.Service<GatewaySettings, GatewayOptions>()(
  "svc-steps/gateway/GatewaySettings"
) {}
