/** How a gateway serves, told once at its start. */
import { Context, type Redacted } from "effect"

export interface GatewayOptions {
  /** Address to listen on. */
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The bytes themselves go through the gateway, instead of a redirect to the link. */
  readonly relay: boolean
  /** Readers may ask for restorations, which cost money. */
  readonly allowRestore: boolean
  /** What a reader has to show; null for nobody but this machine. */
  readonly token: Redacted.Redacted | null
  /** Origins of pages that may read, or `*`. */
  readonly allowOrigin: ReadonlyArray<string>
  /** The address under which readers know the gateway, without a slash at its end; null for that of each request. */
  readonly publicUrl: string | null
  /** Of the product. */
  readonly version: string
}

export class GatewaySettings extends Context.Service<GatewaySettings, GatewayOptions>()(
  "svc-steps/gateway/GatewaySettings"
) {}
