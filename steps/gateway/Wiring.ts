/** The services of the gateway, wired once: one session for all readers, and link hosts apart from it. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { FileBytes } from "../../core/src/serving/FileBytes.ts"
import { LinkStore } from "../../core/src/serving/LinkStore.ts"
import { Restorations } from "../../core/src/serving/Restorations.ts"
import { ServiceAccess } from "../../core/src/serving/ServiceAccess.ts"
import { Tickets } from "../../core/src/serving/Tickets.ts"
import { Session } from "../../core/src/session/Session.ts"
import { makeSessionProfile } from "../../core/src/session/SessionProfile.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { defaultSettings, LinkPool } from "../../core/src/transfer/LinkPool.ts"
import * as Metrics from "../../gateway/Metrics.ts"
import * as ApiHttp from "../../platform/http/ApiHttp.ts"
import * as CookieJars from "../../platform/http/CookieJars.ts"
import * as LinkHttp from "../../platform/http/LinkHttp.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as AccountLockFiles from "../../platform/locks/AccountLockFiles.ts"
import { version } from "../main/Version.ts"

/** Each reader of bytes has one of its own, which a reader that pauses keeps. */
const connections = 1024

/**
 * What goes through is passed on early: waiting for more leaves the reader idle (bench/README.md). A reader that takes nothing holds
 * twice as much. Bytes.
 */
const batch = 64 * 1024

/** @param queueTimeout - how long a reader waits for its turn while the service answers others */
export const wiring = (
  { baseUrl, caFile, lockDir, password, proxy, username }: Settings,
  queueTimeout: Duration.Duration
) => {
  const profile = makeSessionProfile(version)

  /** Counts the logins of the session, which does not count them itself. */
  const watched = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tapRequest(({ method, url }) =>
        method === "POST" && new URL(url).pathname.endsWith(profile.loginPath)
          ? Metric.update(Metrics.logins, 1)
          : Effect.void
      )
    )
  ).pipe(Layer.provide(ApiHttp.layer({ proxy, caFile })))
  const session = Session.layer({ baseUrl, username, password, profile }).pipe(
    Layer.provide([watched, AccountLockFiles.layer({ lockDir }), CookieJars.layer])
  )
  const access = ServiceAccess.layer(ServiceClient.layer.pipe(Layer.provide(session)))
  const linkHosts = Layer.merge(
    LinkHttp.layer({ proxy, caFile, target: baseUrl, userAgent: profile.userAgent, batch }),
    LinkPool.layer({ ...defaultSettings, connections })
  )
  return Layer.mergeAll(Tickets.layer, Restorations.layer).pipe(
    Layer.provideMerge(FileBytes.layer),
    Layer.provideMerge(LinkStore.layer(queueTimeout)),
    Layer.provideMerge(access),
    Layer.provide([linkHosts, ZlibCodec.layer])
  )
}
