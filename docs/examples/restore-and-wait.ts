/**
 * Asks for the archived files of analyses, looks by a schedule of its own whether they are back, and downloads each as it comes.
 *
 *     node restore-and-wait.ts A3
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Schedule } from "effect"
import { Downloads, Restorations } from "svc-steps"
import { Service } from "svc-steps/node"

/** Every half hour, for a day. */
const halfHours = Schedule.spaced("30 minutes").pipe(Schedule.upTo({ duration: "1 day" }))

const program = Effect.fn("program")(function* (analysisIds: ReadonlyArray<string>) {
  const downloads = yield* Downloads.Downloads
  const options = { analysisIds, filetypes: ["bam"], restoreArchived: "force" } as const
  // It costs money. What was asked for stands in the restoration file: a run that is killed asks for nothing twice.
  const asked = yield* downloads.restore(options)
  // Such as an analysis that is not there: nothing is awaited of it.
  for (const result of asked.results) if (result._tag === "Failed") yield* Console.error(result.error.message)
  const { look } = yield* downloads.resume(options)
  const { statuses } = yield* Effect.repeat(look, {
    schedule: halfHours,
    until: ({ statuses }) => statuses.every(Restorations.isSettled)
  })
  for (const { entry, state } of statuses) yield* Console.log(`${entry.fileName}\t${state._tag}`)
  const results = [...asked.results, ...statuses.flatMap(({ results }) => results)]
  if (results.some(({ _tag }) => _tag === "Failed")) return yield* new Downloads.DownloadsFailed({ results })
})

program(process.argv.slice(2)).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
