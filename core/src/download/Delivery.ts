/**
 * Downloads what has come back, each file as its entry says, and takes an entry out of the restoration file as soon as all
 * of its files are there.
 */
import { Effect, FileSystem, Option, type Path, type Scope } from "effect"
import { CannotCreate, type LocalIo } from "../Errors.ts"
import type { Codec } from "../genome/Codec.ts"
import { type FileType, fileTypeOf } from "../selection/FileName.ts"
import { wantedFiles } from "../selection/FileWish.ts"
import type { ListedFile } from "../selection/Listed.ts"
import { finalPath, type Layout, placeOf, sliceForm } from "../selection/Place.ts"
import { printable } from "../text/Printable.ts"
import type { FileTransfer } from "../transfer/FileTransfer.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import type { SliceWish } from "../transfer/SliceRequest.ts"
import type { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { CatalogEntry } from "./Catalog.ts"
import { lookAt } from "./DestinationView.ts"
import { diskNeed, refuseAll, shortage } from "./DiskNeed.ts"
import { type PlannedFile, plan } from "./DownloadPlan.ts"
import { type RunObserver, run } from "./DownloadRun.ts"
import type { LinkBook } from "./LinkBook.ts"
import { type FileResult, stopped, untouched } from "./Outcome.ts"

/** An entry whose files have all come back. */
export interface Arrival {
  readonly key: string
  readonly fileName: string
  readonly listing: CatalogEntry
  /** What the entry needs: its file, and the index that goes with it. */
  readonly files: ReadonlyArray<ListedFile>
  /** The parts of the file that are wanted; null for the whole. */
  readonly wish: SliceWish | null
  /** Located, as stored. */
  readonly destination: string
  readonly layout: Layout
  readonly overwrite: boolean
}

export interface DeliveryRequest {
  readonly target: string
  readonly connections: number
  readonly links: LinkBook
  /** Files this run writes itself, with what they are. */
  readonly own: ReadonlyMap<string, string>
}

/** Shows files while they are downloaded, until the scope closes. */
export type Observe = (files: ReadonlyArray<PlannedFile>) => Effect.Effect<RunObserver, never, Scope.Scope>

/** Told what became of the files of an arrival so far, each time more of them is known; `whole` when it is all. */
export type Arrived = (arrival: Arrival, results: ReadonlyArray<FileResult>, whole: boolean) => Effect.Effect<void>

type Services = FileTransfer | SliceTransfer | PartFiles | Codec | FileSystem.FileSystem | Path.Path

export const deliver = Effect.fn("archive.deliver")(function* (
  arrivals: ReadonlyArray<Arrival>,
  request: DeliveryRequest,
  observe: Observe,
  arrived: Arrived
): Effect.fn.Return<void, never, Services> {
  // Those that go to one folder under one rule are one plan, so that two of them cannot take one name.
  const groups = Map.groupBy(arrivals, ({ destination, layout, overwrite, wish }) =>
    JSON.stringify([destination, layout, overwrite, wish])
  )
  for (const group of groups.values()) yield* deliverGroup(group, request, observe, arrived)
})

const deliverGroup = Effect.fnUntraced(function* (
  group: ReadonlyArray<Arrival>,
  { connections, links, own, target }: DeliveryRequest,
  observe: Observe,
  arrived: Arrived
): Effect.fn.Return<void, never, Services | Scope.Scope> {
  const [first] = group
  if (first === undefined) return
  const { destination, layout, overwrite, wish } = first
  const refuse = (error: CannotCreate | LocalIo) =>
    Effect.forEach(
      group,
      (arrival) =>
        Effect.andThen(
          Effect.logError(printable(`${arrival.fileName}: ${error.message}`)),
          arrived(arrival, [refused(arrival, error)], true)
        ),
      { discard: true }
    )
  if (!(yield* isFolder(destination))) {
    const reason = "the folder stored with the request does not exist"
    return yield* refuse(new CannotCreate({ path: destination, reason }))
  }
  const analyses = together(group)
  const planRequest = { filetypes: typesOf(group), layout, overwrite, slice: wish }
  const looked = yield* Effect.result(lookAt(destination, wantedFiles(analyses, planRequest), own))
  if (looked._tag === "Failure") return yield* refuse(looked.failure)
  const view = looked.success
  const whole = plan(analyses, planRequest, view)
  yield* Effect.forEach(whole.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  const disk = yield* PartFiles
  const free = yield* disk.free({ directory: destination })
  const short = shortage(diskNeed(whole.files, view.present), destination, free)
  const planned = short === null ? whole : refuseAll(whole, short)

  const open = group.map((arrival) => ({ arrival, results: new Map<string, FileResult>() }))
  const shown = yield* observe(planned.files.filter(({ decision }) => decision._tag === "Fetch"))
  const finished: RunObserver["finished"] = Effect.fnUntraced(function* (file, result) {
    yield* shown.finished(file, result)
    for (const { arrival, results } of open) {
      if (arrival.listing.listed.id !== file.analysisId) continue
      const delivered = deliveredBy(arrival)
      if (!delivered.includes(file.fileName)) continue
      results.set(file.fileName, result)
      const complete = results.size === delivered.length
      // Without its entry no run comes back to clear away parts and locks that a power cut brings back.
      if (complete) yield* disk.settled(file.folder === "" ? destination : `${destination}/${file.folder}`)
      yield* arrived(arrival, [...results.values()], complete)
    }
  })
  const request = { target, destination, overwrite, connections }
  yield* run(planned, links, request, { progress: shown.progress, finished })
}, Effect.scoped)

/** A slice comes with an index of its own, under the name of its data file. */
export const deliveredBy = ({
  fileName,
  files,
  wish
}: Pick<Arrival, "fileName" | "files" | "wish">): ReadonlyArray<string> =>
  wish === null ? files.flatMap((file) => file.fileName ?? []) : [fileName]

const isFolder = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(path))
  return Option.isSome(info) && info.value.type === "Directory"
})

const refused = (arrival: Arrival, error: CannotCreate | LocalIo): FileResult =>
  untouched(arrivalFile(arrival, arrival.fileName), { action: "failed", reason: null, error })

/** One listing per analysis with the files of all entries for it, each once. */
const together = (group: ReadonlyArray<Arrival>) =>
  [...Map.groupBy(group, ({ listing }) => listing.listed.id).values()].flatMap((arrivals) => {
    const [first] = arrivals
    const wanted = new Set(arrivals.flatMap(({ files }) => files.map(({ fileName }) => fileName)))
    return first === undefined
      ? []
      : [{ ...first.listing.listed, files: first.listing.listed.files.filter(({ fileName }) => wanted.has(fileName)) }]
  })

const typesOf = (group: ReadonlyArray<Arrival>): ReadonlyArray<FileType> => {
  const names = group.flatMap(({ files }) => files.flatMap(({ fileName }) => fileName ?? []))
  return [...new Set(names.flatMap((name) => fileTypeOf(name) ?? []))]
}

/** The results of files that are still to be downloaded. */
export const unfinishedOf = (arrival: Arrival): ReadonlyArray<FileResult> =>
  deliveredBy(arrival).map((fileName) =>
    untouched(arrivalFile(arrival, fileName), { action: "failed", reason: null, error: stopped })
  )

/** What a result says of a file of an arrival before anything became of it. */
const arrivalFile = ({ destination, files, layout, listing, wish }: Arrival, fileName: string) => {
  const analysisId = listing.listed.id
  const form = wish === null ? null : sliceForm({ regions: wish.wanted.length > 0, unmapped: wish.unmapped })
  return {
    analysisId,
    fileName,
    path: finalPath(destination, placeOf({ analysisId, fileName }, layout, form)),
    bytes: form === null ? (files.find((file) => file.fileName === fileName)?.size ?? null) : null
  }
}
