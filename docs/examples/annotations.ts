/**
 * Counts the variants of each gene in a list of analyses, as tab-separated lines.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node annotations.ts A1 A2
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { AnalysisId, ServiceClient } from "svc-steps"
import { serviceLayerConfig } from "svc-steps/node"

/** How often each value stands in the column `title`. */
const countsOf = Effect.fn("countsOf")(function* (analysis: AnalysisId, title: string) {
  const { data, header } = yield* (yield* ServiceClient).getSnvAnnotations(analysis)
  const column = header.findIndex((item) => item.title === title)
  return Map.groupBy(data, (row) => String(row[column]))
})

const program = Effect.fn("program")(function* (ids: ReadonlyArray<string>) {
  for (const id of ids.map((id) => AnalysisId.make(id))) {
    const counts = yield* countsOf(id, "Gene").pipe(
      // Every other failure ends the program; its class says what it was, and with which exit code.
      Effect.catchTag("NotFound", (error) => Effect.as(Effect.logWarning(error.message), new Map<string, never>()))
    )
    for (const [gene, rows] of counts) yield* Console.log(`${id}\t${gene}\t${rows.length}`)
  }
})

program(process.argv.slice(2)).pipe(Effect.provide(serviceLayerConfig), NodeRuntime.runMain)
