/** svc-steps as a library on Node: the layers that implement the services of `svc-steps`. */

import "./Runtime.ts"

// --- the API ----------------------------------------------------------------------------------------------------------

export { layer as spoolsLayer } from "./files/SpoolFiles.ts"
export { type ApiHttpSettings, layer as apiHttpLayer } from "./http/ApiHttp.ts"
export { layer as accountLockLayer } from "./locks/AccountLockFiles.ts"
export {
  layer as serviceLayer,
  layerConfig as serviceLayerConfig,
  type Service,
  type SessionOptions
} from "./Service.ts"

// --- files of link hosts ----------------------------------------------------------------------------------------------

export { layer as filesLayer } from "./Files.ts"

// --- downloads: from the ids of analyses to files on the disk, and the archive ---------------------------------------------

export { type DownloadsSettings, layer as downloadsLayer, layerConfig as downloadsLayerConfig } from "./Downloads.ts"
export { layer as trackingFileLayer } from "./files/TrackingFile.ts"
