/**
 * What the service says now about a file that waits for its restoration: pure, from an entry and a listing.
 *
 * A data file and the index that its entry asks for are one thing: neither is delivered while the other is archived
 * (fault L13). The flags of the listing decide, never a clock.
 */

import { mayBeUnderWay } from "../archive/Estimate.ts"
import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import { NotFound } from "../Errors.ts"
import { dataFileOf, type FileType, fileTypeOf, indexRank } from "../selection/FileName.ts"
import type { ListedAnalysis, ListedFile } from "../selection/ListedFiles.ts"
import { type SliceForm, sliceForm } from "../selection/OutputPath.ts"
import { printable } from "../text/Printable.ts"

/** How far the files of a stored request are. */
export type Availability =
  /** All of them can be downloaded. */
  | { readonly _tag: "Available"; readonly files: ReadonlyArray<ListedFile> }
  /** Being restored, as the service says or as there is reason to believe. `estimate` as written. */
  | { readonly _tag: "Restoring"; readonly estimate: string | null }
  /** Archived, and there is no sign of a restoration: it was never begun, is very late, or its copy is gone again. */
  | { readonly _tag: "Archived"; readonly files: ReadonlyArray<ListedFile> }
  | { readonly _tag: "Missing"; readonly error: NotFound }

/**
 * Whether the files of an entry can be downloaded now.
 *
 * @param filetypes - the types of an entry that stores none
 * @param now - ms since 1970
 */
export const availabilityOf = (
  entry: TrackingEntry,
  { files }: ListedAnalysis,
  filetypes: ReadonlyArray<FileType>,
  now: number
): Availability => {
  const name = wantedName(entry)
  if (!files.some(({ fileName }) => fileName === name)) {
    const what = printable(`${name} (analysis ${entry.analysisId})`)
    return {
      _tag: "Missing",
      error: new NotFound({ what, detail: "the service does not list the file any more" })
    }
  }
  const wanted = files.filter((file) => belongsTo(file, entry, filetypes))
  const cold = stillArchived(wanted, entry)
  if (cold.length === 0) return { _tag: "Available", files: wanted }
  const estimates = cold.flatMap(({ estimatedRestoreTime }) => estimatedRestoreTime ?? [])
  if (estimates[0] !== undefined) return { _tag: "Restoring", estimate: estimates[0] }
  return mayBeUnderWay(entry, now)
    ? { _tag: "Restoring", estimate: entry.restoreEstimation }
    : { _tag: "Archived", files: cold }
}

/** Whether an entry asks for a part of its file. */
const isSlice = ({ options }: TrackingEntry): boolean =>
  options.range != null || options.bed != null || options.unmapped === true

/** The file that an entry is about: of regions the data file, also where the entry names its index. */
export const wantedName = (entry: TrackingEntry): string =>
  isSlice(entry) ? (dataFileOf(entry.fileName) ?? entry.fileName) : entry.fileName

/** The form of the file that an entry asks for. */
export const formOf = ({ options: { bed, range, unmapped } }: TrackingEntry): SliceForm =>
  sliceForm({ regions: range != null || bed != null, unmapped: unmapped === true })

/** The file of the entry, and its index: when that was asked for, or when regions have to be found by it. */
const belongsTo = ({ fileName }: ListedFile, entry: TrackingEntry, fallback: ReadonlyArray<FileType>): boolean => {
  const name = wantedName(entry)
  if (fileName === null) return false
  if (fileName === name) return true
  if (isSlice(entry)) return indexRank(name)(fileName) !== null
  const type = fileTypeOf(fileName)
  return type !== null && (entry.options.filetypes ?? fallback).includes(type) && dataFileOf(fileName) === name
}

/** What has to come back first. To find regions, one index of several is enough. */
const stillArchived = (wanted: ReadonlyArray<ListedFile>, entry: TrackingEntry): ReadonlyArray<ListedFile> => {
  const cold = wanted.filter(({ archived }) => archived)
  if (!isSlice(entry)) return cold
  const isData = ({ fileName }: ListedFile) => fileName === wantedName(entry)
  return wanted.some((file) => !isData(file) && !file.archived) ? cold.filter(isData) : cold
}
