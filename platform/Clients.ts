/** The session of one account on Node, and the client over it. */

import { tmpdir } from "node:os"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Spools } from "../core/src/annotations/Spool.ts"
import { ServiceClient } from "../core/src/client/ServiceClient.ts"
import type { ConfigUnusable, SessionError } from "../core/src/Errors.ts"
import { AccountLock } from "../core/src/session/Gate.ts"
import { Session } from "../core/src/session/Session.ts"
import type { SessionLimits, SessionProfile } from "../core/src/session/SessionSettings.ts"
import type { ServiceSettings } from "../core/src/settings/ServiceConfig.ts"
import * as SpoolFiles from "./files/SpoolFiles.ts"
import * as ApiHttp from "./http/ApiHttp.ts"
import * as AccountLockFiles from "./locks/AccountLockFiles.ts"

/** The client and its session, and where rows of annotations wait for the names of their columns. */
export type Clients = ServiceClient | Session | Spools

/** Where the service is, whose account to use, and how patient to be. */
export interface ClientSettings extends ServiceSettings, SessionLimits {}

/** The session alone, for a step that makes its own requests. */
export const sessionLayer = (
  settings: ClientSettings,
  profile: SessionProfile
): Layer.Layer<Session, SessionError | ConfigUnusable> => {
  const { caFile = null, lockDir = null, proxy = null } = settings
  const { password = Redacted.make(""), username = "" } = settings
  // A gateway lets one request through at a time itself.
  const lock = settings.token == null ? AccountLockFiles.layer({ lockDir }) : AccountLock.layerNone
  return Session.layer({ ...settings, username, password, profile }).pipe(
    Layer.provide([ApiHttp.layer({ proxy, caFile }), lock])
  )
}

/** Logs in while it is built and logs out when its scope closes. */
export const layer = (
  settings: ClientSettings,
  profile: SessionProfile
): Layer.Layer<Clients, SessionError | ConfigUnusable> =>
  // Fresh, so that it uses this session: a program with two accounts would otherwise build it once and share it.
  Layer.fresh(ServiceClient.layer).pipe(
    Layer.provideMerge(Layer.merge(sessionLayer(settings, profile), SpoolFiles.layer(tmpdir())))
  )
