/**
 * What the service lists of an analysis, in our words, as every field of its answer may be missing; which of these files are wanted,
 * and where each goes. Pure.
 */
import * as Redacted from "effect/Redacted"
import type { AnalysisFiles } from "../contract/Files.ts"
import type { LimsId, SampleId } from "../contract/Ids.ts"
import { indexAmong, isDataType } from "../genome/formats/FileNames.ts"
import type { SliceEstimate, SliceWish } from "../transfer/SliceRequest.ts"
import { type FileType, fileTypeOf } from "./FileName.ts"
import { dataPathOf, type Layout, outputPathOf, pathOf } from "./OutputPath.ts"
import type { RunFile } from "./RunFile.ts"
import { type SelectedAnalysis, statedId } from "./Selection.ts"

/**
 * One entry of the download links of an analysis, without its link.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListedFile {
  /** As the service gave it; null when it gave none. */
  readonly fileName: string | null
  /** Bytes; null when the service does not say. */
  readonly size: number | null
  /** @internal The size is not listed: the link host told it. */
  readonly sizeLearned?: true
  readonly archived: boolean
  readonly estimatedRestoreTime: string | null
  readonly hasLink: boolean
  /** What its slice would fetch, where that was asked for. */
  readonly ranged?: SliceEstimate
}

/**
 * An analysis with the files that the service lists.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListedAnalysis extends SelectedAnalysis {
  readonly sampleId: SampleId | null
  readonly limsId: LimsId | null
  readonly files: ReadonlyArray<ListedFile>
}

/** The answer for an analysis, without its links. */
export const listedOf = (analysis: SelectedAnalysis, files: AnalysisFiles): ListedAnalysis => ({
  ...analysis,
  sampleId: statedId(files.sampleId),
  limsId: statedId(files.limsId),
  files: files.apiFileLinks.map((file) => ({
    fileName: file.fileName ?? null,
    size: file.size ?? null,
    // When the archive flag is missing, a restoration under way shows that the file is archived.
    archived: file.currentlyArchived ?? file.estimatedRestoreTime != null,
    estimatedRestoreTime: file.estimatedRestoreTime ?? null,
    hasLink: file.downloadLink != null && Redacted.value(file.downloadLink) !== ""
  }))
})

/** Which files of each analysis, and where they go. */
export interface FileChoice {
  readonly filetypes: ReadonlyArray<FileType>
  readonly layout: Layout
  /** Only this of each file, as a file of its own with a fresh index; absent for whole files. */
  readonly slice?: SliceWish | null
  /** Data files that come without an index get one. */
  readonly makeIndex?: boolean
}

/** A part of a file as a file of its own, with what it is made by. */
export interface WantedSlice extends NonNullable<RunFile["slice"]> {
  /** The listed index of the source: the CSI, else BAI or TBI; one that is in the archive only where no other is listed. Null for none. */
  readonly indexFile: string | null
  /** Only the index is in the archive. */
  readonly awaitsIndex?: boolean
  /** What the slice holds. */
  readonly content: SliceWish
}

/** A file of the service that is wanted. */
export interface WantedFile extends RunFile {
  /** The size is not listed: the link host told it. */
  readonly sizeLearned?: true
  /** The file has a link, and the index that its slice needs. */
  readonly hasLink: boolean
  readonly slice: WantedSlice | null
}

/** The file in the archive for which a wanted one waits. */
export const archivedNameOf = ({ fileName, slice }: Pick<WantedFile, "fileName" | "slice">): string =>
  (slice?.awaitsIndex === true ? slice.indexFile : null) ?? fileName

/** The wanted files of `analyses`, in the order of the listing. */
export const wantedFiles = (analyses: ReadonlyArray<ListedAnalysis>, choice: FileChoice): ReadonlyArray<WantedFile> =>
  withMadeIndexes(
    choice,
    analyses.flatMap((analysis) =>
      analysis.files.flatMap((file) => {
        const type = wantedType(file, choice)
        return file.fileName === null || type === null
          ? []
          : [wantedFile(analysis, { ...file, fileName: file.fileName }, type, choice)]
      })
    )
  )

const withMadeIndexes = (
  { makeIndex = false, slice = null }: FileChoice,
  files: ReadonlyArray<WantedFile>
): ReadonlyArray<WantedFile> => {
  if (!makeIndex || slice !== null) return files
  const served = new Set(files.map(dataPathOf))
  return files.map((file) =>
    isDataType(file.type) && !served.has(pathOf(file)) ? { ...file, makesIndex: true } : file
  )
}

const wantedFile = (
  analysis: ListedAnalysis,
  { archived, estimatedRestoreTime, fileName, hasLink, size, sizeLearned }: ListedFile & { readonly fileName: string },
  type: FileType,
  { layout, slice: content = null }: FileChoice
): WantedFile => {
  const file = { analysisId: analysis.analysisId, fileName, type }
  if (content === null) {
    const { folder } = outputPathOf(file, layout, null)
    const sized = sizeLearned === undefined ? { size } : { size, sizeLearned }
    return { ...file, folder, ...sized, archived, estimatedRestoreTime, hasLink, slice: null }
  }
  const { folder, slice } = outputPathOf(file, layout, content.wanted.length > 0 ? "ranged" : "unmapped")
  const index = indexAmong(fileName, analysis.files, ({ archived, hasLink }) => !archived && hasLink)
  const awaitsIndex = !archived && index?.archived === true
  return {
    ...file,
    folder,
    // Known when the slice has been planned.
    size: null,
    // A slice needs the file and its index: it waits while either is archived.
    archived: archived || awaitsIndex,
    estimatedRestoreTime: estimatedRestoreTime ?? index?.estimatedRestoreTime ?? null,
    hasLink: hasLink && index?.hasLink !== false,
    slice: { name: slice?.name ?? fileName, indexFile: index?.fileName ?? null, awaitsIndex, content, estimate: null }
  }
}

/**
 * The type of a file when it is wanted. A name that is unsafe at its end (`x.bam `) still counts as its type, so that
 * it is refused with a message and not left out silently.
 */
const wantedType = (file: ListedFile, choice: FileChoice): FileType | null => {
  if (file.fileName === null) return null
  const type = fileTypeOf(file.fileName) ?? fileTypeOf(withoutTail(file.fileName))
  return type !== null && wantedTypes(choice).includes(type) ? type : null
}

/** Slices are made of data files and bring their own index. */
export const wantedTypes = ({ filetypes, slice }: FileChoice): ReadonlyArray<FileType> =>
  slice == null ? filetypes : filetypes.filter(isDataType)

const withoutTail = (name: string): string => {
  let end = name.length
  while (end > 0 && !/[\p{L}\p{N}]/u.test(name[end - 1] ?? "")) end--
  return name.slice(0, end)
}

/** The files to show: all types when `filetypes` is null. */
export const filterListing = (analysis: ListedAnalysis, filetypes: ReadonlyArray<FileType> | null): ListedAnalysis => ({
  ...analysis,
  files: analysis.files.filter((file) => {
    const type = file.fileName === null ? null : fileTypeOf(file.fileName)
    return filetypes === null || (type !== null && filetypes.includes(type))
  })
})
