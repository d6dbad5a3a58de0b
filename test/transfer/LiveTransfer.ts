/** A download over real sockets to a real disk, with short waits. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, Effect, Layer, Redacted } from "effect"
import { FileTransfer } from "../../core/src/transfer/FileTransfer.ts"
import { defaultSettings, LinkPool, type TransferSettings } from "../../core/src/transfer/LinkPool.ts"
import type { TransferProgress, TransferRequest } from "../../core/src/transfer/TransferRequest.ts"
import * as NodePartFiles from "../../platform/files/NodePartFiles.ts"
import * as LinkHttp from "../../platform/http/LinkHttp.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

/** The layers of a real run, for a service at `target`. */
export const live = (
  target: string,
  settings: Partial<TransferSettings> = {},
  http: Partial<LinkHttp.LinkHttpSettings> = {}
) =>
  FileTransfer.layer.pipe(
    Layer.provide(LinkPool.layer({ ...defaultSettings, ...settings })),
    Layer.provide(
      Layer.mergeAll(
        LinkHttp.layer({
          target: new URL(target),
          userAgent: "svc-steps",
          proxy: null,
          caFile: null,
          noProxy: "",
          ...http
        }),
        NodePartFiles.layer,
        ZlibCodec.layer
      )
    )
  )

/** A folder that is gone with the scope. */
export const folder = temporaryFolder("transfer-")

/** A download of `link` into a folder of its own. */
export const liveTransfer = Effect.fnUntraced(function* (
  link: string,
  size: number | null,
  options: {
    readonly request?: Partial<TransferRequest>
    readonly settings?: Partial<TransferSettings>
    readonly http?: Partial<LinkHttp.LinkHttpSettings>
    readonly target?: string
  } = {}
) {
  const directory = options.request?.directory ?? (yield* folder)
  const events: Array<TransferProgress> = []
  const request: TransferRequest = {
    target: "test",
    analysisId: "A1",
    fileName: "s.bam",
    directory,
    name: "s.bam",
    overwrite: false,
    check: "none",
    size,
    link: Redacted.make(link),
    renewLink: Effect.succeed({ link: Redacted.make(link), size: null }),
    progress: (event) => Effect.sync(() => void events.push(event)),
    ...options.request
  }
  const run = Effect.flatMap(FileTransfer, (transfer) => transfer.download(request)).pipe(
    Effect.provide(live(options.target ?? link, { idle: Duration.seconds(1), ...options.settings }, options.http))
  )
  return {
    run,
    directory,
    events,
    names: () => readdirSync(directory).sort(),
    final: () => (existsSync(join(directory, "s.bam")) ? readFileSync(join(directory, "s.bam")) : null)
  }
})
