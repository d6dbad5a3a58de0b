/**
 * Slices of a run: the tasks of the slice engine, which are data file and index with their links, fresh when they are used; and whether
 * what stands under the name of a slice is that slice, as its header names its regions.
 */

import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { AnalysisId } from "../contract/Ids.ts"
import { CannotCreate, type InArchive, type LocalIo, type ServiceError, type TransferError } from "../Errors.ts"
import { type ByteReader, readerOf } from "../genome/ByteReader.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { type DataType, dataTypes, hasUnmapped, indexesOf } from "../genome/formats/FileNames.ts"
import { openFormat } from "../genome/formats/Formats.ts"
import { checkStructure } from "../genome/Structure.ts"
import { dataTypeOf, type FileType } from "../selection/FileName.ts"
import { type ListedAnalysis, type ListedFile, wantedFiles } from "../selection/WantedFiles.ts"
import {
  maker,
  otherRegions,
  type SliceEstimate,
  type SliceSourceFile,
  type SliceState,
  type SliceTask,
  type SliceWish
} from "../transfer/SliceRequest.ts"
import { planRegions } from "../transfer/SliceSource.ts"
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

/** Reads header and index of `path`, never the network: regions are resolved against the file itself. */
export const existingSlice = (
  path: string,
  kind: DataType,
  content: SliceWish
): Effect.Effect<SliceState, never, FileSystem.FileSystem | Codec> =>
  look(path, kind, content).pipe(
    Effect.scoped,
    Effect.catch(({ message }) =>
      Effect.succeed({ _tag: "Other", error: new CannotCreate({ path, reason: message }) } as const)
    )
  )

const look = Effect.fn("svc.download.lookAtSlice")(function* (
  path: string,
  kind: DataType,
  content: SliceWish
): Effect.fn.Return<SliceState, LocalIo, FileSystem.FileSystem | Codec | Scope.Scope> {
  const size = yield* sizeOf(path)
  if (size === null) return { _tag: "Absent" }
  const reader = yield* readerOf(path, size)
  const regions = yield* recordedRegions(path, reader, kind)
  if (regions === null) return { _tag: "Other", error: otherRegions(path, null) }
  const incomplete = { _tag: "Incomplete", regions } as const
  for (const suffix of indexesOf(kind)) {
    const indexName = `${path}.${suffix}`
    const indexSize = yield* sizeOf(indexName)
    if (indexSize === null) continue
    const index = yield* readerOf(indexName, indexSize)
    // What does not hold together is cut out again, and regions that it cannot have are judged by the remote file.
    return yield* Effect.andThen(
      checkStructure(path, reader),
      planRegions({ name: path, reader, index: { name: indexName, reader: index } }, { kind, ...content })
    ).pipe(
      Effect.match({
        onFailure: () => incomplete,
        onSuccess: (plan): SliceState =>
          plan.key === regions
            ? {
                _tag: "Same",
                bytes: size,
                regions,
                index: { name: indexName.slice(indexName.lastIndexOf("/") + 1), bytes: indexSize }
              }
            : { _tag: "Other", error: otherRegions(path, regions, plan.key) }
      })
    )
  }
  return incomplete
})

/** Null when there is no file. */
const sizeOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.isSome(info) && info.value.type === "File" ? Number(info.value.size) : null
})

/** The regions that the header names; null when it is not ours, or not readable. */
const recordedRegions = (path: string, reader: ByteReader<LocalIo>, kind: DataType) => {
  const program = { name: maker, version: "" }
  const regions = Effect.map(openFormat(path, reader, kind), ({ regionsOf }) => regionsOf(program))
  return Effect.catchTag(regions, "SvcFileDamaged", () => Effect.succeed(null))
}
