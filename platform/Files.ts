/** Files of link hosts on Node: whole ones and slices of them, with connections of their own and the disk. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type { ConfigUnusable } from "../core/src/Errors.ts"
import type { Codec } from "../core/src/genome/bgzf/Codec.ts"
import type { ServiceSettings } from "../core/src/settings/ServiceConfig.ts"
import { FileStreams } from "../core/src/transfer/FileStreams.ts"
import { FileTransfer } from "../core/src/transfer/FileTransfer.ts"
import type { LinkHost } from "../core/src/transfer/LinkHost.ts"
import { defaultSettings, LinkPool, type TransferOptions, transferSettings } from "../core/src/transfer/LinkPool.ts"
import type { PartFiles } from "../core/src/transfer/PartFiles.ts"
import { SliceTransfer } from "../core/src/transfer/SliceTransfer.ts"
import * as FileDigests from "./files/FileDigests.ts"
import * as NodePartFiles from "./files/NodePartFiles.ts"
import * as LinkHttp from "./http/LinkHttp.ts"
import * as ZlibCodec from "./inflate/ZlibCodec.ts"

/** What moves files, for programs. */
export type Files = FileTransfer | SliceTransfer | FileStreams | Codec | FileSystem.FileSystem | Path.Path

/** Whose link hosts they are, and how to get there. */
export type FilesSettings = Pick<ServiceSettings, "baseUrl" | "caFile" | "proxy">

/** A large file takes an eighth less CPU in batches of 1 MiB. Runs with more connections, such as slices, save the memory. */
const batchOf = ({ connections = defaultSettings.connections }: TransferOptions): number =>
  connections > defaultSettings.connections ? 512 * 1024 : 1024 * 1024

const poolOf = (transfers: TransferOptions) => Layer.unwrap(Effect.map(transferSettings(transfers), LinkPool.layer))

/**
 * Link hosts on private addresses are refused unless the service is on one; the account is not used.
 *
 * @param transfers - connections and patience; what is left out has its default
 * @param client - who asks: requests to link hosts and headers of slices name it
 */
export const layer = (
  { baseUrl, caFile = null, proxy = null }: FilesSettings,
  transfers: TransferOptions = {},
  client: { readonly version: string; readonly userAgent: string } = {
    version: "library",
    userAgent: "svc-steps/library"
  }
): Layer.Layer<Files | LinkHost | PartFiles, ConfigUnusable> =>
  // Fresh, so that a program with two services gives each its own link hosts.
  Layer.mergeAll(
    Layer.fresh(FileTransfer.layer),
    SliceTransfer.layer(client.version),
    FileStreams.layer(client.version)
  ).pipe(
    Layer.provide(Layer.mergeAll(poolOf(transfers), FileDigests.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        LinkHttp.layer({ proxy, caFile, target: baseUrl, userAgent: client.userAgent, batch: batchOf(transfers) }),
        NodePartFiles.layer
      )
    ),
    Layer.provideMerge(Layer.mergeAll(ZlibCodec.layer, NodeFileSystem.layer, NodePath.layer))
  )
