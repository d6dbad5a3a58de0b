/** Where a file goes: the one place that makes a path, whether the file is there, still to come, or in the archive. */
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import { dataFileOf, sliceName } from "./FileName.ts"
import type { RunFile } from "./RunFile.ts"

/**
 * `flat` puts all files into the destination, `analysis` each analysis into a folder with its id.
 *
 * @category options
 * @since 0.1.0
 */
export type Layout = "flat" | "analysis"

/**
 * What decides where a file goes inside the destination.
 *
 * @category models
 * @since 0.1.0
 */
export interface OutputPath extends Pick<RunFile, "fileName" | "folder" | "makesIndex"> {
  /** The name of its slice; absent or null for the whole file. */
  readonly slice?: { readonly name: string } | null | undefined
}

/** What a slice holds: regions, or nothing but unplaced reads; null for a whole file. */
export type SliceForm = "ranged" | "unmapped" | null

/** The form of what is wanted of each file: `regions` says whether there are any, from text or from a BED file. */
export const sliceForm = (wanted: { readonly regions: boolean; readonly unmapped: boolean }): SliceForm =>
  wanted.regions ? "ranged" : wanted.unmapped ? "unmapped" : null

/** The place of a file of the service. */
export const outputPathOf = (
  file: { readonly analysisId: string; readonly fileName: string },
  layout: Layout,
  form: SliceForm
): OutputPath => ({
  folder: layout === "flat" ? "" : file.analysisId,
  fileName: file.fileName,
  slice: form === null ? null : { name: sliceName(file.fileName, form) }
})

/** The file name inside the folder; a slice has a name of its own. */
export const finalName = ({ fileName, slice }: OutputPath): string => slice?.name ?? fileName

/** True where an index of ours lies beside the file: that of a slice, or one that is made of a whole file. */
export const hasOwnIndex = ({ makesIndex, slice }: OutputPath): boolean => slice != null || makesIndex === true

/** All names of data that are written for a file: its own, and those that an index of ours can have. */
export const dataNames = (file: OutputPath): ReadonlyArray<string> => {
  const name = finalName(file)
  return hasOwnIndex(file) ? [name, ...indexSuffixes.map((suffix) => `${name}.${suffix}`)] : [name]
}

/**
 * The path relative to the destination.
 *
 * @category getters
 * @since 0.1.0
 */
export const pathOf = (path: OutputPath): string =>
  path.folder === "" ? finalName(path) : `${path.folder}/${finalName(path)}`

/** {@link pathOf} the data file of an index; null for any other file. */
export const dataPathOf = ({ fileName, folder }: OutputPath): string | null => {
  const data = dataFileOf(fileName)
  return data === null ? null : pathOf({ folder, fileName: data })
}

/** The path as the user would write it, with the destination as it was given. */
export const finalPath = (destination: string, path: OutputPath): string =>
  destination === "." ? pathOf(path) : `${destination.replace(/\/$/, "")}/${pathOf(path)}`
