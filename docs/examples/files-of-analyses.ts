/**
 * Downloads all files of some analyses, says how far each is, and asks for those that lie in the archive.
 *
 *     node files-of-analyses.ts data A1 A2
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Stream } from "effect"
import { Downloads } from "svc-steps"
import { Service } from "svc-steps/node"

const program = Effect.fn("program")(function* (destination: string, analysisIds: ReadonlyArray<string>) {
  const downloads = yield* Downloads.Downloads
  const events = downloads.events({
    analysisIds,
    destination,
    filetypes: Downloads.fileTypes,
    restoreArchived: "force"
  })
  const tenths = new Map<string, number>()
  yield* Stream.runForEach(events, (event) => {
    switch (event._tag) {
      // A line for each tenth of a file, and one for its end.
      case "Progress": {
        const { file, progress } = event
        if (progress._tag !== "Bytes" || progress.size === null) return Effect.void
        const tenth = Math.floor((10 * progress.done) / progress.size)
        if (tenth <= (tenths.get(Downloads.pathOf(file)) ?? 0)) return Effect.void
        tenths.set(Downloads.pathOf(file), tenth)
        return Effect.logInfo(`${Downloads.pathOf(file)}: ${10 * tenth} %`)
      }
      case "Finished": {
        const { _tag, bytes, path } = event.result
        return Console.log([path, _tag, bytes].join("\t"))
      }
      // Of a file: what stopped it. Of an analysis as a whole: that it is not there, for example. The worst gives the exit code.
      case "Ended": {
        const { results } = event.outcome
        const failures = results.filter((result) => result._tag === "Failed")
        return Effect.andThen(
          Effect.forEach(failures, ({ error }) => Console.error(error.message)),
          failures.length === 0 ? Effect.void : new Downloads.DownloadsFailed({ results })
        )
      }
      default:
        return Effect.void
    }
  })
})

const [destination = ".", ...analysisIds] = process.argv.slice(2)
program(destination, analysisIds).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
