/** The client of the service with one session of one account, as a layer for Effect programs on Node. */
import { tmpdir } from "node:os"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Spools } from "../core/src/annotations/Spool.ts"
import { ServiceClient } from "../core/src/client/ServiceClient.ts"
import { ServiceJson } from "../core/src/client/ServiceJson.ts"
import { ServiceStreams } from "../core/src/client/ServiceStreams.ts"
import type { ConfigUnusable, SessionError, UsageError } from "../core/src/Errors.ts"
import { Session } from "../core/src/session/Session.ts"
import { makeSessionProfile, type SessionProfile } from "../core/src/session/SessionProfile.ts"
import type { SessionLimits } from "../core/src/session/SessionSettings.ts"
import { type ServiceSettings, serviceConfig } from "../core/src/settings/ServiceConfig.ts"
import * as SpoolFiles from "./files/SpoolFiles.ts"
import * as ApiHttp from "./http/ApiHttp.ts"
import * as AccountLockFiles from "./locks/AccountLockFiles.ts"

/** Every way to call the API, over the same session, and where rows of annotations wait for the names of their columns. */
export type Service = ServiceClient | ServiceJson | ServiceStreams | Session | Spools

/** Where the service is, whose account to use, and how patient to be. */
export interface SessionOptions extends ServiceSettings, SessionLimits {}

/** The session alone, for a step that makes its own requests. */
export const sessionLayer = (
  settings: SessionOptions,
  profile: SessionProfile
): Layer.Layer<Session, SessionError | ConfigUnusable> => {
  const { caFile = null, lockDir = null, proxy = null } = settings
  return Session.layer({ ...settings, profile }).pipe(
    Layer.provide([ApiHttp.layer({ proxy, caFile }), AccountLockFiles.layer({ lockDir })])
  )
}

/**
 * Logs in while it is built and logs out when its scope closes.
 *
 * @param settings - timeouts, tries and the limit of bodies in memory may be left out
 * @param profile - names and paths of the session; the known service when absent
 */
export const layer = (
  settings: SessionOptions,
  profile: SessionProfile = makeSessionProfile("library")
): Layer.Layer<Service, SessionError | ConfigUnusable> =>
  // Fresh, so that they use this session: a program with two accounts would otherwise build them once and share them.
  Layer.fresh(Layer.mergeAll(ServiceClient.layer, ServiceJson.layer, ServiceStreams.layer)).pipe(
    Layer.provideMerge(Layer.merge(sessionLayer(settings, profile), SpoolFiles.layer(tmpdir())))
  )

/** The same layer with the settings of {@link serviceConfig}. */
export const layerConfig: Layer.Layer<Service, SessionError | ConfigUnusable | UsageError | Config.ConfigError> =
  Layer.unwrap(Effect.map(serviceConfig, (settings) => layer(settings)))
