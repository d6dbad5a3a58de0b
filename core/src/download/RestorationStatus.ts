/** Where a stored request stands, and what a report says of it while its file is not there. */
import * as Result from "effect/Result"
import type { Restoration } from "../archive/Restoration.ts"
import type { StoredRequest } from "../archive/StoredRequests.ts"
import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import { finalPath, outputPathOf } from "../selection/OutputPath.ts"
import { formOf, wantedName } from "./Availability.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type FileResult, reasonOfFailure, untransferredResult } from "./FileResult.ts"

/** Where one request stands after a look. */
export interface RestorationStatus {
  readonly entry: TrackingEntry
  readonly state: RestorationState
  /** The result of each of its files. */
  readonly results: ReadonlyArray<FileResult>
}

/** Requested, back, downloaded, or failed. */
export type RestorationState =
  | { readonly _tag: "Done" }
  /** Back, but only the status was asked for, or it is not downloaded yet. */
  | { readonly _tag: "Available" }
  /** Asked for. `underWay`: whether the service reports it; `estimate` as written, null when unknown. */
  | ({ readonly _tag: "Requested"; readonly underWay: boolean } & Restoration)
  /** Archived, and this run asks for nothing. */
  | { readonly _tag: "NotRequested" }
  | { readonly _tag: "Failed"; readonly error: NonNullable<FileResult["error"]> }

export const requestedState = (
  { requestTime }: TrackingEntry,
  estimate: string | null,
  underWay: boolean
): RestorationState => ({ _tag: "Requested", requestedAt: requestTime, estimate, underWay })

/** True for the final states: `Done`, and `Failed` for a reason that no later look removes. Every other state may still change. */
export const isSettled = (status: RestorationStatus | undefined): boolean =>
  status?.state._tag === "Done" || (status?.state._tag === "Failed" && !status.state.error.retryable)

/** The result for a request of which no file was tried. */
export const resultWithoutTry = (
  { destination, entry }: StoredRequest,
  state: RestorationState,
  fallback: DownloadRequest
): FileResult => {
  const { analysisId, options } = entry
  const fileName = wantedName(entry)
  const folder = Result.getOrElse(destination, () => options.destination ?? null) ?? fallback.destination
  const place = outputPathOf({ analysisId, fileName }, options.layout ?? fallback.layout, formOf(entry))
  const file = { analysisId, fileName, path: finalPath(folder, place), bytes: null }
  if (state._tag === "Failed") {
    const { error } = state
    return untransferredResult(file, { action: "failed", reason: reasonOfFailure(error), error })
  }
  // Pending is only what is under way.
  const reason =
    state._tag === "NotRequested" || (state._tag === "Requested" && !state.underWay) ? "archived" : "pending"
  const restoration = state._tag === "Requested" ? { requestedAt: state.requestedAt, estimate: state.estimate } : null
  return { ...untransferredResult(file, { action: "skipped", reason, error: null }), restoration }
}
