/** `svc-steps restorations add` */
import { DateTime, Effect, FileSystem, Option, Result } from "effect"
import { storedPaths } from "../../core/src/archive/StoredPath.ts"
import { put } from "../../core/src/archive/TrackingDocument.ts"
import { type NewEntry, newOptions, readEntry, textOf } from "../../core/src/archive/TrackingEntry.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import { UsageError } from "../../core/src/Errors.ts"
import { parseRange } from "../../core/src/genome/RegionText.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { resolveTarget } from "../../core/src/settings/Target.ts"
import * as TrackingFileLive from "../../platform/TrackingFile.ts"
import { type Program, valuesOf } from "../main/Step.ts"
import type { addOptions } from "./Options.ts"

export const add: Program<LocalSettings> = {
  check: (_settings, operands, own) => {
    const { bed, range, target, unmapped } = valuesOf<typeof addOptions>(own)
    const problems: Array<string> = []
    const base = own.given("target") ? resolveTarget(target, null) : null
    if (base !== null && Result.isFailure(base)) problems.push(base.failure)
    const parsed = range === null ? null : parseRange(range)
    if (parsed !== null && Result.isFailure(parsed)) problems.push(parsed.failure.message)
    if (bed !== null && (range !== null || unmapped)) problems.push("--bed cannot be used with --range or --unmapped")
    const [analysisId, fileName] = operands
    const entry = readEntry({ analysisId, fileName })
    if (operands.length === 2 && Result.isFailure(entry)) problems.push(entry.failure)
    return problems
  },
  run: Effect.fn("svc.step.addRestoration")(
    function* ({ restorationFile }, [analysisId = "", fileName = ""], own) {
      const { target, ...wanted } = valuesOf<typeof addOptions>(own)
      const fs = yield* FileSystem.FileSystem
      const info = yield* Effect.option(fs.stat(wanted.destination))
      if (Option.isNone(info) || info.value.type !== "Directory") {
        return yield* new UsageError({ message: `Destination directory does not exist: ${wanted.destination}` })
      }
      const { href } = Result.getOrThrow(resolveTarget(target, null))
      const paths = yield* storedPaths(restorationFile)
      const entry: NewEntry = {
        target: href,
        analysisId,
        fileName,
        restoreEstimation: null,
        requestTime: DateTime.formatIso(yield* DateTime.now),
        status: "pending",
        options: newOptions({ ...wanted, fully: wanted.check === "full" }, paths)
      }
      const tracking = yield* TrackingFile
      // Entries without a target may be of any: this one is not taken for theirs.
      const { items } = yield* tracking.change((document) => put(document, entry, (stored) => stored ?? ""))
      yield* Effect.logDebug(textOf(entry))
      yield* Effect.logInfo(`${fileName} (analysis ${analysisId}): added; ${items.length} in ${tracking.path}`)
      return 0 as const
    },
    (effect, { restorationFile }) => Effect.provide(effect, TrackingFileLive.layer({ path: restorationFile }))
  )
}
