/**
 * Looks at the stored requests: what is back is downloaded as it was asked for and leaves the restoration file at once,
 * what got lost is asked for again, and the rest stays.
 */

import { Clock, Effect, type Path, Stream } from "effect"
import { askAgain, renewalOf, sayLeft } from "../archive/AskAgain.ts"
import {
  finished,
  nameOfEntry,
  type StoredRequest,
  type StoredRequests,
  storedRequests
} from "../archive/StoredRequests.ts"
import type { ServiceAddress } from "../archive/TrackingDocument.ts"
import type { TrackingFile } from "../archive/TrackingFile.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import type { ServiceError, TrackingReadError } from "../Errors.ts"
import { logFailure } from "../FailureLog.ts"
import type { PartFiles } from "../transfer/PartFiles.ts"
import { type CatalogEntry, catalog } from "./Catalog.ts"
import { type Arrival, deliver, unfinishedOf, wishOf } from "./Delivery.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import type { FetchServices } from "./FetchFile.ts"
import { makeLinkBook } from "./LinkBook.ts"
import type { FileResult } from "./Outcome.ts"
import { readinessOf } from "./Readiness.ts"
import { isSettled, type RestorationState, type RestorationStatus, requestedAs, untried } from "./RestorationStatus.ts"
import type { RunObserver } from "./RunObserver.ts"

export interface ResumeRequest {
  /** What is done where an entry says nothing; its `archive.mode` `no` forbids to ask again. */
  readonly fallback: DownloadRequest
  readonly service: ServiceAddress
  /** Download nothing and ask for nothing. */
  readonly statusOnly: boolean
  /** Leaves the other requests alone; all are looked at when it is absent. */
  readonly only?: (request: StoredRequest) => boolean
}

/** What one look at the stored requests found. */
export interface Look {
  /** Of all requests for the service that were in the file since the run began, in their order. */
  readonly statuses: ReadonlyArray<RestorationStatus>
  readonly unusable: StoredRequests["unusable"]
  readonly others: StoredRequests["others"]
}

export interface Resume {
  /** One look. Requests that failed in an earlier look for a reason that does not pass are not tried again. */
  readonly look: Effect.Effect<Look, TrackingReadError, ResumeServices>
  /** Where the requests stand at any moment: what is not finished has failed as stopped. */
  readonly sofar: Effect.Effect<Look>
}

export type ResumeServices = ServiceClient | TrackingFile | FetchServices | PartFiles | Path.Path

/** What one run remembers between its looks. */
interface Memory {
  readonly statuses: Map<string, RestorationStatus>
  /** The analyses whose restoration was asked for. */
  readonly asked: Set<string>
  /** Requests of which it was said why they are not asked for. */
  readonly said: Set<string>
  /** Null before the first look. */
  stored: StoredRequests | null
}

/** A run over the stored requests; nothing is looked at yet. */
export const makeResume = (request: ResumeRequest, observer: RunObserver): Effect.Effect<Resume> =>
  Effect.sync(() => {
    const memory: Memory = { statuses: new Map(), asked: new Set(), said: new Set(), stored: null }
    return { look: look(request, observer, memory), sofar: Effect.sync(() => lookOf(memory)) }
  })

const lookOf = ({ statuses, stored }: Memory): Look => ({
  statuses: [...statuses.values()],
  unusable: stored?.unusable ?? [],
  others: stored?.others ?? []
})

const look = Effect.fn("svc.download.look")(function* (
  request: ResumeRequest,
  observer: RunObserver,
  memory: Memory
): Effect.fn.Return<Look, TrackingReadError, ResumeServices> {
  const open = yield* reread(request, memory)
  const listings = yield* listed(open)
  const { arrivals, lost } = yield* judged(open, listings, request, memory)
  yield* sayFailed(open, memory)
  if (!request.statusOnly) {
    yield* renewed(lost, request, memory)
    yield* delivered(arrivals, listings, request, observer, memory)
  }
  return lookOf(memory)
})

const set = (
  { statuses }: Memory,
  stored: StoredRequest,
  state: RestorationState,
  results: ReadonlyArray<FileResult>
): void => {
  statuses.set(stored.key, { entry: stored.entry, state, results })
}

/** Reads the file again; gives the requests that something may still become of. */
const reread = Effect.fnUntraced(function* (
  { fallback, only = () => true, service }: ResumeRequest,
  memory: Memory
): Effect.fn.Return<ReadonlyArray<StoredRequest>, TrackingReadError, TrackingFile | Path.Path> {
  const before = memory.stored
  const stored = yield* storedRequests(service)
  memory.stored = stored
  if (before === null) yield* Effect.forEach(stored.unusable, (error) => logFailure(error), { discard: true })
  const requests = stored.requests.filter(only)
  const known = new Set(requests.map(({ key }) => key))
  for (const [key, { state }] of memory.statuses) {
    // Somebody else has finished it, or taken it back.
    if (!known.has(key) && state._tag !== "Done") memory.statuses.delete(key)
  }
  const open = requests.filter(({ key }) => !isSettled(memory.statuses.get(key)))
  for (const request of open) {
    if (memory.statuses.has(request.key)) continue
    const state = requestedAs(request.entry, request.entry.restoreEstimation, true)
    set(memory, request, state, [untried(request, state, fallback)])
  }
  return open
})

type Listings = ReadonlyMap<string, CatalogEntry | ServiceError>

/** Asks for the files of each analysis, one analysis after the other. */
const listed = Effect.fnUntraced(function* (requests: ReadonlyArray<StoredRequest>) {
  const ids = new Set(requests.map(({ entry }) => entry.analysisId))
  const listings = new Map<string, CatalogEntry | ServiceError>()
  yield* Stream.runForEach(catalog([...ids].map((id) => ({ id, named: false, older: [] }))), (item) =>
    Effect.sync(() => {
      if (item._tag === "Listed") listings.set(item.entry.listed.id, item.entry)
      else if (item.failure.analysisId !== null) listings.set(item.failure.analysisId, item.failure.error)
    })
  )
  return listings
})

/** Where each request stands by its listing: what has arrived, and what got lost and is to be asked for again. */
const judged = Effect.fnUntraced(function* (
  open: ReadonlyArray<StoredRequest>,
  listings: Listings,
  { fallback, statusOnly }: Pick<ResumeRequest, "fallback" | "statusOnly">,
  memory: Memory
) {
  const now = yield* Clock.currentTimeMillis
  const arrivals: Array<Arrival> = []
  const lost: Array<StoredRequest> = []
  for (const stored of open) {
    const { entry } = stored
    const stand = (state: RestorationState) => set(memory, stored, state, [untried(stored, state, fallback)])
    const listing = listings.get(entry.analysisId)
    if (listing === undefined) continue
    if (!("listed" in listing)) {
      stand({ _tag: "Failed", error: listing })
      continue
    }
    const readiness = readinessOf(entry, listing.listed, fallback.filetypes, now)
    switch (readiness._tag) {
      case "Missing":
        stand({ _tag: "Failed", error: readiness.error })
        break
      case "Restoring":
        stand(requestedAs(entry, readiness.estimate, true))
        break
      case "Archived": {
        const renewal = renewalOf(entry, fallback.archive.mode, now)
        stand(renewal._tag === "Asked" ? requestedAs(entry, null, false) : { _tag: "NotRequested" })
        if (renewal._tag === "Ask") lost.push(stored)
        else if (!statusOnly && !memory.said.has(stored.key)) yield* sayLeft(entry, renewal)
        memory.said.add(stored.key)
        break
      }
      case "Ready": {
        const wish = yield* Effect.result(wishOf(stored, fallback))
        if (wish._tag === "Failure") {
          stand({ _tag: "Failed", error: wish.failure })
          break
        }
        const arrival = { stored, listing, files: readiness.files, wish: wish.success }
        if (statusOnly) stand({ _tag: "Available" })
        else set(memory, stored, { _tag: "Available" }, unfinishedOf(arrival))
        arrivals.push(arrival)
      }
    }
  }
  return { arrivals, lost }
})

const sayFailed = (open: ReadonlyArray<StoredRequest>, { statuses }: Memory) =>
  Effect.forEach(
    open,
    ({ entry, key }) => {
      const state = statuses.get(key)?.state
      if (state?._tag !== "Failed") return Effect.void
      const { message } = state.error
      const name = nameOfEntry(entry)
      return logFailure(state.error, message.startsWith(name) ? message : `${name}: ${message}`)
    },
    { discard: true }
  )

/** Asks again for what got lost. */
const renewed = Effect.fnUntraced(function* (
  lost: ReadonlyArray<StoredRequest>,
  { fallback, service }: ResumeRequest,
  memory: Memory
) {
  if (lost.length === 0) return
  const results = yield* askAgain(
    lost.map(({ entry }) => entry),
    { ...fallback.archive, ...service },
    memory.asked
  )
  for (const stored of lost) {
    const result = results.get(stored.entry)
    if (result === undefined || result._tag === "Left") continue
    const state: RestorationState = result._tag === "Requested" ? { ...result, underWay: true } : result
    set(memory, stored, state, [untried(stored, state, fallback)])
  }
})

/** Downloads what has arrived; a request whose files are all there is finished. */
const delivered = Effect.fnUntraced(function* (
  arrivals: ReadonlyArray<Arrival>,
  listings: Listings,
  { fallback, service }: ResumeRequest,
  observer: RunObserver,
  memory: Memory
): Effect.fn.Return<void, never, ResumeServices> {
  if (arrivals.length === 0) return
  const links = yield* makeLinkBook([...listings.values()].filter((it): it is CatalogEntry => "listed" in it))
  const context = yield* Effect.context<TrackingFile>()
  const common = { ...fallback, target: service.target, links }
  yield* deliver(arrivals, common, observer, (arrival, results, whole) =>
    Effect.gen(function* () {
      const { stored } = arrival
      const { restoreEstimation, requestTime } = stored.entry
      const told = results.map((result) => ({
        ...result,
        restoration: { requestedAt: requestTime, estimate: restoreEstimation }
      }))
      if (!whole) {
        const left = unfinishedOf(arrival).filter(({ fileName }) => told.every((it) => it.fileName !== fileName))
        return set(memory, stored, { _tag: "Available" }, [...told, ...left])
      }
      // Gone back to the archive between the look and the download.
      if (results.some(({ reason }) => reason === "archived")) {
        const state = requestedAs(stored.entry, null, false)
        return set(memory, stored, state, [untried(stored, state, fallback)])
      }
      const failure = results.find(({ error }) => error !== null)?.error ?? null
      const state: RestorationState =
        failure !== null
          ? { _tag: "Failed", error: failure }
          : yield* Effect.match(Effect.provideContext(finished(stored, service), context), {
              onSuccess: (): RestorationState => ({ _tag: "Done" }),
              onFailure: (error): RestorationState => ({ _tag: "Failed", error })
            })
      set(memory, stored, state, told)
    })
  )
})
