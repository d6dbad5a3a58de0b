/** The client of `bench/whole-file.ts`: one download with the live layers. `LINK SIZE DIRECTORY`; prints its figures. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"
import { FileTransfer } from "../core/src/transfer/FileTransfer.ts"
import { BlockPool } from "../core/src/verify/BlockPool.ts"
import * as PartFiles from "../platform/files/PartFiles.ts"
import * as LinkHttp from "../platform/http/LinkHttp.ts"
import * as ZlibCodec from "../platform/inflate/ZlibCodec.ts"
import * as PartClaim from "../platform/locks/PartClaim.ts"

const [link = "", size = "0", directory = "."] = process.argv.slice(2)
const http = LinkHttp.layer({
  target: new URL(link),
  userAgent: "svc-steps",
  proxy: null,
  caFile: null,
  noProxy: "*",
  batch: 1024 * 1024
})
const layer = FileTransfer.layer().pipe(
  Layer.provide(
    Layer.mergeAll(http, PartFiles.layer, PartClaim.layer, Layer.provideMerge(BlockPool.layerHere, ZlibCodec.layer))
  )
)

Effect.gen(function* () {
  const transfer = yield* FileTransfer
  const outcome = yield* transfer.download({
    target: "bench",
    analysisId: "A1",
    fileName: "big.bin",
    directory,
    name: "big.bin",
    overwrite: true,
    size: Number(size),
    link: Redacted.make(link),
    renewLink: Effect.succeed({ link: Redacted.make(link), size: null }),
    progress: () => Effect.void
  })
  const { milliseconds, sha256 } = outcome
  const rss = process.resourceUsage().maxRSS / 1024
  console.log(JSON.stringify({ milliseconds, sha256, rss }))
}).pipe(Effect.provide(layer), NodeRuntime.runMain)
