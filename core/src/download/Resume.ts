/**
 * Looks at the restorations of a file: what is back is downloaded with the options stored for it and its entry removed at
 * once; the rest stays (docs/service.md 4.2).
 */

import { Clock, Effect, type FileSystem, type Path, type Result, Stream } from "effect"
import { askAgain, type Renewal, renewalOf, sayLeft } from "../archive/AskAgain.ts"
import type { RestoreRequest } from "../archive/Requests.ts"
import type { Restoration } from "../archive/Restoration.ts"
import { type StoredPaths, storedPaths } from "../archive/StoredPath.ts"
import { entriesOf, keyOfItem, othersIn, type TrackingDocument, without } from "../archive/TrackingDocument.ts"
import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import { TrackingFile } from "../archive/TrackingFile.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import {
  EntryUnusable,
  type LocalIo,
  type NotFound,
  type ServiceError,
  type TrackingReadError,
  type UsageError
} from "../Errors.ts"
import type { Codec } from "../genome/Codec.ts"
import type { Operator } from "../settings/Operator.ts"
import { counted } from "../text/Counted.ts"
import { printable } from "../text/Printable.ts"
import type { FileTransfer } from "../transfer/FileTransfer.ts"
import type { PartFiles } from "../transfer/PartFiles.ts"
import type { SliceWish } from "../transfer/SliceRequest.ts"
import type { SliceTransfer } from "../transfer/SliceTransfer.ts"
import { type CatalogEntry, catalog } from "./Catalog.ts"
import { type Arrival, deliver, type Observe, unfinishedOf } from "./Delivery.ts"
import { destinationOf, entryResult, type Fallback } from "./EntryResults.ts"
import { makeLinkBook } from "./LinkBook.ts"
import type { FileResult } from "./Outcome.ts"
import { readinessOf } from "./Readiness.ts"

export interface ResumeRequest extends RestoreRequest {
  /** What is done where an entry stores nothing, as entries of the object layout do. */
  readonly fallback: Fallback
  /** The regions of stored options, with a located path to a BED file; null for whole files. */
  readonly wishOf: (stored: StoredRegions) => Effect.Effect<SliceWish | null, WishError, FileSystem.FileSystem>
  readonly connections: number
  /** Files this run writes itself, with what they are. */
  readonly own: ReadonlyMap<string, string>
  /** Download nothing and ask for nothing. */
  readonly statusOnly: boolean
}

export interface StoredRegions {
  readonly range: string | null
  readonly bed: string | null
  readonly unmapped: boolean
}

/** Stored regions are checked as those of the command line are. */
type WishError = UsageError | NotFound | LocalIo

/** Where one entry stands after a look. */
export interface Standing {
  readonly entry: TrackingEntry
  readonly state:
    | { readonly _tag: "Done" }
    /** Back, but only the status was asked for. */
    | { readonly _tag: "Available" }
    /** Asked for, and under way as far as the service tells; `estimate` as written, null when nobody knows. */
    | ({ readonly _tag: "Requested"; readonly underWay: boolean } & Restoration)
    /** Archived, and this run asks for nothing. */
    | { readonly _tag: "NotRequested" }
    | { readonly _tag: "Failed"; readonly error: NonNullable<FileResult["error"]> }
  /** Of its files. */
  readonly results: ReadonlyArray<FileResult>
}

export interface Look {
  /** Of all entries for this target that were in the file since the run began, in their order. */
  readonly standings: ReadonlyArray<Standing>
  /** Entries that nobody can use. */
  readonly unusable: ReadonlyArray<EntryUnusable>
  /** Entries of other targets, which are left alone. */
  readonly others: ReadonlyArray<TrackingEntry>
}

export interface Resume {
  /** One look. Entries that failed in an earlier look for a reason that does not pass are not tried again. */
  readonly look: Effect.Effect<Look, TrackingReadError, Services>
  /** Where the entries stand at any moment: what is not finished has failed as stopped, what was not looked at is pending. */
  readonly sofar: Effect.Effect<Look>
}

type Services = ServiceClient | TrackingFile | Operator | FileTransfer | SliceTransfer | PartFiles | Codec | Common
type Common = FileSystem.FileSystem | Path.Path

/** What one run remembers between its looks. */
interface Memory {
  readonly standings: Map<string, Standing>
  /** The analyses whose restoration was asked for. */
  readonly asked: Set<string>
  /** Entries of which it was said why they are not asked for. */
  readonly said: Set<string>
  /** Null before the first look. */
  unusable: ReadonlyArray<EntryUnusable> | null
  others: ReadonlyArray<TrackingEntry>
}

const lookOf = ({ others, standings, unusable }: Memory): Look => ({
  standings: [...standings.values()],
  others,
  unusable: unusable ?? []
})

export const makeResume = (request: ResumeRequest, observe: Observe): Effect.Effect<Resume> =>
  Effect.sync(() => {
    const memory: Memory = { standings: new Map(), asked: new Set(), said: new Set(), unusable: null, others: [] }
    return { look: look(request, observe, memory), sofar: Effect.sync(() => lookOf(memory)) }
  })

const look = Effect.fn("archive.look")(function* (
  request: ResumeRequest,
  observe: Observe,
  memory: Memory
): Effect.fn.Return<Look, TrackingReadError, Services> {
  const tracking = yield* TrackingFile
  const paths = yield* storedPaths(tracking.path)
  const document = yield* tracking.read
  const unusable = document.items.flatMap(({ problem }, index) =>
    problem === null ? [] : new EntryUnusable({ path: tracking.path, position: index + 1, reason: printable(problem) })
  )
  memory.others = othersIn(document, request.target, request.nameOf)
  const told = memory.unusable !== null
  memory.unusable = unusable
  if (!told) yield* Effect.forEach(unusable, ({ message }) => Effect.logError(message), { discard: true })
  const entries = [...entriesOf(document, request.target, request.nameOf)]
  for (const key of memory.standings.keys()) {
    // Somebody else has finished it, or taken it back.
    if (!entries.some(([known]) => known === key) && memory.standings.get(key)?.state._tag !== "Done") {
      memory.standings.delete(key)
    }
  }
  const open = entries.filter(([key]) => !isSettled(memory.standings.get(key)))
  const set = (key: string, entry: TrackingEntry, state: Standing["state"], results?: ReadonlyArray<FileResult>) =>
    memory.standings.set(key, {
      entry,
      state,
      results: results ?? [entryResult(entry, state, paths, request.fallback)]
    })
  for (const [key, entry] of open) {
    if (memory.standings.has(key)) continue
    set(key, entry, requestedAs(entry, entry.restoreEstimation, true))
  }
  const { failures, listings } = yield* listed(open.map(([, { analysisId }]) => analysisId))
  const now = yield* Clock.currentTimeMillis

  const arrivals: Array<Arrival> = []
  const cold = new Map<TrackingEntry, string>()
  for (const [key, entry] of open) {
    const listing = listings.get(entry.analysisId)
    if (listing === undefined) {
      const error = failures.get(entry.analysisId)
      if (error !== undefined) set(key, entry, { _tag: "Failed", error })
      continue
    }
    const readiness = readinessOf(entry, listing.listed, request.fallback.filetypes, now)
    switch (readiness._tag) {
      case "Missing":
        set(key, entry, { _tag: "Failed", error: readiness.error })
        break
      case "Restoring":
        set(key, entry, requestedAs(entry, readiness.estimate, true))
        break
      case "Archived": {
        const renewal = renewalOf(entry, request.mode, now)
        if (renewal._tag === "Asked") set(key, entry, requestedAs(entry, null, false))
        else set(key, entry, { _tag: "NotRequested" })
        if (request.statusOnly) break
        if (renewal._tag === "Ask") cold.set(entry, key)
        else if (!memory.said.has(key)) yield* sayLeft(entry, reasonOf(renewal))
        memory.said.add(key)
        break
      }
      case "Ready": {
        const located = yield* Effect.result(locatedOf(entry, document, paths, request))
        if (located._tag === "Failure") {
          set(key, entry, { _tag: "Failed", error: located.failure })
          break
        }
        const arrival = { key, fileName: entry.fileName, listing, files: readiness.files, ...located.success }
        set(key, entry, { _tag: "Available" }, request.statusOnly ? undefined : unfinishedOf(arrival))
        arrivals.push(arrival)
      }
    }
  }
  for (const { entry, state } of open.flatMap(([key]) => memory.standings.get(key) ?? [])) {
    if (state._tag !== "Failed") continue
    const { message } = state.error
    yield* Effect.logError(message.startsWith(nameOf(entry)) ? message : `${nameOf(entry)}: ${message}`)
  }
  if (!request.statusOnly) {
    for (const [entry, result] of yield* askAgain([...cold.keys()], request, memory.asked)) {
      const key = cold.get(entry) ?? ""
      if (result._tag === "Requested") set(key, entry, { ...result, underWay: true })
      if (result._tag === "Failed") set(key, entry, result)
    }
    const links = yield* makeLinkBook([...listings.values()])
    const delivery = { target: request.target, connections: request.connections, links, own: request.own }
    yield* deliver(arrivals, delivery, observe, (arrival, results, whole) =>
      Effect.gen(function* () {
        const entry = memory.standings.get(arrival.key)?.entry
        if (entry === undefined) return
        const restoration = { requestedAt: entry.requestTime, estimate: entry.restoreEstimation }
        const told = results.map((result) => ({ ...result, restoration }))
        if (!whole) {
          const left = unfinishedOf(arrival).filter(({ fileName }) => told.every((it) => it.fileName !== fileName))
          set(arrival.key, entry, { _tag: "Available" }, [...told, ...left])
          return
        }
        // Gone back to the archive between the look and the download.
        if (results.some(({ reason }) => reason === "archived")) {
          set(arrival.key, entry, requestedAs(entry, null, false))
          return
        }
        const error =
          results.find(({ error }) => error !== null)?.error ?? (yield* removed(tracking, arrival.key, entry, request))
        set(arrival.key, entry, error === null ? { _tag: "Done" } : { _tag: "Failed", error }, told)
      })
    )
  }
  return lookOf(memory)
})

/** Nothing more will become of it in this run. */
const isSettled = (standing: Standing | undefined): boolean =>
  standing?.state._tag === "Done" || (standing?.state._tag === "Failed" && standing.state.error.retryable !== true)

/** Asks for the files of each analysis, one analysis after the other. */
const listed = Effect.fnUntraced(function* (analysisIds: ReadonlyArray<string>) {
  const analyses = [...new Set(analysisIds)].map((id) => ({ id, named: false, older: [] }))
  const listings = new Map<string, CatalogEntry>()
  const failures = new Map<string, ServiceError>()
  yield* Stream.runForEach(catalog(analyses), (item) =>
    Effect.sync(() => {
      if (item._tag === "Listed") listings.set(item.entry.listed.id, item.entry)
      else if (item.failure.analysisId !== null) failures.set(item.failure.analysisId, item.failure.error)
    })
  )
  return { listings, failures }
})

/** What an entry wants, its paths located and its regions read. */
const locatedOf = Effect.fnUntraced(function* (
  entry: TrackingEntry,
  { items }: TrackingDocument,
  paths: StoredPaths,
  { fallback, wishOf }: ResumeRequest
) {
  const { bed, layout, overwrite, range, restorationFile = null, unmapped } = entry.options
  const tracking = yield* TrackingFile
  const position = items.findIndex((item) => item.entry === entry) + 1
  const certain = (path: Result.Result<string, string>) =>
    Effect.mapError(Effect.fromResult(path), (reason) => new EntryUnusable({ path: tracking.path, position, reason }))
  const destination = yield* certain(destinationOf(entry.options, paths, fallback))
  const regions = bed == null ? null : yield* certain(paths.located(bed, restorationFile))
  const wish = yield* wishOf({ range: range ?? null, bed: regions, unmapped: unmapped === true })
  return { wish, destination, layout: layout ?? fallback.layout, overwrite: overwrite ?? fallback.overwrite }
})

const requestedAs = (
  { requestTime }: TrackingEntry,
  estimate: string | null,
  underWay: boolean
): Standing["state"] => ({ _tag: "Requested", requestedAt: requestTime, estimate, underWay })

const reasonOf = (renewal: Exclude<Renewal, { readonly _tag: "Ask" }>): string =>
  renewal._tag === "Leave"
    ? renewal.reason
    : `it was asked for again less than a day ago, and will be after ${new Date(renewal.until).toISOString()}`

/** Takes a finished entry out of the file; null, or why it is still there. */
const removed = Effect.fnUntraced(function* (
  tracking: TrackingFile["Service"],
  key: string,
  entry: TrackingEntry,
  request: ResumeRequest
) {
  const change = tracking.change((document) => without(document, (item) => keyOfItem(item, request.nameOf) === key))
  return yield* Effect.matchEffect(change, {
    onSuccess: ({ items }) => {
      const left = counted(items.length, "entry remains", "entries remain")
      return Effect.as(Effect.logInfo(`${nameOf(entry)}: done; ${left} in ${tracking.path}`), null)
    },
    onFailure: (error) =>
      Effect.as(Effect.logError(`${nameOf(entry)}: downloaded, but its entry stays: ${error.message}`), error)
  })
})

const nameOf = ({ analysisId, fileName }: TrackingEntry) => printable(`${fileName} (analysis ${analysisId})`)
