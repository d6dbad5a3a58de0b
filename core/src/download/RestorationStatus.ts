/**
 * Where stored requests stand: what the service says now about a file that waits for its restoration, what a run remembers of it from
 * one look to the next, and what a report says while the file is not there. Pure.
 */
import * as Result from "effect/Result"
import type { StoredRequest, StoredRequests } from "../archive/StoredRequests.ts"
import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import { mayBeUnderWay, type Restoration } from "../archive/Waiting.ts"
import { type EntryUnusable, type FileError, NotFound } from "../Errors.ts"
import { dataFileOf, type FileType, fileTypeOf, indexRank } from "../selection/FileName.ts"
import { outputPathOf, type SliceForm, sliceForm } from "../selection/OutputPath.ts"
import type { RunFile } from "../selection/RunFile.ts"
import type { ListedAnalysis, ListedFile } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type FailedResult, type FileResult, failedFile, failureResult, identity } from "./FileResult.ts"
import type { Awaited } from "./RunEvent.ts"

/**
 * Where one request stands after a look.
 *
 * @category models
 * @since 0.1.0
 */
export interface RestorationStatus {
  readonly entry: TrackingEntry
  readonly state: RestorationState
  /** The result of each of its files. */
  readonly results: ReadonlyArray<FileResult>
}

/**
 * Requested, back, downloaded, or failed.
 *
 * @category models
 * @since 0.1.0
 */
export type RestorationState =
  | { readonly _tag: "Done" }
  /** Back, but only the status was asked for, or it is not downloaded yet. */
  | { readonly _tag: "Available" }
  /** Asked for. `underWay`: whether the service reports it; `estimate` as written, null when unknown. */
  | ({ readonly _tag: "Requested"; readonly underWay: boolean } & Restoration)
  /** Archived, and this run asks for nothing. */
  | { readonly _tag: "NotRequested" }
  | { readonly _tag: "Failed"; readonly error: FileError }

export const requestedState = (
  { requestTime }: TrackingEntry,
  estimate: string | null,
  underWay: boolean
): RestorationState => ({ _tag: "Requested", requestedAt: requestTime, estimate, underWay })

/**
 * True for the final states: `Done`, and `Failed` for a reason that no later look removes. Every other state may still change.
 *
 * **Example** (Looking until all are back)
 *
 * ```ts
 * import { Effect, Schedule } from "effect"
 * import { Downloads, Restorations } from "svc-steps"
 *
 * const wait = Effect.fn(function* (options: Downloads.DownloadOptions) {
 *   const { look } = yield* Downloads.Downloads.use((downloads) => downloads.resume(options))
 *   return yield* Effect.repeat(look, {
 *     schedule: Schedule.spaced("30 minutes"),
 *     until: ({ statuses }) => statuses.every(Restorations.isSettled)
 *   })
 * })
 * ```
 *
 * @category predicates
 * @since 0.1.0
 */
export const isSettled = (status: RestorationStatus | undefined): boolean =>
  status?.state._tag === "Done" || (status?.state._tag === "Failed" && !status.state.error.retryable)

/** The file of a request as it is told of, and the folder that it goes into. */
export const fileOfRequest = (
  { destination, entry }: StoredRequest,
  fallback: DownloadRequest
): { readonly file: RunFile; readonly destination: string } => {
  const { analysisId, options } = entry
  const fileName = wantedName(entry)
  const { folder, slice } = outputPathOf({ analysisId, fileName }, options.layout ?? fallback.layout, formOf(entry))
  const file: RunFile = {
    analysisId,
    fileName,
    folder,
    // An entry of no type is not read.
    type: fileTypeOf(fileName) ?? "bam",
    size: null,
    archived: true,
    estimatedRestoreTime: entry.restoreEstimation,
    slice: slice == null ? null : { ...slice, estimate: null }
  }
  return { file, destination: Result.getOrElse(destination, () => options.destination ?? null) ?? fallback.destination }
}

/** The result for a request of which no file was tried. */
const resultWithoutTry = (stored: StoredRequest, state: RestorationState, fallback: DownloadRequest): FileResult => {
  const place = fileOfRequest(stored, fallback)
  const file = identity(place.file, place)
  if (state._tag === "Failed") return failedFile(file, state.error)
  const restoration = state._tag === "Requested" ? { requestedAt: state.requestedAt, estimate: state.estimate } : null
  // Pending is only what is under way.
  return state._tag === "NotRequested" || (state._tag === "Requested" && !state.underWay)
    ? { _tag: "Skipped", ...file, restoration, reason: "archived" }
    : { _tag: "Pending", ...file, restoration }
}

/**
 * What one look at the stored requests found.
 *
 * @category models
 * @since 0.1.0
 */
export interface Look {
  /** The status of every request for the service that was in the file since the run began, in the order of the file. */
  readonly statuses: ReadonlyArray<RestorationStatus>
  readonly unusable: ReadonlyArray<EntryUnusable>
  /** Entries of other services, which are left alone. */
  readonly others: ReadonlyArray<TrackingEntry>
}

/** The requests that something is still awaited of. */
export const awaitedIn = ({ statuses }: Look): ReadonlyArray<Awaited> =>
  statuses.flatMap(({ state }) => (state._tag === "Requested" ? [state] : []))

/** The files of a request are there, but its entry could not be taken out of the restoration file (fault T20). */
export const entryFailures = ({ statuses }: Look): ReadonlyArray<FailedResult> =>
  statuses.flatMap(({ entry, results, state }) =>
    state._tag === "Failed" && results.every(({ _tag }) => _tag !== "Failed")
      ? [failureResult(entry.analysisId, state.error)]
      : []
  )

export interface ResumeMemory {
  /** The analyses whose restoration this run has asked for. */
  readonly asked: Set<string>
  /** Whether the restoration file has been read. */
  readonly hasRead: () => boolean
  /**
   * Takes what the restoration file holds now; gives the requests that are not settled, and those of them that are new.
   *
   * @param only - leaves the other requests alone
   */
  readonly reread: (
    stored: StoredRequests,
    only: (request: StoredRequest) => boolean
  ) => { readonly open: ReadonlyArray<StoredRequest>; readonly added: ReadonlyArray<StoredRequest> }
  /** Where a request stands now. `results` of its files; when left out, no file was tried. */
  readonly remember: (stored: StoredRequest, state: RestorationState, results?: ReadonlyArray<FileResult>) => void
  readonly resultsOf: (stored: StoredRequest) => ReadonlyArray<FileResult>
  /** True when this request was found lost for the first time: why it is left is said once. */
  readonly foundLost: (stored: StoredRequest) => boolean
  /** Where all requests stand. */
  readonly look: () => Look
}

/** @param fallback - says where files go of which an entry does not */
export const makeResumeMemory = (fallback: DownloadRequest): ResumeMemory => {
  const statuses = new Map<string, RestorationStatus>()
  const lost = new Set<string>()
  let latest: Pick<Look, "unusable" | "others"> | null = null

  const remember: ResumeMemory["remember"] = (stored, state, results = [resultWithoutTry(stored, state, fallback)]) =>
    void statuses.set(stored.key, { entry: stored.entry, state, results })

  return {
    asked: new Set(),
    hasRead: () => latest !== null,
    reread: ({ others, requests, unusable }, only) => {
      latest = { unusable, others }
      const ours = requests.filter(only)
      const known = new Set(ours.map(({ key }) => key))
      for (const [key, { state }] of statuses) {
        // Another run has finished it, or somebody removed it.
        if (!known.has(key) && state._tag !== "Done") statuses.delete(key)
      }
      const open = ours.filter(({ key }) => !isSettled(statuses.get(key)))
      const added = open.filter(({ key }) => !statuses.has(key))
      for (const stored of added) remember(stored, requestedState(stored.entry, stored.entry.restoreEstimation, true))
      return { added, open }
    },
    remember,
    resultsOf: ({ key }) => statuses.get(key)?.results ?? [],
    foundLost: ({ key }) => {
      const first = !lost.has(key)
      lost.add(key)
      return first
    },
    look: () => ({ statuses: [...statuses.values()], ...(latest ?? { unusable: [], others: [] }) })
  }
}

/**
 * How far the files of a stored request are. A data file and the index that its entry asks for are one thing: neither is
 * delivered while the other is archived (fault L13). The flags of the listing decide, never a clock.
 */
export type Availability =
  /** All of them can be downloaded. */
  | { readonly _tag: "Available"; readonly files: ReadonlyArray<ListedFile> }
  /** Being restored, as the service says or as there is reason to believe. `estimate` as written. */
  | { readonly _tag: "Restoring"; readonly estimate: string | null }
  /** Archived, and there is no sign of a restoration: it was never begun, is very late, or its copy is gone again. */
  | { readonly _tag: "Archived" }
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
    const detail = "the service does not list the file any more"
    return { _tag: "Missing", error: new NotFound({ what, detail }) }
  }
  const wanted = files.filter((file) => belongsTo(file, entry, filetypes))
  const cold = stillArchived(wanted, entry)
  if (cold.length === 0) return { _tag: "Available", files: wanted }
  const estimates = cold.flatMap(({ estimatedRestoreTime }) => estimatedRestoreTime ?? [])
  if (estimates[0] !== undefined) return { _tag: "Restoring", estimate: estimates[0] }
  return mayBeUnderWay(entry, now) ? { _tag: "Restoring", estimate: entry.restoreEstimation } : { _tag: "Archived" }
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

/** What has to come back first. To find regions, one index of several is enough, when it has a link. */
const stillArchived = (wanted: ReadonlyArray<ListedFile>, entry: TrackingEntry): ReadonlyArray<ListedFile> => {
  const cold = wanted.filter(({ archived }) => archived)
  if (!isSlice(entry)) return cold
  const isData = ({ fileName }: ListedFile) => fileName === wantedName(entry)
  return wanted.some((file) => !isData(file) && !file.archived && file.hasLink) ? cold.filter(isData) : cold
}
