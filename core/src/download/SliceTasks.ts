/** Makes the tasks of the slice engine out of listed files: data file and index with their links, fresh when they are used. */

import * as Effect from "effect/Effect"
import type { AnalysisId } from "../contract/Ids.ts"
import type { InArchive, ServiceError, TransferError } from "../Errors.ts"
import { dataTypes, hasUnmapped } from "../genome/formats/FileNames.ts"
import { dataTypeOf, type FileType } from "../selection/FileName.ts"
import { type ListedAnalysis, type ListedFile, wantedFiles } from "../selection/WantedFiles.ts"
import type { SliceEstimate, SliceSourceFile, SliceTask, SliceWish } from "../transfer/SliceRequest.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { CatalogEntry } from "./Catalog.ts"
import type { DownloadPlan, PlannedFile } from "./DownloadPlan.ts"
import type { RunLinks } from "./RunLinks.ts"

/** A data file of an analysis and the index that is listed with it. */
export interface SliceFiles {
  readonly analysisId: AnalysisId
  readonly fileName: string
  readonly type: FileType
  readonly indexFile: string
}

export const sliceTask = Effect.fn("svc.download.sliceTask")(function* (
  { analysisId, fileName, indexFile, type }: SliceFiles,
  content: SliceWish,
  links: RunLinks
): Effect.fn.Return<Omit<SliceTask, "progress">, ServiceError | InArchive> {
  const sourceOf = (name: string): Effect.Effect<SliceSourceFile, ServiceError | InArchive> =>
    Effect.map(links.lend({ analysisId, fileName: name }), (lent) => ({ ...lent, analysisId, fileName: name }))
  return {
    ...content,
    kind: dataTypeOf(type),
    data: yield* sourceOf(fileName),
    index: yield* sourceOf(indexFile)
  }
})

const estimate = Effect.fnUntraced(function* (files: SliceFiles, content: SliceWish, links: RunLinks) {
  const transfer = yield* SliceTransfer
  return yield* transfer.estimate({ ...(yield* sliceTask(files, content, links)), progress: () => Effect.void })
})

/**
 * A file whose slice cannot be estimated, and so not be made.
 *
 * @category models
 * @since 0.1.0
 */
export interface RefusedEstimate {
  readonly analysisId: AnalysisId
  readonly fileName: string
  readonly error: TransferError
}

/** The analysis with what the slices of its files would fetch; as it is where `content` is null. */
export const withEstimates = Effect.fn("svc.download.withEstimates")(function* (
  analysis: ListedAnalysis,
  entry: CatalogEntry,
  content: SliceWish | null,
  links: RunLinks
): Effect.fn.Return<
  { readonly analysis: ListedAnalysis; readonly refused: ReadonlyArray<RefusedEstimate> },
  never,
  SliceTransfer
> {
  const refused: Array<RefusedEstimate> = []
  if (content === null) return { analysis, refused }
  // The whole listing is looked at: an index serves its data file also when it is not shown.
  const places = wantedFiles([entry.listed], { filetypes: dataTypes, layout: "flat", slice: content })
  const estimates = new Map<string, SliceEstimate>()
  for (const { analysisId, archived, fileName, hasLink, slice, type } of places) {
    if (!analysis.files.some((file) => file.fileName === fileName)) continue
    const indexFile = slice?.indexFile ?? null
    if (archived || !hasLink || indexFile === null) continue
    if (!hasUnmapped(type) && content.wanted.length === 0) continue
    yield* Effect.match(estimate({ analysisId, fileName, type, indexFile }, content, links), {
      onSuccess: (found) => void estimates.set(fileName, found),
      onFailure: (error) => void refused.push({ analysisId, fileName, error })
    })
  }
  const files = analysis.files.map((file): ListedFile => {
    const ranged = file.fileName === null ? undefined : estimates.get(file.fileName)
    return ranged === undefined ? file : { ...file, ranged }
  })
  return { analysis: { ...analysis, files }, refused }
})

/** The plan with what its slices would fetch; a slice that cannot be made fails as it would in the run. */
export const estimatePlan = Effect.fn("svc.download.estimatePlan")(function* (
  plan: DownloadPlan<PlannedFile>,
  links: RunLinks
): Effect.fn.Return<DownloadPlan<PlannedFile>, never, SliceTransfer> {
  const files = yield* Effect.forEach(plan.files, (file) => {
    const { decision, slice } = file
    if (decision._tag !== "Fetch" || slice === null) return Effect.succeed(file)
    const { indexFile } = slice
    if (indexFile === null) return Effect.succeed(file)
    return Effect.match(estimate({ ...file, indexFile }, slice.content, links), {
      onSuccess: (found) => ({ ...file, size: found.bytes, slice: { ...slice, estimate: found } }),
      onFailure: (error: TransferError) => ({ ...file, decision: { _tag: "Fail" as const, error } })
    })
  })
  return { ...plan, files }
})
