/** Remembers two restorations, one after the other, and forgets the first again: `node TrackedEntries.ts FILE`. */

import { Effect } from "effect"
import type { NewEntry } from "../../core/src/archive/TrackingEntry.ts"
import { put, TrackingFile, without } from "../../core/src/archive/TrackingFile.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"

const [path = ""] = process.argv.slice(2)

const entry = (analysisId: string): NewEntry => ({
  target: "here",
  analysisId: AnalysisId.make(analysisId),
  fileName: "S1.bam",
  restoreEstimation: null,
  requestTime: "2026-11-21T00:00:00.000Z",
  status: "pending",
  options: { destination: ".", overwrite: false, range: null, bed: null, restorationFile: path, filetypes: ["bam"] }
})

const program = Effect.gen(function* () {
  const { change } = yield* TrackingFile
  for (const id of ["A1", "A2"]) yield* change((document) => put(document, entry(id), (stored) => stored ?? "here"))
  yield* change((document) => without(document, ({ entry }) => entry?.analysisId === "A1"))
})

await Effect.runPromise(program.pipe(Effect.provide(TrackingFileLive.layer({ path }))))
