/**
 * Changes a restoration file as a process of its own: `node Changes.ts FILE NAME COUNT [STAY]` adds the analyses NAME-1 to
 * NAME-COUNT and takes every second one out again, each as one change; with STAY it adds only. Each change that has
 * returned is a line on standard output (`+NAME-1`, `-NAME-1`), so that a killed process has said what must be there.
 */

import { writeSync } from "node:fs"
import { Effect } from "effect"
import { put, TrackingFile, without } from "../../core/src/archive/TrackingFile.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { entry } from "./Entry.ts"

const [path = "", name = "", count = "1", stay] = process.argv.slice(2)

const nameOf = (stored: string | null) => stored ?? ""

const program = Effect.gen(function* () {
  const tracking = yield* TrackingFile
  for (let number = 1; number <= Number(count); number++) {
    const id = `${name}-${number}`
    yield* tracking.change((document) => put(document, { ...entry(id), target: "https://lab.example.org/" }, nameOf))
    writeSync(1, `+${id}\n`)
    if (number % 2 === 1 || stay !== undefined) continue
    yield* tracking.change((document) => without(document, ({ entry }) => entry?.analysisId === id))
    writeSync(1, `-${id}\n`)
  }
})

await Effect.runPromise(
  program.pipe(
    Effect.provide(TrackingFileLive.layer({ path })),
    Effect.catch((error) =>
      Effect.sync(() => {
        process.stderr.write(`${error.message}\n`)
        process.exitCode = 74
      })
    )
  )
)
