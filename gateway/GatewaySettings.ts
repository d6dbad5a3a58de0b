/** The settings of a gateway. */

import { BlockList, isIP } from "node:net"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Ref from "effect/Ref"
import type { ListenAddress } from "../platform/http/Listener.ts"
import type { AccessLog } from "./AccessLog.ts"
import type { SignedLinks } from "./Answers.ts"
import type { Genome } from "./Genome.ts"
import type { PageFile } from "./PageFiles.ts"
import type { Readers } from "./Readers.ts"

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

/** Whether an address is one of these, or in one of these networks; null when one of them is neither. */
export const trusting = (addresses: ReadonlyArray<string>): ((address: string) => boolean) | null => {
  const list = new BlockList()
  for (const text of addresses) {
    const [, address = "", length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
    const version = isIP(address)
    const bits = version === 4 ? 32 : 128
    if (version === 0 || Number(length ?? bits) > bits) return null
    list.addSubnet(address, Number(length ?? bits), version === 4 ? "ipv4" : "ipv6")
  }
  return (address) => isIP(address) > 0 && list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
}
