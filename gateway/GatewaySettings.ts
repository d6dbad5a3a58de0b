/** The settings of a gateway. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Ref from "effect/Ref"
import type { ListenAddress } from "../platform/http/Listener.ts"
import type { AccessLog } from "./AccessLog.ts"
import type { Genome } from "./Genome.ts"
import type { PageFile } from "./PageFiles.ts"
import type { Readers } from "./Readers.ts"
import type { SignedLinks } from "./SignedLinks.ts"

export interface GatewayOptions {
  readonly address: ListenAddress
  /** Whether the gateway sends the bytes of files itself instead of redirecting to their links. */
  readonly relay: boolean
  /** Whether readers may ask for restorations, which cost money. */
  readonly allowRestore: boolean
  /** Who may read, which may change while it serves; null serves this machine only, without a token. */
  readonly readers: Ref.Ref<Readers> | null
  readonly accessLog: AccessLog | null
  /** Whether an address is that of a proxy whose `X-Forwarded-For` is believed. */
  readonly trusts: (address: string) => boolean
  /** How many files one reader may be sent at a time; its further ones wait. */
  readonly readerConnections: number
  /** How long requests in flight may still take when the gateway ends. */
  readonly drain: Duration.Duration
  /** Origins of pages that may read, or `*`. */
  readonly allowOrigin: ReadonlyArray<string>
  /** Null for the sequences that the header of a file names. */
  readonly genome: Genome | null
  /** Genes by which the page finds a place, as BED; null for none. */
  readonly genes: PageFile | null
  /** The address under which readers know the gateway, without a slash at its end; null for that of each request. */
  readonly publicUrl: string | null
  /** Whether the interface of the service is served. */
  readonly api: boolean
  /** Bytes of answers of the service that are kept for readers. */
  readonly spoolLimit: number
  readonly signedLinks: SignedLinks
  /** Version of this package. */
  readonly version: string
}

export class GatewaySettings extends Context.Service<GatewaySettings, GatewayOptions>()(
  "svc-steps/gateway/GatewaySettings"
) {}
