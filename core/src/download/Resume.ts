/**
 * One look after the other at the stored requests: what is back is downloaded, what got lost is asked for again, and the rest is left
 * for the next look. `untilBack` repeats looks.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type AskAgainDecision, askAgain, decideToAskAgain, sayLeft } from "../archive/AskAgain.ts"
import { knownIn } from "../archive/Asking.ts"
import { leftError } from "../archive/Requests.ts"
import { removeFinished, type StoredRequest, type StoredRequests, storedRequests } from "../archive/StoredRequests.ts"
import type { ServiceAddress, TrackingFile } from "../archive/TrackingFile.ts"
import { type Found, type Patience, untilRestored } from "../archive/Waiting.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import type { FileError, ServiceError, TrackingReadError } from "../Errors.ts"
import { warnOf } from "../telemetry/FailureLog.ts"
import type { PartFiles } from "../transfer/PartFiles.ts"
import { type CatalogEntry, catalog } from "./Catalog.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import type { FetchServices } from "./FetchFile.ts"
import { type FileResult, failureResult } from "./FileResult.ts"
import {
  availabilityOf,
  awaitedIn,
  fileOfRequest,
  type Look,
  makeResumeMemory,
  type RestorationState,
  type ResumeMemory,
  requestedState,
  wantedName
} from "./RestorationStatus.ts"
import { downloadRestored, type RestoredRequest, restoredOptions } from "./RestoredFiles.ts"
import { restoreRequestOf } from "./Restoring.ts"
import { ownersOf, tell } from "./RunEvents.ts"
import { runLinks } from "./RunLinks.ts"

export interface ResumeRequest {
  /** What is done where an entry says nothing; `archive.mode` `no` in it forbids asking again. */
  readonly fallback: DownloadRequest
  readonly service: ServiceAddress
  /** Download nothing and ask for nothing. */
  readonly statusOnly: boolean
  /** Leaves the other requests alone; all are looked at when it is absent. */
  readonly only?: (request: StoredRequest) => boolean
}

export interface Resume {
  /** One look. Requests that failed in an earlier look for a reason that does not pass are not tried again. */
  readonly look: Effect.Effect<Look, TrackingReadError, ResumeServices>
}

export type ResumeServices = ServiceClient | TrackingFile | FetchServices | PartFiles | Path.Path

/** A run over the stored requests; nothing is looked at yet. */
export const makeResume = (request: ResumeRequest): Effect.Effect<Resume> =>
  Effect.sync(() => {
    const memory = makeResumeMemory(request.fallback)
    return { look: look(request, memory) }
  })

const look = Effect.fn("svc.download.look")(function* (
  request: ResumeRequest,
  memory: ResumeMemory
): Effect.fn.Return<Look, TrackingReadError, ResumeServices> {
  const { fallback, service, statusOnly } = request
  const stored = yield* storedRequests(service)
  if (!memory.hasRead()) {
    for (const error of stored.unusable) yield* tell({ _tag: "Failed", result: failureResult(null, error) })
  }
  const { added, open } = memory.reread(stored, request.only ?? (() => true))
  const places = added.map((stored) => fileOfRequest(stored, fallback))
  for (const [destination, those] of Map.groupBy(places, (place) => place.destination)) {
    const files = those.map(({ file }) => ({ ...file, decision: { _tag: "Skip", reason: "pending" } as const }))
    yield* tell({ _tag: "Planned", files, destination })
  }
  const awaiting = Effect.suspend(() => tell({ _tag: "Awaiting", restorations: awaitedIn(memory.look()) }))
  yield* awaiting
  const listings = yield* listAnalyses(open)
  const entries = [...listings.values()].filter((listing) => "listed" in listing)
  yield* tell({ _tag: "Listed", owners: ownersOf(entries) })
  const { lost, restored } = yield* judgeAll(open, listings, request, memory)
  if (!statusOnly) yield* askAgainForLost(lost, stored, request, memory)
  yield* awaiting
  const fetched = statusOnly ? [] : restored
  const tried = new Set(fetched.map(({ stored }) => stored))
  for (const stored of open.filter((one) => !tried.has(one))) {
    const { file } = fileOfRequest(stored, fallback)
    for (const result of memory.resultsOf(stored)) yield* tell({ _tag: "Finished", file, result })
  }
  yield* downloadAll(fetched, entries, request, memory)
  return memory.look()
})

type Listings = ReadonlyMap<string, CatalogEntry | ServiceError>

/** Asks for the files of each analysis, one analysis after the other. */
const listAnalyses = Effect.fnUntraced(function* (requests: ReadonlyArray<StoredRequest>) {
  const ids = new Set(requests.map(({ entry }) => entry.analysisId))
  const listings = new Map<string, CatalogEntry | ServiceError>()
  yield* Stream.runForEach(catalog([...ids].map((analysisId) => ({ analysisId, named: false, older: [] }))), (item) =>
    Effect.sync(() => {
      if (item._tag === "Listed") listings.set(item.entry.listed.analysisId, item.entry)
      else if (item.failure.analysisId !== null) listings.set(item.failure.analysisId, item.failure.error)
    })
  )
  return listings
})

/** Judges each request by its listing, and remembers where it stands; gives those that are to be downloaded or asked for again. */
const judgeAll = Effect.fnUntraced(function* (
  open: ReadonlyArray<StoredRequest>,
  listings: Listings,
  request: ResumeRequest,
  memory: ResumeMemory
) {
  const now = yield* Clock.currentTimeMillis
  const restored: Array<RestoredRequest> = []
  const lost: Array<LostRequest> = []
  for (const stored of open) {
    const listing = listings.get(stored.entry.analysisId)
    if (listing === undefined) continue
    const judgement = yield* judge(stored, listing, request, now)
    if (judgement._tag === "Stands") memory.remember(stored, judgement.state)
    else if (judgement._tag === "Restored") {
      memory.remember(stored, { _tag: "Available" })
      restored.push(judgement.request)
    } else {
      const { decision } = judgement
      const asked = decision._tag === "Asked"
      memory.remember(stored, asked ? requestedState(stored.entry, null, false) : { _tag: "NotRequested" })
      const isNew = memory.foundLost(stored)
      if (decision._tag === "Ask") lost.push({ stored, isNew })
      else if (isNew && !request.statusOnly) yield* sayLeft(stored.entry, decision)
    }
  }
  return { restored, lost }
})

/** A request to ask for again; `isNew`: no look before this one found it lost, and why it is left is said now or never. */
interface LostRequest {
  readonly stored: StoredRequest
  readonly isNew: boolean
}

/** What a look makes of one request. */
type Judgement =
  /** There is nothing to do for it now. */
  | { readonly _tag: "Stands"; readonly state: RestorationState }
  /** Archived, and no restoration is under way: whether it is asked for again. */
  | { readonly _tag: "Lost"; readonly decision: AskAgainDecision }
  /** All its files can be downloaded. */
  | { readonly _tag: "Restored"; readonly request: RestoredRequest }

const failed = (error: FileError): Judgement => ({ _tag: "Stands", state: { _tag: "Failed", error } })

/** @param now - ms since 1970 */
const judge = Effect.fnUntraced(function* (
  stored: StoredRequest,
  listing: CatalogEntry | ServiceError,
  { fallback, statusOnly }: ResumeRequest,
  now: number
): Effect.fn.Return<Judgement, never, FetchServices> {
  const { entry } = stored
  if (!("listed" in listing)) return failed(listing)
  const availability = availabilityOf(entry, listing.listed, fallback.filetypes, now)
  switch (availability._tag) {
    case "Missing":
      return failed(availability.error)
    case "Restoring":
      return { _tag: "Stands", state: requestedState(entry, availability.estimate, true) }
    case "Archived": {
      const decision = decideToAskAgain(entry, fallback.archive.mode, now)
      return decision._tag === "Leave" && fallback.requireAll === true && !statusOnly
        ? failed(leftError({ ...entry, fileName: wantedName(entry) }, decision.reason))
        : { _tag: "Lost", decision }
    }
    case "Available":
      return Result.match(yield* Effect.result(restoredOptions(stored, fallback)), {
        onFailure: failed,
        onSuccess: (options) => ({
          _tag: "Restored",
          request: { stored, listing, files: availability.files, options }
        })
      })
  }
})

const askAgainForLost = Effect.fnUntraced(function* (
  lost: ReadonlyArray<LostRequest>,
  { requests }: StoredRequests,
  { fallback, service }: ResumeRequest,
  memory: ResumeMemory
) {
  if (lost.length === 0) return
  const results = yield* askAgain(
    lost.map(({ stored }) => stored.entry),
    restoreRequestOf(fallback, service),
    memory.asked,
    knownIn(requests.map(({ entry }) => entry))
  )
  for (const { isNew, stored } of lost) {
    const result = results.get(stored.entry)
    if (result === undefined) continue
    if (isNew && (result._tag === "Asked" || result._tag === "Leave")) yield* sayLeft(stored.entry, result)
    if (result._tag === "Leave") continue
    if (result._tag === "Asked") memory.remember(stored, requestedState(stored.entry, null, false))
    else memory.remember(stored, result._tag === "Requested" ? { ...result, underWay: true } : result)
  }
})

/** Downloads what has been restored; a request whose files are all there is finished. */
const downloadAll = Effect.fnUntraced(function* (
  restored: ReadonlyArray<RestoredRequest>,
  entries: ReadonlyArray<CatalogEntry>,
  { fallback, service }: ResumeRequest,
  memory: ResumeMemory
): Effect.fn.Return<void, never, ResumeServices> {
  if (restored.length === 0) return
  const links = yield* runLinks(entries)
  const context = yield* Effect.context<TrackingFile>()
  yield* downloadRestored(restored, { ...fallback, target: service.target, links }, ({ stored }, results) =>
    Effect.map(Effect.provideContext(stateAfter(stored, results, service), context), (state) =>
      memory.remember(stored, state, results)
    )
  )
})

/** Where a request stands whose files all have results: it leaves the restoration file when none has failed. */
const stateAfter = (
  stored: StoredRequest,
  results: ReadonlyArray<FileResult>,
  service: ServiceAddress
): Effect.Effect<RestorationState, never, TrackingFile> => {
  const failure = results.find((result) => result._tag === "Failed")
  if (failure !== undefined) return Effect.succeed({ _tag: "Failed", error: failure.error })
  return Effect.match(removeFinished(stored, service), {
    onSuccess: (): RestorationState => ({ _tag: "Done" }),
    onFailure: (error): RestorationState => ({ _tag: "Failed", error })
  })
}

/** A failure of a whole look, which says of itself whether another look may not meet it. */
export interface LookFailure {
  readonly _tag: string
  readonly message: string
  readonly retryable: boolean
}

/** What passes in the middle of a wait though it is final at its beginning: certificates and proxies are renewed, rights are given back. */
const passing: ReadonlySet<string> = new Set(["SvcTlsRefused", "SvcProxyRefused", "SvcForbidden", "SvcReplyMalformed"])

/**
 * Looks until nothing may come back any more, or the time is up; gives the last look. Who waits gets over a service that is away for
 * some time, and once a look has worked over all but a refused login; when it is away at the last look, that is the failure of the run,
 * as any other failure is at once.
 *
 * @param look - one look, with a session of its own
 * @param asleep - called before each sleep with its length, with the longest time that the waiting may still take, and with how the run
 *   would fail if the waiting were over; null when the last look would be its result
 */
export const untilBack = Effect.fn("svc.download.untilBack")(function* <E extends LookFailure, R>(
  look: Effect.Effect<Look, E, R>,
  patience: Patience,
  asleep: (sleep: Duration.Duration, left: Duration.Duration, error: E | null) => Effect.Effect<void>
): Effect.fn.Return<Look, E, R> {
  const waits = !Duration.isZero(patience.wait)
  let worked = false
  const attempt = Effect.gen(function* (): Effect.fn.Return<Found<Result.Result<Look, E>>, E, R> {
    const result = yield* Effect.result(look)
    if (Result.isSuccess(result)) {
      worked = true
      return { value: result, awaited: expectedIn(result.success) }
    }
    const error = result.failure
    if (!waits || !(error.retryable || (worked && passing.has(error._tag)))) return yield* Effect.fail(error)
    yield* warnOf(error)
    return { value: result, awaited: [null] }
  })
  const last = yield* untilRestored(attempt, patience, (result, sleep, left) =>
    asleep(sleep, left, Result.isFailure(result) ? result.failure : null)
  )
  return yield* Effect.fromResult(last)
})

/** What may still come back: what was requested, and what failed for a reason that passes. */
export const expectedIn = ({ statuses }: Look): ReadonlyArray<string | null> =>
  statuses.flatMap(({ state }) => {
    if (state._tag === "Requested") return [state.estimate]
    return state._tag === "Failed" && state.error.retryable ? [null] : []
  })
