/**
 * Downloads all files of some analyses, says how far each is, and asks for those that lie in the archive.
 *
 *     export SVC_TARGET=https://lab.example.org SVC_USER=ada SVC_PASSWORD=...
 *     node files-of-analyses.ts data A1 A2
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { Downloads, fileTypes, pathOf, type RunObserver } from "svc-steps"
import { Service } from "svc-steps/node"

/** A line for each tenth of a file, and one for its end. */
const observer = (): RunObserver => {
  const tenths = new Map<string, number>()
  return {
    progress: (file, event) => {
      if (event._tag !== "Bytes" || event.size === null) return Effect.void
      const tenth = Math.floor((10 * event.done) / event.size)
      if (tenth <= (tenths.get(pathOf(file)) ?? 0)) return Effect.void
      tenths.set(pathOf(file), tenth)
      return Effect.logInfo(`${pathOf(file)}: ${10 * tenth} %`)
    },
    finished: (_, { action, bytes, path, reason, sha256 }) =>
      Console.log([path, reason ?? action, bytes, sha256].join("\t"))
  }
}

const program = Effect.fn("program")(function* (destination: string, analysisIds: ReadonlyArray<string>) {
  const downloads = yield* Downloads
  const { failures, results } = yield* downloads.fetch(
    { analysisIds, destination, filetypes: fileTypes, restoreArchived: "force" },
    observer()
  )
  // Of a file: what stopped it. Of an analysis as a whole: that it is not there, for example.
  for (const { error } of [...failures, ...results]) if (error !== null) yield* Console.error(error.message)
})

const [destination = ".", ...analysisIds] = process.argv.slice(2)
program(destination, analysisIds).pipe(Effect.provide(Service.layerConfig()), NodeRuntime.runMain)
