/** `svc-steps restorations add` */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { storedPaths } from "../../core/src/archive/StoredPath.ts"
import { put } from "../../core/src/archive/TrackingDocument.ts"
import { type NewEntry, newOptions, readEntry, textOf } from "../../core/src/archive/TrackingEntry.ts"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import { UsageError } from "../../core/src/Errors.ts"
import { parseRange } from "../../core/src/genome/regions/RegionText.ts"
import { destinationProblem } from "../../core/src/settings/NamedFiles.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { resolveTarget } from "../../core/src/settings/Target.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import { makeProgram, type Own, type Problems, type ValuesOf, valuesOf } from "../main/Step.ts"
import type { addOptions } from "./Options.ts"

interface AddRequest extends Omit<ValuesOf<typeof addOptions>, "target"> {
  readonly analysisId: string
  readonly fileName: string
  /** Base URL of the service. */
  readonly target: URL
}

const parse = (
  [analysisId = "", fileName = ""]: ReadonlyArray<string>,
  own: Own
): Result.Result<AddRequest, Problems> => {
  const values = valuesOf<typeof addOptions>(own)
  const { bed, range, unmapped } = values
  const problems: Array<string> = []
  const target = resolveTarget(values.target, null)
  // That it is missing has been said.
  if (Result.isFailure(target) && own.given("target")) problems.push(target.failure)
  const parsed = range === null ? null : parseRange(range)
  if (parsed !== null && Result.isFailure(parsed)) problems.push(parsed.failure.message)
  if (bed !== null && (range !== null || unmapped)) problems.push("--bed cannot be used with --range or --unmapped")
  const entry = readEntry({ analysisId, fileName })
  if (Result.isFailure(entry)) problems.push(entry.failure)
  if (Result.isFailure(target) || problems.length > 0) return Result.fail(problems)
  return Result.succeed({ ...values, analysisId, fileName, target: target.success })
}

export const add = makeProgram(
  (_settings, operands, own) => parse(operands, own),
  Effect.fn("svc.step.addRestoration")(
    function* ({ restorationFile }: LocalSettings, { analysisId, fileName, target, ...wanted }: AddRequest) {
      const message = yield* destinationProblem(wanted.destination)
      if (message !== null) return yield* new UsageError({ message })
      const paths = yield* storedPaths(restorationFile)
      const entry: NewEntry = {
        target: target.href,
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
)
