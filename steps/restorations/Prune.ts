/** `svc-steps restorations prune` */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Item, without } from "../../core/src/archive/TrackingDocument.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { spanOf, timeOf } from "../../core/src/text/Timestamp.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { printLines } from "../main/StandardOutput.ts"
import { makeProgram, type Own, type Problems, valuesOf } from "../main/Step.ts"
import { lineOf } from "./List.ts"
import type { pruneOptions } from "./Options.ts"

interface PruneRequest {
  /** Only entries of these analyses; empty for all analyses. */
  readonly ids: ReadonlySet<string>
  /** Only entries requested before this time (ms since 1970); null for any time. */
  readonly limit: number | null
  /** Whether entries that cannot be used are removed too. */
  readonly unusable: boolean
}

const parse = (own: Own): Result.Result<PruneRequest, Problems> => {
  const { analysisIds, before, unusable } = valuesOf<typeof pruneOptions>(own)
  const limit = before === null ? null : (spanOf(before)?.start ?? null)
  if (before !== null && limit === null) {
    return Result.fail([
      `Invalid value for --before: "${before}": expected a time such as 2026-11-21 or 2026-11-21T12:00:00Z`
    ])
  }
  if (analysisIds.length === 0 && limit === null && !unusable) {
    return Result.fail(["Nothing says which requests: give analysis ids, --before or --unusable"])
  }
  return Result.succeed({ ids: new Set(analysisIds), limit, unusable })
}

export const prune = makeProgram(
  (_settings, _operands, own) => parse(own),
  Effect.fn("svc.step.pruneRestorations")(
    function* (_: LocalSettings, { ids, limit, unusable }: PruneRequest) {
      const drop = ({ entry }: Item): boolean => {
        if (entry === null) return unusable
        if (ids.size === 0 && limit === null) return false
        const time = timeOf(entry.requestTime) ?? timeOf(entry.restoreEstimation)
        return (ids.size === 0 || ids.has(entry.analysisId)) && (limit === null || (time !== null && time < limit))
      }
      const tracking = yield* TrackingFile
      let dropped: ReadonlyArray<string> = []
      const left = yield* tracking.change((document) => {
        dropped = document.items.flatMap((item, index) => (drop(item) ? [lineOf(item, index)] : []))
        return without(document, drop)
      })
      for (const line of dropped) yield* printLines(line)
      yield* Effect.logInfo(`${dropped.length} taken out, ${left.items.length} left in ${tracking.path}`)
      return 0 as const
    },
    (effect, { restorationFile }) => Effect.provide(effect, TrackingFileLive.layer({ path: restorationFile }))
  )
)
