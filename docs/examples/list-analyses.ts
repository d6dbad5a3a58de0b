/**
 * Lists the files of analyses, or of all, as tab-separated lines, and says of each failure what to do.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node list-analyses.ts A1 A2
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Stream } from "effect"
import { Downloads, type ServiceError } from "svc-steps"
import { Service } from "svc-steps/node"

/** The compiler knows every `_tag` there is; what the tags have in common stands on their classes. */
const advice = (error: ServiceError): string => {
  switch (error._tag) {
    case "SvcNotFound":
      return "is the id right, and of this account?"
    case "SvcRequestRejected":
      return `ask the laboratory, with reference ${error.errorId ?? "unknown"}`
    default:
      return error.retryable ? "try again later" : "see docs/troubleshooting.md"
  }
}

const program = Effect.fn("program")(function* (analysisIds: ReadonlyArray<string>) {
  const downloads = yield* Downloads
  yield* Stream.runForEach(downloads.list({ analysisIds }), (item) =>
    // An analysis that cannot be listed is an item: it stops no other.
    item._tag === "Failed"
      ? Console.error(`${item.failure.error.message}: ${advice(item.failure.error)}`)
      : Effect.forEach(item.analysis.files, ({ archived, fileName, size }) =>
          Console.log([item.analysis.id, fileName, size, archived ? "archived" : "online"].join("\t"))
        )
  )
})

program(process.argv.slice(2)).pipe(
  Effect.provide(Service.layerConfig()),
  // What concerns the whole run ends it: here the login, which the layer makes.
  Effect.tapErrorTag("SvcLoginRefused", () => Console.error("Check SVC_USER and SVC_PASSWORD.")),
  NodeRuntime.runMain
)
