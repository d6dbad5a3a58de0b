/** The requests of a restoration file, read and written for one service: what is waited for, what cannot be used, what is of others. */
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import { EntryUnusable, type TrackingError, type TrackingReadError } from "../Errors.ts"
import { logFailure } from "../telemetry/FailureLog.ts"
import { printable } from "../text/Printable.ts"
import { counted } from "../text/Quantity.ts"
import { type NewEntry, storedPaths, type TrackingEntry } from "./TrackingEntry.ts"
import { entriesOf, keyOfItem, put, type ServiceAddress, TrackingFile, without } from "./TrackingFile.ts"

/** A request for one file, its paths located. */
export interface StoredRequest {
  /** The same for entries that ask for the same. */
  readonly key: string
  readonly entry: TrackingEntry
  /** Null where the entry says nothing; a path that leads nowhere certain is the failure of its entry. */
  readonly destination: Result.Result<string | null, EntryUnusable>
  readonly bed: Result.Result<string | null, EntryUnusable>
  /** The failure of the entry for this reason. */
  readonly unusable: (reason: string) => EntryUnusable
}

/** What the restoration file holds for one service. */
export interface StoredRequests {
  /** Each once, in the order of the file. */
  readonly requests: ReadonlyArray<StoredRequest>
  readonly unusable: ReadonlyArray<EntryUnusable>
  /** Entries of other services, which are left alone. */
  readonly others: ReadonlyArray<TrackingEntry>
}

/** What the restoration file holds now. */
export const storedRequests = Effect.fn("svc.archive.storedRequests")(function* (
  service: ServiceAddress
): Effect.fn.Return<StoredRequests, TrackingReadError, TrackingFile | Path.Path> {
  const tracking = yield* TrackingFile
  const paths = yield* storedPaths(tracking.path)
  const document = yield* tracking.read
  const unusableEntry = (position: number, reason: string) =>
    new EntryUnusable({ path: tracking.path, position, reason: printable(reason) })
  const positions = new Map(document.items.map(({ entry }, index) => [entry, index + 1]))
  return {
    requests: [...entriesOf(document, service.target, service.nameOf)].map(([key, entry]) => {
      const unusable = (reason: string) => unusableEntry(positions.get(entry) ?? 0, reason)
      const { bed, destination, restorationFile = null } = entry.options
      const locate = (stored: string | null | undefined): Result.Result<string | null, EntryUnusable> =>
        stored == null ? Result.succeed(null) : Result.mapError(paths.located(stored, restorationFile), unusable)
      return { key, entry, destination: locate(destination), bed: locate(bed), unusable }
    }),
    unusable: document.items.flatMap(({ problem }, index) =>
      problem === null ? [] : [unusableEntry(index + 1, problem)]
    ),
    others: document.items.flatMap(({ entry }) =>
      entry === null || service.nameOf(entry.target) === service.target ? [] : [entry]
    )
  }
})

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

/** Takes a finished request out of the file, and says how many remain. */
export const removeFinished = Effect.fn("svc.archive.removeFinished")(function* (
  { entry, key }: StoredRequest,
  { nameOf }: ServiceAddress
): Effect.fn.Return<void, TrackingError, TrackingFile> {
  const tracking = yield* TrackingFile
  const name = nameOfEntry(entry)
  const { items } = yield* Effect.tapError(
    tracking.change((document) => without(document, (item) => keyOfItem(item, nameOf) === key)),
    (error) => logFailure(error, (sentence) => `${name}: downloaded, but its entry stays: ${sentence}`)
  )
  const left = counted(items.length, "entry remains", "entries remain")
  yield* Effect.logInfo(`${name}: done; ${left} in ${tracking.path}`)
})

/** How the log calls the file of an entry. */
export const nameOfEntry = ({ analysisId, fileName }: TrackingEntry): string =>
  printable(`${fileName} (analysis ${analysisId})`)
