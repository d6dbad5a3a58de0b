/** Downloads of one service on Node: its session, link hosts, the disk, and a restoration file. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TrackingFile } from "../core/src/archive/TrackingFile.ts"
import { Downloads } from "../core/src/download/Downloads.ts"
import type { ConfigUnusable, SessionError } from "../core/src/Errors.ts"
import { Operator } from "../core/src/settings/Operator.ts"
import { serviceConfig } from "../core/src/settings/ServiceConfig.ts"
import { addressOf } from "../core/src/settings/Target.ts"
import type { defaultSettings } from "../core/src/transfer/LinkPool.ts"
import * as FilesLive from "./Files.ts"
import * as TrackingFileLive from "./files/TrackingFile.ts"
import * as ServiceLive from "./Service.ts"

/** The service, the account, and where requests are remembered. */
export interface DownloadsSettings extends ServiceLive.SessionOptions {
  /** Where requests for archived files are remembered; `awaiting-restoration.json` when it is left out. */
  readonly restorationFile?: string
  /** Connections and patience; what is left out has its default. */
  readonly transfers?: Partial<typeof defaultSettings>
}

/**
 * Logs in while it is built and logs out when its scope closes. Nobody is asked about archived files: `ask` and `all`
 * mean no, unless `operator` asks somebody.
 */
export const layer = (
  settings: DownloadsSettings,
  operator: Operator["Service"] = Operator.absent
): Layer.Layer<Downloads | TrackingFile | ServiceLive.Service | FilesLive.Files, SessionError | ConfigUnusable> =>
  Downloads.layer(addressOf(settings.baseUrl.href, settings.baseUrl)).pipe(
    Layer.provide(Layer.succeed(Operator, operator)),
    Layer.provideMerge(
      Layer.mergeAll(
        ServiceLive.layer(settings),
        FilesLive.layer(settings, settings.transfers),
        TrackingFileLive.layer({ path: settings.restorationFile ?? "awaiting-restoration.json" })
      )
    )
  )

/** The same with the settings of `serviceConfig`. */
export const layerConfig = Layer.unwrap(Effect.map(serviceConfig, (settings) => layer(settings)))
