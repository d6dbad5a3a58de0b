/** The services of a download, wired once: one session for the API, link hosts apart from it, and the disk. */
import * as Layer from "effect/Layer"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { wantsSlices } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { makeSessionProfile } from "../../core/src/session/SessionSettings.ts"
import type { Settings, TargetSettings } from "../../core/src/settings/Settings.ts"
import { serviceOf } from "../../core/src/settings/Target.ts"
import * as Clients from "../../platform/Clients.ts"
import * as Files from "../../platform/Files.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { version } from "../main/Version.ts"

/** The restoration file of the run; it needs no session. */
export const trackingWiring = ({ restorationFile }: Settings) => TrackingFileLive.layer({ path: restorationFile })

/** A slice is many small requests, each as long as a round trip: with ten instead, 2,000 targets at 50 ms took half as long again. */
const connectionsForSlices = 16

/** How many connections a run opens at the same time. */
export const connectionsOf = (
  settings: Pick<TargetSettings, "given" | "connections" | "bed" | "range" | "unmapped">
): number =>
  settings.given("connections") || !wantsSlices(settings)
    ? settings.connections
    : Math.max(settings.connections, connectionsForSlices)

/** Everything for a run that logs in. */
export const wiring = (settings: Settings) => {
  const session = Clients.sessionLayer(settings, makeSessionProfile(version))
  return Layer.merge(ServiceClient.layer.pipe(Layer.provide(session)), transferWiring(settings))
}

/** The downloads of a service. */
export const downloadsWiring = (settings: Settings) =>
  Downloads.layer(serviceOf(settings)).pipe(Layer.provideMerge(Layer.merge(wiring(settings), trackingWiring(settings))))

/** What moves files, without a session. */
const transferWiring = (settings: TargetSettings) => {
  const { userAgent } = makeSessionProfile(version)
  const { idleTimeout: idle, limitRate } = settings
  const transfers = { connections: connectionsOf(settings), idle, limitRate }
  return Files.layer(settings, transfers, { version, userAgent })
}
