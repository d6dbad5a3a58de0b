/** Restoration of archived files (requestRestore, docs/dev/service.md 15). */
import * as Schema from "effect/Schema"
import { AnalysisId, inAddress } from "./Ids.ts"
import { Hint, maybe, record } from "./Record.ts"

/** Form of `POST /archive/analysis/restore`; `analysisIds` repeats for several analyses. */
export const RestoreRequest = Schema.Struct({
  analysisIds: Schema.Array(inAddress(AnalysisId)),
  disableArchive: Schema.Literals(["true", "false"])
})

/** What the service says of one restoration. */
export const RestoreAnswer = record("RestoreAnswer", {
  analysisId: maybe(AnalysisId),
  /** ISO 8601 UTC; null when the service does not say. */
  restoreEstimation: Schema.optionalKey(Hint)
})
export type RestoreAnswer = typeof RestoreAnswer.Type
