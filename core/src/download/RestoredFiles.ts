/**
 * Downloads what has been restored, each request with the options that were stored with it. Requests with the same options
 * share one plan and one run.
 */

import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { StoredRequest } from "../archive/StoredRequests.ts"
import type { EntryUnusable, LocalIo, NotFound } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { type ChecksumKind, type FileType, fileTypeOf } from "../selection/FileName.ts"
import type { RunFile } from "../selection/RunFile.ts"
import type { ListedAnalysis, ListedFile } from "../selection/WantedFiles.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import type { CatalogEntry } from "./Catalog.ts"
import type { PlanRequest } from "./DownloadPlan.ts"
import { type DownloadRequest, readRegions } from "./DownloadRequest.ts"
import type { FetchServices } from "./FetchFile.ts"
import type { FileResult } from "./FileResult.ts"
import { checkDestination, filesToFetch, planFiles } from "./Planning.ts"
import { wantedName } from "./RestorationStatus.ts"
import { run } from "./Run.ts"
import { Listener, tell } from "./RunEvents.ts"
import type { RunLinks } from "./RunLinks.ts"

/** A stored request whose files have all been restored. */
export interface RestoredRequest {
  readonly stored: StoredRequest
  readonly listing: CatalogEntry
  /** Its file, and the index that goes with it. */
  readonly files: ReadonlyArray<ListedFile>
  /** How it is to be downloaded. */
  readonly options: RestoredOptions
}

/** What decides how a restored file is downloaded, all but its types. */
export interface RestoredOptions extends Omit<PlanRequest, "filetypes"> {
  readonly destination: string
  readonly checksums: ChecksumKind | null
  readonly check: DownloadRequest["check"]
  readonly makeIndex: boolean
}

/** The options stored with a request, and those of `fallback` where it stores none. */
export const restoredOptions = Effect.fnUntraced(function* (
  { bed, destination, entry: { options }, unusable }: StoredRequest,
  fallback: DownloadRequest
): Effect.fn.Return<RestoredOptions, EntryUnusable | NotFound | LocalIo, FileSystem.FileSystem | Codec> {
  const { check, checksums, layout, makeIndex, overwrite, range = null, unmapped } = options
  return {
    destination: (yield* Effect.fromResult(destination)) ?? fallback.destination,
    layout: layout ?? fallback.layout,
    overwrite: overwrite ?? fallback.overwrite,
    checksums: checksums ?? fallback.checksums,
    check: check ?? fallback.check,
    makeIndex: makeIndex ?? fallback.makeIndex,
    // Stored regions are checked as those of the command line are; here nobody mistyped an option, the entry is wrong.
    slice: yield* readRegions({ range, bed: yield* Effect.fromResult(bed), unmapped: unmapped === true }).pipe(
      Effect.catchTag("SvcUsageError", ({ message }) => Effect.fail(unusable(message)))
    )
  }
})

/** What a request may store of its options; one that stores none is for whole files. */
export const storableOptions = [
  "destination",
  "filetypes",
  "overwrite",
  "layout",
  "check",
  "checksums",
  "makeIndex",
  "range",
  "bed",
  "unmapped"
] as const

/** Whether the options of a resuming run leave a stored request as it is: it stores its own, and always its regions. */
export const storesOwn = ({ entry: { options } }: StoredRequest, option: (typeof storableOptions)[number]): boolean =>
  ["range", "bed", "unmapped"].includes(option) || options[option] != null

/** Called with the results of a request when all its files have one. */
export type ResultsListener = (restored: RestoredRequest, results: ReadonlyArray<FileResult>) => Effect.Effect<void>

/** What all downloads of a look have in common. */
export interface RestoredDownload extends Pick<DownloadRequest, "connections"> {
  readonly target: string
  readonly links: RunLinks
}

/** Downloads the files of these requests; each failure is a result. */
export const downloadRestored = Effect.fn("svc.download.downloadRestored")(function* (
  restored: ReadonlyArray<RestoredRequest>,
  request: RestoredDownload,
  listener: ResultsListener
): Effect.fn.Return<void, never, FetchServices | PartFiles> {
  // One plan for all with the same options: it refuses two files that would take one name.
  const groups = yield* Effect.forEach(
    Object.values(Arr.groupBy(restored, ({ options }) => JSON.stringify(options))),
    Effect.fnUntraced(function* (group) {
      const [{ options }] = group
      const planned = yield* planFiles(analysesOf(group), { ...options, filetypes: typesOf(group) })
      yield* tell({ _tag: "Planned", files: planned.plan.files, destination: options.destination })
      return { group, options, planned }
    })
  )
  const disk = yield* PartFiles
  for (const { group, options, planned } of groups) {
    // The groups before it have taken their part of the disk.
    const free = yield* disk.free({ directory: options.destination })
    const plan = yield* checkDestination({ ...planned, disk: { ...planned.disk, free } })
    const finished = yield* resultsByRequest(group, options.destination, listener)
    const heard = yield* Listener
    yield* heard({ _tag: "Begun", files: filesToFetch(plan), bytes: planned.disk.bytes })
    yield* Effect.provideService(run(plan, request.links, { ...request, ...options }), Listener, (event) =>
      event._tag === "Finished" ? finished(event.file, event.result) : heard(event)
    )
  }
})

/** Tells each result with the restoration that it comes from, and gathers them by the requests that they belong to. */
const resultsByRequest = Effect.fnUntraced(function* (
  group: ReadonlyArray<RestoredRequest>,
  destination: string,
  listener: ResultsListener
): Effect.fn.Return<(file: RunFile, result: FileResult) => Effect.Effect<void>, never, PartFiles> {
  const [disk, heard] = [yield* PartFiles, yield* Listener]
  const byAnalysis = Map.groupBy(
    group.map((restored) => ({ restored, names: namesOf(restored), results: new Map<string, FileResult>() })),
    ({ restored }) => restored.listing.listed.analysisId
  )
  return Effect.fnUntraced(function* (file, plain) {
    const theirs = (byAnalysis.get(file.analysisId) ?? []).filter(({ names }) => names.includes(file.fileName))
    const entry = theirs[0]?.restored.stored.entry
    const restoration =
      entry === undefined ? null : { requestedAt: entry.requestTime, estimate: entry.restoreEstimation }
    const result = { ...plain, restoration }
    yield* heard({ _tag: "Finished", file, result })
    for (const { names, restored, results } of theirs) {
      results.set(file.fileName, result)
      if (results.size < names.length) continue
      // Without its entry no run comes back to clear away parts and locks that a power cut brings back.
      yield* disk.syncFolder(file.folder === "" ? destination : `${destination}/${file.folder}`)
      yield* listener(restored, [...results.values()])
    }
  })
})

/** The files that the request gets a result for: a slice brings an index of its own with it. */
const namesOf = ({ files, options, stored }: RestoredRequest): ReadonlyArray<string> =>
  options.slice == null ? files.flatMap(({ fileName }) => fileName ?? []) : [wantedName(stored.entry)]

/** One listing per analysis with the files of all its requests, each once. */
const analysesOf = (group: ReadonlyArray<RestoredRequest>): ReadonlyArray<ListedAnalysis> =>
  [...Map.groupBy(group, ({ listing }) => listing.listed)].map(([listed, requests]) => {
    const wanted = new Set(requests.flatMap(({ files }) => files.map(({ fileName }) => fileName)))
    return { ...listed, files: listed.files.filter(({ fileName }) => wanted.has(fileName)) }
  })

const typesOf = (group: ReadonlyArray<RestoredRequest>): ReadonlyArray<FileType> => {
  const names = group.flatMap(({ files }) => files.flatMap(({ fileName }) => fileName ?? []))
  return [...new Set(names.flatMap((name) => fileTypeOf(name) ?? []))]
}
