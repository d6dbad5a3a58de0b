/** The programs of `svc-steps restorations`: list, prune and add. */

import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { type NewEntry, newOptions, readEntry, storedPaths, textOf } from "../../core/src/archive/TrackingEntry.ts"
import { type Item, put, TrackingFile, without } from "../../core/src/archive/TrackingFile.ts"
import type { AnalysisId } from "../../core/src/contract/Ids.ts"
import { UsageError } from "../../core/src/Errors.ts"
import { parseRange } from "../../core/src/genome/regions/RegionText.ts"
import { destinationProblem } from "../../core/src/settings/NamedFiles.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { resolveTarget } from "../../core/src/settings/Target.ts"
import type { Problems } from "../../core/src/settings/Validation.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { spanOf, timeOf } from "../../core/src/text/Timestamp.ts"
import * as TrackingFileLive from "../../platform/files/TrackingFile.ts"
import {
  makeProgram,
  type Own,
  type Parse,
  type Program,
  type StepExit,
  type StepFailure,
  type StepServices,
  valuesOf
} from "../main/Program.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import type { ValuesOf } from "../main/Step.ts"
import type { addOptions, listOptions, pruneOptions } from "./RestorationsStep.ts"

/** A program over the restoration file. */
const overFile = <Request>(
  parse: Parse<Request>,
  run: (settings: LocalSettings, request: Request) => Effect.Effect<StepExit, StepFailure, StepServices | TrackingFile>
): Program =>
  makeProgram(parse, (settings, request) =>
    Effect.provide(run(settings, request), TrackingFileLive.layer({ path: settings.restorationFile }))
  )

const list = overFile(
  (_settings, _operands, own) => Result.succeed(valuesOf<typeof listOptions>(own)),
  Effect.fn("svc.step.listRestorations")(function* (settings: LocalSettings, { format }: ValuesOf<typeof listOptions>) {
    if (settings.given("restorationFile")) yield* warnOfMissing(settings.restorationFile)
    const { items } = yield* TrackingFile.use(({ read }) => read)
    yield* format === "json"
      ? printDocument({ schema: "svc.requests/1", requests: items.map(jsonOf) })
      : printLines(items.length === 0 ? "No restorations" : items.map(lineOf).join("\n"))
    return 0 as const
  })
)

/** A file that was named and is not there holds no restorations, as one that is empty; but its name may be a mistake. */
const warnOfMissing = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  if (yield* Effect.orElseSucceed(fs.exists(path), () => true)) return
  yield* Effect.logWarning(`${path} does not exist: is this the file that was meant?`)
})

/** One line about an entry. */
const lineOf = ({ entry, problem }: Item, index: number): string => {
  if (entry === null) return `entry ${index + 1} cannot be used: ${printable(problem)}`
  const { analysisId, fileName, options, requestTime, restoreEstimation, status, target } = entry
  const parts = [
    `${analysisId}  ${fileName}`,
    restoreEstimation === null ? "expected at an unknown time" : `expected at ${restoreEstimation}`,
    ...(options.destination == null ? [] : [`into ${options.destination}`]),
    ...(requestTime === null ? [] : [`requested ${requestTime}`]),
    ...(target === null ? [] : [target]),
    ...(status === null || status === "pending" ? [] : [status])
  ]
  return printable(parts.join("  "))
}

const jsonOf = ({ entry, problem }: Item, index: number) =>
  entry === null
    ? { position: index + 1, problem }
    : {
        position: index + 1,
        analysisId: entry.analysisId,
        fileName: entry.fileName,
        restoreEstimation: entry.restoreEstimation,
        target: entry.target,
        requestTime: entry.requestTime,
        status: entry.status,
        options: entry.storedOptions
      }

interface PruneRequest {
  /** Only entries of these analyses; empty for all analyses. */
  readonly ids: ReadonlySet<string>
  /** Only entries requested before this time (ms since 1970); null for any time. */
  readonly limit: number | null
  /** Whether entries that cannot be used are removed too. */
  readonly unusable: boolean
}

const pruneRequest = (own: Own): Result.Result<PruneRequest, Problems> => {
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

const prune = overFile(
  (_settings, _operands, own) => pruneRequest(own),
  Effect.fn("svc.step.pruneRestorations")(function* (_: LocalSettings, { ids, limit, unusable }: PruneRequest) {
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
  })
)

interface AddRequest extends Omit<ValuesOf<typeof addOptions>, "target"> {
  readonly analysisId: AnalysisId
  readonly fileName: string
  /** Base URL of the service. */
  readonly target: URL
}

const addRequest = (
  [analysisId = "", fileName = ""]: ReadonlyArray<string>,
  own: Own
): Result.Result<AddRequest, Problems> => {
  const values = valuesOf<typeof addOptions>(own)
  const { range } = values
  const problems: Array<string> = []
  const target = resolveTarget(values.target, null)
  // That it is missing has been said.
  if (Result.isFailure(target) && own.given("target")) problems.push(target.failure)
  const parsed = range === null ? null : parseRange(range)
  if (parsed !== null && Result.isFailure(parsed)) problems.push(parsed.failure.message)
  const entry = readEntry({ analysisId, fileName })
  if (Result.isFailure(entry)) problems.push(entry.failure)
  if (Result.isFailure(target) || Result.isFailure(entry) || problems.length > 0) return Result.fail(problems)
  return Result.succeed({ ...values, analysisId: entry.success.analysisId, fileName, target: target.success })
}

const add = overFile(
  (_settings, operands, own) => addRequest(operands, own),
  Effect.fn("svc.step.addRestoration")(function* (
    { restorationFile }: LocalSettings,
    { analysisId, fileName, target, ...wanted }: AddRequest
  ) {
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
      options: newOptions(wanted, paths)
    }
    const tracking = yield* TrackingFile
    // Entries without a target may be of any: this one is not taken for theirs.
    const { items } = yield* tracking.change((document) => put(document, entry, (stored) => stored ?? ""))
    yield* Effect.logDebug(textOf(entry))
    yield* Effect.logInfo(`${fileName} (analysis ${analysisId}): added; ${items.length} in ${tracking.path}`)
    return 0 as const
  })
)

/** By method. */
export const programs: Readonly<Record<string, Program>> = { add, list, prune }
