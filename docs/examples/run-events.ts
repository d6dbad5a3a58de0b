/** Prints the events of a run; `Schema.decodeEffect(Line)` reads them. It ends as `fetch` does. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Logger, Schema, Stream } from "effect"
import { Downloads } from "svc-steps"
import { Service } from "svc-steps/node"

const Line = Schema.fromJsonString(Downloads.RunEvent)

const program = Downloads.Downloads.use(({ events }) =>
  Stream.runForEach(events({ analysisIds: ["A1"] }), (event) => {
    if (event._tag !== "Ended") return Console.log(Schema.encodeSync(Line)(event))
    const isWhole = event.outcome.results.every(({ _tag }) => _tag !== "Failed")
    return isWhole ? Effect.void : Effect.fail(new Downloads.DownloadsFailed(event.outcome))
  })
)

program.pipe(
  Effect.provide(Service.layerConfig()),
  Effect.tapCause(Effect.logError),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
