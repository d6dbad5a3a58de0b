/** Downloads what has come back, each request as it was made: one plan and one run for those that go to one place alike. */

import { Effect, type FileSystem, type Scope } from "effect"
import type { StoredRequest } from "../archive/StoredRequests.ts"
import type { EntryUnusable, LocalIo, NotFound, UsageError } from "../Errors.ts"
import type { Codec } from "../genome/Codec.ts"
import { type ChecksumKind, type FileType, fileTypeOf } from "../selection/FileName.ts"
import type { ListedAnalysis, ListedFile } from "../selection/ListedFiles.ts"
import { finalPath, outputPathOf } from "../selection/OutputPath.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import type { TransferCheck } from "../transfer/TransferRequest.ts"
import type { CatalogEntry } from "./Catalog.ts"
import type { PlannedFile, PlanRequest } from "./DownloadPlan.ts"
import { type DownloadRequest, readRegions } from "./DownloadRequest.ts"
import type { FetchServices } from "./FetchFile.ts"
import type { LinkBook } from "./LinkBook.ts"
import { type FileResult, stopped, untouched } from "./Outcome.ts"
import { feasible, fetches, planned } from "./Planning.ts"
import { wantedName } from "./Readiness.ts"
import { run } from "./Run.ts"
import { type RunObserver, told } from "./RunObserver.ts"

/** A request whose files have all come back. */
export interface Arrival {
  readonly stored: StoredRequest
  readonly listing: CatalogEntry
  /** What it needs: its file, and the index that goes with it. */
  readonly files: ReadonlyArray<ListedFile>
  /** How it is to be downloaded. */
  readonly wish: ArrivalWish
}

export interface ArrivalWish extends Omit<PlanRequest, "filetypes"> {
  readonly destination: string
  readonly checksums: ChecksumKind | null
  readonly check: TransferCheck
}

/** What a stored request says of its download, and `fallback` where it says nothing. */
export const wishOf = Effect.fnUntraced(function* (
  { bed, destination, entry: { options } }: StoredRequest,
  fallback: DownloadRequest
): Effect.fn.Return<ArrivalWish, EntryUnusable | UsageError | NotFound | LocalIo, FileSystem.FileSystem | Codec> {
  const { check, checksums, layout, overwrite, range = null, unmapped } = options
  return {
    destination: (yield* Effect.fromResult(destination)) ?? fallback.destination,
    layout: layout ?? fallback.layout,
    overwrite: overwrite ?? fallback.overwrite,
    checksums: checksums ?? fallback.checksums,
    check: check ?? fallback.check,
    // Stored regions are checked as those of the command line are.
    slice: yield* readRegions({ range, bed: yield* Effect.fromResult(bed), unmapped: unmapped === true })
  }
})

/** Told what became of the files of an arrival so far, each time more of them is known; `whole` when it is all. */
export type Arrived = (arrival: Arrival, results: ReadonlyArray<FileResult>, whole: boolean) => Effect.Effect<void>

/** What all deliveries of a look have in common. */
export interface DeliveryRequest extends Pick<DownloadRequest, "connections" | "own"> {
  readonly target: string
  readonly links: LinkBook
}

export const deliver = Effect.fn("svc.download.deliver")(function* (
  arrivals: ReadonlyArray<Arrival>,
  request: DeliveryRequest,
  observer: RunObserver,
  arrived: Arrived
): Effect.fn.Return<void, never, FetchServices | PartFiles> {
  // In one plan two of them cannot take one name.
  for (const group of Map.groupBy(arrivals, ({ wish }) => JSON.stringify(wish)).values()) {
    const [first] = group
    if (first !== undefined) yield* deliverTogether(group, first.wish, request, observer, arrived)
  }
})

const deliverTogether = Effect.fnUntraced(function* (
  group: ReadonlyArray<Arrival>,
  wish: ArrivalWish,
  request: DeliveryRequest,
  observer: RunObserver,
  arrived: Arrived
): Effect.fn.Return<void, never, FetchServices | PartFiles | Scope.Scope> {
  const tell = told(observer)
  const made = yield* planned(analysesOf(group), { ...wish, filetypes: typesOf(group), own: request.own })
  const plan = yield* feasible(made)
  const finished = yield* collected(group, wish.destination, arrived)
  yield* tell.begin(fetches(plan), made.room.bytes)
  const { check, checksums, destination, overwrite } = wish
  yield* run(
    plan,
    request.links,
    { ...request, destination, overwrite, checksums, check },
    {
      progress: tell.progress,
      finished: (file, result) => Effect.andThen(tell.finished(file, result), finished(file, result))
    }
  )
}, Effect.scoped)

/** Gathers the results of files by the arrivals they belong to. */
const collected = Effect.fnUntraced(function* (
  group: ReadonlyArray<Arrival>,
  destination: string,
  arrived: Arrived
): Effect.fn.Return<(file: PlannedFile, result: FileResult) => Effect.Effect<void>, never, PartFiles> {
  const disk = yield* PartFiles
  const open = Map.groupBy(
    group.map((arrival) => ({ arrival, delivers: deliveredBy(arrival), results: new Map<string, FileResult>() })),
    ({ arrival }) => arrival.listing.listed.id
  )
  return Effect.fnUntraced(function* (file, result) {
    for (const { arrival, delivers, results } of open.get(file.analysisId) ?? []) {
      if (!delivers.includes(file.fileName)) continue
      results.set(file.fileName, result)
      const whole = results.size === delivers.length
      // Without its entry no run comes back to clear away parts and locks that a power cut brings back.
      if (whole) yield* disk.syncFolder(file.folder === "" ? destination : `${destination}/${file.folder}`)
      yield* arrived(arrival, [...results.values()], whole)
    }
  })
})

/** A slice comes with an index of its own, under the name of its data file. */
const deliveredBy = ({ files, stored, wish }: Arrival): ReadonlyArray<string> =>
  wish.slice == null ? files.flatMap(({ fileName }) => fileName ?? []) : [wantedName(stored.entry)]

/** The results of files that are still to be downloaded. */
export const unfinishedOf = (arrival: Arrival): ReadonlyArray<FileResult> =>
  deliveredBy(arrival).map((fileName) => {
    const { destination, layout, slice } = arrival.wish
    const analysisId = arrival.listing.listed.id
    const form = slice == null ? null : slice.wanted.length > 0 ? "ranged" : "unmapped"
    const path = finalPath(destination, outputPathOf({ analysisId, fileName }, layout, form))
    const listed = arrival.files.find((file) => file.fileName === fileName)
    const bytes = form === null ? (listed?.size ?? null) : null
    return untouched({ analysisId, fileName, path, bytes }, { action: "failed", reason: null, error: stopped })
  })

/** One listing per analysis with the files of all arrivals of it, each once. */
const analysesOf = (group: ReadonlyArray<Arrival>): ReadonlyArray<ListedAnalysis> =>
  [...Map.groupBy(group, ({ listing }) => listing.listed)].map(([listed, arrivals]) => {
    const wanted = new Set(arrivals.flatMap(({ files }) => files.map(({ fileName }) => fileName)))
    return { ...listed, files: listed.files.filter(({ fileName }) => wanted.has(fileName)) }
  })

const typesOf = (group: ReadonlyArray<Arrival>): ReadonlyArray<FileType> => {
  const names = group.flatMap(({ files }) => files.flatMap(({ fileName }) => fileName ?? []))
  return [...new Set(names.flatMap((name) => fileTypeOf(name) ?? []))]
}
