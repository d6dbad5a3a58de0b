/** What a gateway is made of, on Node: one session, the line before it, links, and the bytes of link hosts. */
import { tmpdir } from "node:os"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { ServiceClient } from "../core/src/client/ServiceClient.ts"
import { Contact } from "../core/src/serving/Contact.ts"
import { FileBytes } from "../core/src/serving/FileBytes.ts"
import { LinkStore } from "../core/src/serving/LinkStore.ts"
import { ServiceQueue } from "../core/src/serving/Questions.ts"
import { Restorations } from "../core/src/serving/Restorations.ts"
import { ServiceAccess } from "../core/src/serving/ServiceAccess.ts"
import { Tickets } from "../core/src/serving/Tickets.ts"
import { Session } from "../core/src/session/Session.ts"
import { makeSessionProfile } from "../core/src/session/SessionSettings.ts"
import type { ProxyAddress } from "../core/src/settings/Settings.ts"
import { defaultSettings, LinkPool } from "../core/src/transfer/LinkPool.ts"
import * as SpoolFiles from "../platform/files/SpoolFiles.ts"
import * as ApiHttp from "../platform/http/ApiHttp.ts"
import * as LinkHttp from "../platform/http/LinkHttp.ts"
import * as ZlibCodec from "../platform/inflate/ZlibCodec.ts"
import * as AccountLockFiles from "../platform/locks/AccountLockFiles.ts"

/** Each reader of bytes has one of its own, which a reader that pauses keeps. */
const connections = 1024

/**
 * What goes through is passed on early: waiting for more leaves the reader idle (bench/README.md). A reader that takes nothing holds
 * twice as much. Bytes.
 */
const batch = 64 * 1024

/** The service, and the account of it that all readers share. */
export interface GatewayAccount {
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  readonly proxy?: ProxyAddress | null
  readonly caFile?: string | null
  readonly lockDir?: string | null
  readonly apiTimeout?: Duration.Input | null
}

/** @param queueTimeout - how long a reader waits for its turn while the service answers others */
export const layer = (
  { apiTimeout = null, baseUrl, caFile = null, lockDir = null, password, proxy = null, username }: GatewayAccount,
  version: string,
  queueTimeout: Duration.Input
) => {
  const profile = makeSessionProfile(version)

  const contact = Contact.layer(baseUrl).pipe(Layer.provide(ApiHttp.layer({ proxy, caFile })))
  // Built anew at each try to log in, over the one client that is watched.
  const access = Layer.unwrap(
    Effect.map(HttpClient.HttpClient, (client) => {
      const session = Session.layer({ baseUrl, username, password, profile, apiTimeout }).pipe(
        Layer.provide([Layer.succeed(HttpClient.HttpClient, client), AccountLockFiles.layer({ lockDir })])
      )
      return ServiceAccess.layer(ServiceClient.layer.pipe(Layer.provideMerge(session)))
    })
  )
  const linkHosts = Layer.merge(
    LinkHttp.layer({ proxy, caFile, target: baseUrl, userAgent: profile.userAgent, batch }),
    LinkPool.layer({ ...defaultSettings, connections })
  )
  return Layer.mergeAll(Tickets.layer, Restorations.layer).pipe(
    Layer.provideMerge(FileBytes.layer),
    Layer.provideMerge(LinkStore.layer),
    Layer.provideMerge(Layer.mergeAll(access, ServiceQueue.layer(queueTimeout))),
    Layer.provideMerge(Layer.merge(contact, linkHosts)),
    Layer.provideMerge(SpoolFiles.layer(tmpdir())),
    Layer.provide(ZlibCodec.layer)
  )
}
