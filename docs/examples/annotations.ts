/**
 * Counts the variants of a gene by the values of a column, in each of some analyses, as tab-separated lines.
 *
 *     node annotations.ts FBN1 Zygosity A1 A2
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Stream } from "effect"
import { Annotations, Ids } from "svc-steps"
import { Service } from "svc-steps/node"

/** How often each value stands in a column, which is called by its name; the table may have any size. */
const countsOf = Effect.fn("countsOf")(function* (analysis: Ids.AnalysisId, gene: string, column: string) {
  const { rows } = yield* Annotations.Annotations
  return yield* rows(analysis, { filters: [`Gene = ${gene}`], columns: [column] }).pipe(
    Stream.runFold(
      () => new Map<string, number>(),
      (counts, { analysisId: _, ...cells }) => {
        for (const cell of Object.values(cells)) counts.set(String(cell), (counts.get(String(cell)) ?? 0) + 1)
        return counts
      }
    )
  )
})

const program = Effect.fn("program")(function* (gene: string, column: string, ids: ReadonlyArray<string>) {
  for (const id of ids.map((id) => Ids.AnalysisId.make(id))) {
    const counts = yield* countsOf(id, gene, column).pipe(
      // Every other failure ends the program; its class says what it was, and with which exit code.
      Effect.catchTag("SvcNotFound", (error) => Effect.as(Effect.logWarning(error.message), new Map<string, number>()))
    )
    for (const [value, count] of counts) yield* Console.log(`${id}\t${value}\t${count}`)
  }
})

const [gene = "", column = "", ...ids] = process.argv.slice(2)
program(gene, column, ids).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
