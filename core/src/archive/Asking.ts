/**
 * Asks the service for the restoration of one analysis, in an order that loses nothing: its entries are durable before the service is
 * asked, so that neither a crash nor a lost answer can leave a restoration that is paid for and forgotten, and its estimate is durable
 * before the user sees it (faults S6, T18, T19).
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import type { AnalysisId } from "../contract/Ids.ts"
import type { ServiceError, TrackingError } from "../Errors.ts"
import { listedOf } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import { keyOf, type NewEntry, optionsKeyOf, requesting, type TrackingEntry } from "./TrackingEntry.ts"
import { entriesOf, put, type ServiceAddress, TrackingFile, type Turn } from "./TrackingFile.ts"
import { mayBeUnderWay, type Restoration } from "./Waiting.ts"

/** A file that has an entry, or gets one. */
export type Tracked = Pick<NewEntry, "analysisId" | "fileName" | "options">

/** Writes what is known of the restoration of `files` into their entries; durable when it returns. */
export const remember = Effect.fnUntraced(function* (
  files: ReadonlyArray<Tracked>,
  { nameOf, target }: ServiceAddress,
  state: Pick<NewEntry, "restoreEstimation" | "requestTime" | "status" | "askedAgain">
) {
  const tracking = yield* TrackingFile
  const entries = files.map(({ analysisId, fileName, options }) => ({
    target,
    analysisId,
    fileName,
    options,
    ...state
  }))
  yield* tracking.change((document) => entries.reduce((changed, entry) => put(changed, entry, nameOf), document))
})

/** The requests that were in the restoration file when a run decided to ask: others were made by other runs since. */
export type Known = ReadonlySet<string>

export const knownIn = (entries: Iterable<TrackingEntry>): Known => new Set(Array.from(entries, requestOf))

/** With its status: one that another run was still making has been answered since. */
const requestOf = ({ analysisId, requestTime, status }: TrackingEntry) =>
  JSON.stringify([analysisId, requestTime, status])

interface Asking<L> {
  readonly known: Known
  /**
   * For entries that were asked for before: why they are not asked for now, by what the file says of them; null when they are. Says
   * so. Absent for a first request.
   */
  readonly again?: (current: ReadonlyArray<TrackingEntry>) => Effect.Effect<L | null>
  readonly failed: (
    error: ServiceError,
    requestTime: string
  ) => Effect.Effect<void, TrackingError, ServiceClient | TrackingFile>
}

/**
 * Asks the service for one analysis. Its entries say so before, so that no request is forgotten, and have the estimate when it returns.
 * Runs that share the restoration file do so in turn: what another one has asked for meanwhile is not paid for twice.
 *
 * @param how - `failed`: what becomes of the entries when there is no estimate, with the time (ISO 8601) that they have as that of the
 *   request
 */
export const requestDurably = Effect.fnUntraced(function* <L = never>(
  analysisId: AnalysisId,
  files: ReadonlyArray<Tracked>,
  service: ServiceAddress,
  how: Asking<L>
): Effect.fn.Return<Restoration | L, ServiceError | TrackingError, ServiceClient | TrackingFile> {
  const { inTurn } = yield* TrackingFile
  while (true) {
    const outcome = yield* inTurn((turn) => requestInTurn(turn, analysisId, files, service, how))
    if (outcome !== null) return outcome
  }
})

/** Null when the turn was lost before the service was asked: what another run has done meanwhile is to be seen first. */
const requestInTurn = Effect.fnUntraced(function* <L>(
  { document, stillOurs }: Turn,
  analysisId: AnalysisId,
  files: ReadonlyArray<Tracked>,
  service: ServiceAddress,
  how: Asking<L>
): Effect.fn.Return<Restoration | L | null, ServiceError | TrackingError, ServiceClient | TrackingFile> {
  const requestTime = DateTime.formatIso(yield* DateTime.now)
  const follow = Effect.fnUntraced(function* (estimate: string | null, requestedAt: string | null, by: string) {
    yield* remember(files, service, { restoreEstimation: estimate, requestTime: requestedAt, status: "pending" })
    yield* sayRequested(analysisId, estimate, by)
    return { requestedAt, estimate }
  })

  const stored = entriesOf(document, service.target, service.nameOf)
  const entries = [...stored.values()].filter((entry) => entry.analysisId === analysisId)
  const now = yield* Clock.currentTimeMillis
  const other = entries.find((entry) => !how.known.has(requestOf(entry)) && mayBeUnderWay(entry, now))
  if (other !== undefined) {
    return yield* follow(other.restoreEstimation, other.requestTime, "requested by another run meanwhile")
  }
  // Its run was killed or got no answer, and that may have been after the service took the request and this run listed the files.
  if (entries.some(({ status }) => status === requesting)) {
    const seen = yield* lookFor(analysisId, files)
    if (seen !== null) return yield* follow(seen.estimate, requestTime, "requested before")
  }
  if (how.again !== undefined) {
    const left = yield* how.again(files.flatMap((file) => stored.get(keyOfFile(file, service)) ?? []))
    if (left !== null) return left
  }

  const asked = { requestTime, ...(how.again === undefined ? {} : { askedAgain: requestTime }) }
  if (!(yield* stillOurs)) return null
  yield* remember(files, service, { restoreEstimation: null, status: requesting, ...asked })
  if (!(yield* stillOurs)) return null
  const restoreEstimation = yield* Effect.tapError(askFor(analysisId, files), (error) => how.failed(error, requestTime))
  yield* remember(files, service, { restoreEstimation, status: "pending", ...asked })
  yield* sayRequested(analysisId, restoreEstimation)
  return { requestedAt: requestTime, estimate: restoreEstimation }
})

const keyOfFile = ({ analysisId, fileName, options }: Tracked, { target }: ServiceAddress) =>
  keyOf(target, { analysisId, fileName, optionsKey: optionsKeyOf(options) })

/** Says what the service answered; the estimate is in the file by then. */
const sayRequested = (analysisId: string, estimate: string | null, how = "requested") => {
  const expected = estimate === null ? "at a time the service does not tell" : `at ${estimate}`
  return Effect.logInfo(printable(`Restoration of analysis ${analysisId} ${how}, expected ${expected}`))
}

/**
 * Asks the service for an analysis; gives its estimate. After a "no" or a lost answer it looks: the restoration may be
 * under way all the same.
 */
const askFor = Effect.fn("svc.archive.askFor")(function* (
  analysisId: AnalysisId,
  files: ReadonlyArray<Tracked>
): Effect.fn.Return<string | null, ServiceError, ServiceClient> {
  const client = yield* ServiceClient
  const answered = Effect.map(client.requestRestore([analysisId]), (items) => {
    // One request asks for one analysis; an item of another one tells nothing of this.
    const item = items.find((item) => (item.analysisId ?? analysisId) === analysisId)
    return item?.restoreEstimation ?? null
  })
  return yield* Effect.catch(
    answered,
    Effect.fnUntraced(function* (error) {
      if (error.scope === "run") return yield* error
      const seen = yield* lookFor(analysisId, files)
      return seen === null ? yield* error : seen.estimate
    })
  )
})

/** The estimate that the listing tells, null where the files are back already; null without any sign of a restoration. */
const lookFor = Effect.fnUntraced(function* (analysisId: AnalysisId, files: ReadonlyArray<Tracked>) {
  const client = yield* ServiceClient
  const listing = yield* Effect.option(client.getFileDownloadLinks(analysisId))
  if (listing._tag === "None") return null
  const { files: listed } = listedOf({ id: analysisId, named: false }, listing.value)
  const ours = listed.filter(({ fileName }) => files.some((file) => file.fileName === fileName))
  const estimates = ours.flatMap(({ estimatedRestoreTime }) => estimatedRestoreTime ?? [])
  if (estimates[0] !== undefined) return { estimate: estimates[0] }
  return ours.length > 0 && ours.every(({ archived }) => !archived) ? { estimate: null } : null
})
