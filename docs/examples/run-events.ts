/** Prints the events of a run; `Schema.decodeEffect(Line)` reads them. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Schema, Stream } from "effect"
import { Downloads } from "svc-steps"
import { Service } from "svc-steps/node"

const Line = Schema.fromJsonString(Downloads.RunEvent)

const program = Downloads.Downloads.use(({ events }) =>
  Stream.runForEach(events({ analysisIds: ["A1"] }), (event) =>
    event._tag === "Ended" ? Effect.void : Effect.flatMap(Schema.encodeEffect(Line)(event), Console.log)
  )
)

program.pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
