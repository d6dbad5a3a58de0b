/** What the report says of the files of an entry that are not there yet. */
import { Result } from "effect"
import type { Restoration } from "../archive/Restoration.ts"
import type { StoredPaths } from "../archive/StoredPath.ts"
import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import type { FileType } from "../selection/FileName.ts"
import { finalPath, type Layout, type Place, placeOf, sliceForm } from "../selection/Place.ts"
import { type FileResult, untouched } from "./Outcome.ts"
import type { Standing } from "./Resume.ts"

/** What is done where an entry stores nothing. */
export interface Fallback {
  readonly destination: string
  readonly overwrite: boolean
  readonly layout: Layout
  readonly filetypes: ReadonlyArray<FileType>
}

/** Where an entry wants its file; fails with a reason for a person when its relative path leads nowhere certain. */
export const destinationOf = (
  { destination, restorationFile }: TrackingEntry["options"],
  paths: StoredPaths,
  fallback: Fallback
): Result.Result<string, string> =>
  destination == null ? Result.succeed(fallback.destination) : paths.located(destination, restorationFile ?? null)

/** The place of the file of an entry, also while it is not there. */
const placeOfEntry = ({ analysisId, fileName, options }: TrackingEntry, fallback: Fallback): Place => {
  const { bed, layout, range, unmapped } = options
  const form = sliceForm({ regions: range != null || bed != null, unmapped: unmapped === true })
  return placeOf({ analysisId, fileName }, layout ?? fallback.layout, form)
}

/** The result for an entry of which no file was tried. */
export const entryResult = (
  entry: TrackingEntry,
  state: Standing["state"],
  paths: StoredPaths,
  fallback: Fallback
): FileResult => {
  const { analysisId, fileName, options } = entry
  const destination = Result.getOrElse(destinationOf(options, paths, fallback), () => options.destination ?? "")
  const path = finalPath(destination, placeOfEntry(entry, fallback))
  const file = { analysisId, fileName, path, bytes: null }
  if (state._tag === "Failed") return untouched(file, { action: "failed", reason: null, error: state.error })
  // Pending is only what is under way.
  const reason =
    state._tag === "NotRequested" || (state._tag === "Requested" && !state.underWay) ? "archived" : "pending"
  return { ...untouched(file, { action: "skipped", reason, error: null }), restoration: restorationOf(state) }
}

const restorationOf = (state: Standing["state"]): Restoration | null =>
  state._tag === "Requested" ? { requestedAt: state.requestedAt, estimate: state.estimate } : null
