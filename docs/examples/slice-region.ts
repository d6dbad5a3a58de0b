/**
 * Cuts a region out of the BAM file of an analysis, with a fresh index; only the blocks that hold it are fetched.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node slice-region.ts A1 S1.bam chr15:48500000-48600000
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, type FileSystem } from "effect"
import { AnalysisId, type Codec, existingSlice, NotFound, parseRange, ServiceClient, SliceTransfer } from "svc-steps"
import { Service } from "svc-steps/node"

/** A file with its link, and how to get a new one when it expires in the middle. */
const linked = Effect.fn("linked")(function* (analysis: AnalysisId, fileName: string) {
  const client = yield* ServiceClient
  const renewLink = Effect.gen(function* () {
    const { apiFileLinks } = yield* client.getFileDownloadLinks(analysis)
    const file = apiFileLinks.find((file) => file.fileName === fileName)
    if (file?.downloadLink == null) return yield* new NotFound({ what: `link of ${fileName}` })
    return { link: file.downloadLink, size: file.size ?? null }
  })
  return { fileName, ...(yield* renewLink), renewLink }
})

const program = Effect.fn("program")(function* (analysis: AnalysisId, fileName: string, range: string) {
  const slices = yield* SliceTransfer
  const local = yield* Effect.context<FileSystem.FileSystem | Codec>()
  const name = fileName.replace(/\.bam$/, ".ranged.bam")
  const content = { wanted: yield* Effect.fromResult(parseRange(range)), unmapped: false }
  const { action, bytes, regions } = yield* slices.download({
    ...content,
    kind: "bam",
    data: yield* linked(analysis, fileName),
    index: yield* linked(analysis, `${fileName}.bai`),
    directory: ".",
    name,
    overwrite: false,
    // The same regions are not fetched twice, and a file with other regions is not taken for them.
    existing: Effect.provideContext(existingSlice(name, "bam", content), local),
    progress: () => Effect.void
  })
  yield* Console.log(`${action}: ${regions}, ${bytes} bytes`)
})

const [analysis = "", fileName = "", range = ""] = process.argv.slice(2)
program(AnalysisId.make(analysis), fileName, range).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
