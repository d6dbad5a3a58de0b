/** Files of link hosts on Node: whole ones and slices of them, with connections of their own and the disk. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type FileSystem, Layer } from "effect"
import type { ConfigUnusable } from "../core/src/Errors.ts"
import type { Codec } from "../core/src/genome/Codec.ts"
import type { ServiceSettings } from "../core/src/settings/ServiceConfig.ts"
import { FileTransfer } from "../core/src/transfer/FileTransfer.ts"
import { defaultSettings, LinkPool } from "../core/src/transfer/LinkPool.ts"
import { SliceTransfer } from "../core/src/transfer/SliceTransfer.ts"
import * as GenomeThreads from "./GenomeThreads.ts"
import * as LinkHttp from "./LinkHttp.ts"
import * as PartClaimLive from "./PartClaim.ts"
import * as PartFilesLive from "./PartFiles.ts"
import * as ZlibCodec from "./ZlibCodec.ts"

/** Link hosts on private addresses are refused unless the service is on one; the account is not used. */
export const layer = (
  { baseUrl, caFile = null, proxy = null }: Pick<ServiceSettings, "baseUrl" | "caFile" | "proxy">,
  transfers: Partial<typeof defaultSettings> = {}
): Layer.Layer<FileTransfer | SliceTransfer | Codec | FileSystem.FileSystem, ConfigUnusable> =>
  Layer.merge(FileTransfer.layerNoDeps, SliceTransfer.layer("library")).pipe(
    Layer.provide([
      LinkPool.layer({ ...defaultSettings, ...transfers }),
      LinkHttp.layer({ proxy, caFile, target: baseUrl, userAgent: "svc-steps/library" }),
      PartFilesLive.layer,
      PartClaimLive.layer,
      GenomeThreads.crewLayer()
    ]),
    Layer.provideMerge(Layer.merge(ZlibCodec.layer, NodeFileSystem.layer))
  )
