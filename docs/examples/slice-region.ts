/**
 * Cuts a region out of the BAM file of an analysis, with a fresh index; only the blocks that hold it are fetched.
 *
 *     node slice-region.ts A1 chr17:43044295-43125364
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { Downloads } from "svc-steps"
import { Service } from "svc-steps/node"

const program = Effect.fn("program")(function* (analysis: string, range: string) {
  const downloads = yield* Downloads.Downloads
  const { results } = yield* downloads.run({ analysisIds: [analysis], filetypes: ["bam"], range })
  // The same regions are not fetched twice, and a file with other regions is not taken for them.
  for (const result of results) {
    if (result._tag === "Sliced") yield* Console.log(`${result.path}: ${result.records} reads, ${result.bytes} bytes`)
    else if (result._tag === "Failed") yield* Console.error(result.error.message)
    else yield* Console.log(`${result.path}: ${result._tag}`)
  }
})

const [analysis = "", range = ""] = process.argv.slice(2)
program(analysis, range).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
