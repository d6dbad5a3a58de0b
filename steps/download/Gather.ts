/** What every form of the download begins with: the selected analyses, what their files are, and what is missing. */
import { Effect, Result, Stream } from "effect"
import { type CatalogEntry, type CatalogItem, catalog, choose } from "../../core/src/download/Catalog.ts"
import type { PlanFailure, PlanRequest } from "../../core/src/download/DownloadPlan.ts"
import type { Failure } from "../../core/src/download/Outcome.ts"
import type { UsageError } from "../../core/src/Errors.ts"
import { type FileType, fileTypes } from "../../core/src/selection/FileName.ts"
import { type Filter, parse } from "../../core/src/selection/Filter.ts"
import { filterFields } from "../../core/src/selection/FilterFields.ts"
import type { SelectionRequest } from "../../core/src/selection/Selection.ts"
import type { Settings, TargetSettings } from "../../core/src/settings/Settings.ts"
import type { DownloadSettings } from "./Wish.ts"

/** The filter expressions that cannot be read, one sentence each. */
export const filterProblems = (settings: Pick<Settings, "filters">): ReadonlyArray<string> =>
  settings.filters.flatMap((source) => {
    const parsed = parse(source, filterFields)
    return Result.isFailure(parsed) ? [parsed.failure.message] : []
  })

/** What the settings say about the selection; fails for a filter that cannot be read. */
const selectionOf = Effect.fnUntraced(function* (
  settings: TargetSettings
): Effect.fn.Return<SelectionRequest, UsageError> {
  const filters: Array<Filter> = []
  for (const source of settings.filters) filters.push(yield* Effect.fromResult(parse(source, filterFields)))
  const { analysisIds, latest, limsIds, sampleIds } = settings
  return { analysisIds, sampleIds, limsIds, filters, latest }
})

export const planRequestOf = ({ filetypes, layout, overwrite, wish }: DownloadSettings): PlanRequest => ({
  filetypes,
  layout,
  overwrite,
  slice: wish
})

export interface Gathered {
  readonly entries: ReadonlyArray<CatalogEntry>
  readonly failures: ReadonlyArray<PlanFailure>
}

/**
 * Asks for the files of the selected analyses, one analysis after the other; each failure is said when it happens.
 *
 * @param seen - told of every analysis as soon as it is known
 */
export const gather = Effect.fn("download.gather")(function* <E, R>(
  settings: TargetSettings,
  seen: (entry: CatalogEntry) => Effect.Effect<void, E, R>
) {
  const { analyses, missing } = yield* choose(yield* selectionOf(settings))
  const entries: Array<CatalogEntry> = []
  const failures: Array<PlanFailure> = []
  const failed = (failure: PlanFailure) => {
    failures.push(failure)
    return Effect.logError(failure.error.message)
  }
  yield* Effect.forEach(missing, failed, { discard: true })
  yield* Stream.runForEach(catalog(analyses, wantedTypes(settings)), (item: CatalogItem) => {
    if (item._tag === "Failed") return failed(item.failure)
    entries.push(item.entry)
    return seen(item.entry)
  })
  return { entries, failures }
})

/** A listing shows every type unless some are asked for. */
const wantedTypes = (settings: TargetSettings): ReadonlyArray<FileType> =>
  settings.list && !settings.given("filetypes") ? fileTypes : settings.filetypes

/** A failure that is not of one file. */
export const wholeFailure = ({ analysisId, error }: PlanFailure): Failure => ({ analysisId, fileName: null, error })
