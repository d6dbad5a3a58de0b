/** What a run over stored requests remembers from one look to the next. */
import type { StoredRequest, StoredRequests } from "../archive/StoredRequests.ts"
import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import type { FileResult } from "./FileResult.ts"
import {
  isSettled,
  type RestorationState,
  type RestorationStatus,
  requestedState,
  resultWithoutTry
} from "./RestorationStatus.ts"

/** What one look at the stored requests found. */
export interface Look {
  /** The status of every request for the service that was in the file since the run began, in the order of the file. */
  readonly statuses: ReadonlyArray<RestorationStatus>
  readonly unusable: StoredRequests["unusable"]
  /** Entries of other services, which are left alone. */
  readonly others: ReadonlyArray<TrackingEntry>
}

export interface ResumeMemory {
  /** The analyses whose restoration this run has asked for. */
  readonly asked: Set<string>
  /** Whether the restoration file has been read. */
  readonly hasRead: () => boolean
  /**
   * Takes what the restoration file holds now; gives the requests that are not settled.
   *
   * @param only - leaves the other requests alone
   */
  readonly reread: (stored: StoredRequests, only: (request: StoredRequest) => boolean) => ReadonlyArray<StoredRequest>
  /** Where a request stands now. `results` of its files; when left out, no file was tried. */
  readonly remember: (stored: StoredRequest, state: RestorationState, results?: ReadonlyArray<FileResult>) => void
  readonly stateOf: (stored: StoredRequest) => RestorationState | undefined
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
      for (const stored of open) {
        const { entry, key } = stored
        if (!statuses.has(key)) remember(stored, requestedState(entry, entry.restoreEstimation, true))
      }
      return open
    },
    remember,
    stateOf: ({ key }) => statuses.get(key)?.state,
    foundLost: ({ key }) => {
      const first = !lost.has(key)
      lost.add(key)
      return first
    },
    look: () => ({ statuses: [...statuses.values()], ...(latest ?? { unusable: [], others: [] }) })
  }
}
