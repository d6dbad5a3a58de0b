/** Remembers two restorations, one after the other, and forgets the first again: `node TrackedEntries.ts FILE`. */

import { Effect } from "effect"
import { put, TrackingFile, without } from "../../core/src/archive/TrackingFile.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { entry } from "../tracking/Entry.ts"

const [path = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { change } = yield* TrackingFile
  for (const id of ["A1", "A2"]) yield* change((document) => put(document, entry(id), (stored) => stored ?? "here"))
  yield* change((document) => without(document, ({ entry }) => entry?.analysisId === "A1"))
})

await Effect.runPromise(program.pipe(Effect.provide(TrackingFileLive.layer({ path }))))
