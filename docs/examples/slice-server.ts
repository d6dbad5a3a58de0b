/**
 * Serves regions of BAM files over HTTP, each as a BAM file of its own.
 *
 *     node slice-server.ts 8080
 *     curl --fail --output brca1.bam localhost:8080/A1/chr17:43044295-43125364
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Ids } from "svc-steps"
import { Service } from "svc-steps/node"
import { Slices } from "svc-steps/records"

const refusal = (status: number) => (error: { readonly message: string }) =>
  Effect.succeed(HttpServerResponse.text(`${error.message}\n`, { status }))

const slice = Effect.gen(function* () {
  const { analysis = "", range = "" } = yield* HttpRouter.params
  const { open } = yield* Slices
  // What is wrong by now is told by a status; what fails later breaks the reply off.
  const bytes = yield* open(Ids.AnalysisId.make(analysis), { filetype: "bam", range })
  return HttpServerResponse.stream(bytes, { contentType: "application/octet-stream" })
}).pipe(Effect.catchTags({ SvcNotFound: refusal(404), SvcInArchive: refusal(409), SvcUsageError: refusal(400) }))

/** One session for all readers: it ends with the server. */
const server = HttpRouter.serve(HttpRouter.add("GET", "/:analysis/:range", slice)).pipe(
  Layer.provide(Slices.layer.pipe(Layer.provide(Service.layerConfig()))),
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: Number(process.argv[2] ?? 8080) }))
)

Layer.launch(server).pipe(NodeRuntime.runMain)
