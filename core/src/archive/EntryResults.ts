/** What the report says of the files of an entry that are not there yet. */
import type { Layout } from "../selection/DownloadPlan.ts"
import type { FileType } from "../selection/FileName.ts"
import { type FileResult, type Restoration, stopped, untouched } from "../selection/Report.ts"
import { type Arrival, deliveredBy } from "./Delivery.ts"
import type { Standing } from "./Resume.ts"
import type { StoredPaths } from "./StoredPath.ts"
import type { TrackingEntry } from "./TrackingEntry.ts"

/** What is done where an entry stores nothing. */
export interface Fallback {
  readonly destination: string
  readonly overwrite: boolean
  readonly layout: Layout
  readonly filetypes: ReadonlyArray<FileType>
}

export const destinationOf = (options: TrackingEntry["options"], paths: StoredPaths, fallback: Fallback) =>
  options.destination == null ? fallback.destination : paths.located(options.destination)

/** The result for an entry of which no file was tried. */
export const entryResult = (
  { analysisId, fileName, options }: TrackingEntry,
  state: Standing["state"],
  paths: StoredPaths,
  fallback: Fallback
): FileResult => {
  const folder = (options.layout ?? fallback.layout) === "analysis" ? `/${analysisId}` : ""
  const path = `${destinationOf(options, paths, fallback)}${folder}/${fileName}`
  const file = { analysisId, fileName, path, bytes: null }
  return state._tag === "Failed"
    ? untouched(file, { action: "failed", reason: null, error: state.error })
    : { ...untouched(file, { action: "skipped", reason: "pending", error: null }), restoration: restorationOf(state) }
}

const restorationOf = (state: Standing["state"]): Restoration | null =>
  state._tag === "Pending" ? { requestedAt: state.requestedAt, estimate: state.estimate } : null

/** The results of files that are still to be downloaded. */
export const unfinishedOf = (arrival: Arrival): ReadonlyArray<FileResult> =>
  deliveredBy(arrival).map((fileName) =>
    untouched(
      {
        analysisId: arrival.listing.listed.id,
        fileName,
        path: pathOf(arrival, fileName),
        bytes: sizeOf(arrival, fileName)
      },
      { action: "failed", reason: null, error: stopped }
    )
  )

const pathOf = ({ destination, layout, listing }: Arrival, fileName: string): string =>
  layout === "analysis" ? `${destination}/${listing.listed.id}/${fileName}` : `${destination}/${fileName}`

const sizeOf = ({ files }: Arrival, fileName: string): number | null =>
  files.find((file) => file.fileName === fileName)?.size ?? null
