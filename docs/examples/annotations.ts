/**
 * Counts the variants of each gene in a list of analyses, as tab-separated lines.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node annotations.ts A1 A2
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Stream } from "effect"
import { AnalysisId, annotationRows } from "svc-steps"
import { Service } from "svc-steps/node"

/** How often each value stands in a column, which is named by id or title; of a table of any size. */
const countsOf = (analysis: AnalysisId, column: string) =>
  annotationRows(analysis, { columns: [column] }).pipe(
    Stream.runFold(
      () => new Map<string, number>(),
      (counts, { analysisId: _, ...cells }) => {
        for (const cell of Object.values(cells)) counts.set(String(cell), (counts.get(String(cell)) ?? 0) + 1)
        return counts
      }
    )
  )

const program = Effect.fn("program")(function* (ids: ReadonlyArray<string>) {
  for (const id of ids.map((id) => AnalysisId.make(id))) {
    const counts = yield* countsOf(id, "Gene").pipe(
      // Every other failure ends the program; its class says what it was, and with which exit code.
      Effect.catchTag("SvcNotFound", (error) => Effect.as(Effect.logWarning(error.message), new Map<string, number>()))
    )
    for (const [gene, count] of counts) yield* Console.log(`${id}\t${gene}\t${count}`)
  }
})

program(process.argv.slice(2)).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
