/** The settings of a gateway. */
import { Context, type Redacted } from "effect"

export interface GatewayOptions {
  /** Address to listen on. */
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Whether the gateway sends the bytes of files itself instead of redirecting to their links. */
  readonly relay: boolean
  /** Whether readers may ask for restorations, which cost money. */
  readonly allowRestore: boolean
  /** The token that readers must send; null serves this machine only, without a token. */
  readonly token: Redacted.Redacted | null
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
