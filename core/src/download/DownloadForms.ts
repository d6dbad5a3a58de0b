/** What can be done with the files of a request. Each form is a download that ends earlier: after the listing, the plan or the restorations. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { type ServiceAddress, TrackingFile } from "../archive/TrackingFile.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { fileTypes } from "../selection/FileName.ts"
import { pathOf } from "../selection/OutputPath.ts"
import { filterListing, type ListedAnalysis } from "../selection/WantedFiles.ts"
import type { Operator } from "../settings/Operator.ts"
import { printable } from "../text/Printable.ts"
import type { FileStreams } from "../transfer/FileStreams.ts"
import type { FileTransfer } from "../transfer/FileTransfer.ts"
import type { LinkHost } from "../transfer/LinkHost.ts"
import type { PartFiles } from "../transfer/PartFiles.ts"
import type { SliceTransfer } from "../transfer/SliceTransfer.ts"
import { type CatalogEntry, selected, withSizes } from "./Catalog.ts"
import type { DownloadPlan, ForeseenFile, Outlook, PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type FileResult, failureResult } from "./FileResult.ts"
import { checkDestination, type DiskSpace, diskNeed, filesToFetch, missingFolder, planFiles } from "./Planning.ts"
import type { PlanFailure } from "./PlanRemarks.ts"
import { foreseeArchived, type Outlooks, pendingOf, restoreArchived } from "./Restoring.ts"
import { resultWithoutFetch, run } from "./Run.ts"
import { ownersOf, tell } from "./RunEvents.ts"
import { runLinks } from "./RunLinks.ts"
import { estimatePlan, type RefusedEstimate, withEstimates } from "./SliceTasks.ts"

/**
 * One analysis of a listing, or what failed in its place.
 *
 * @category models
 * @since 0.1.0
 */
export type ListItem =
  | {
      readonly _tag: "Listed"
      readonly analysis: ListedAnalysis
      /** Files whose regions cannot be cut out, when regions are asked for. */
      readonly refused: ReadonlyArray<RefusedEstimate>
    }
  | { readonly _tag: "Failed"; readonly failure: PlanFailure }

/**
 * A plan with its restorations, the disk space it needs, and what is missing.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlanOutcome {
  /** A run, or nothing but the restorations. */
  readonly subject: "run" | "restore"
  readonly plan: DownloadPlan<ForeseenFile>
  readonly disk: DiskSpace
  /** Selections and analyses that failed as a whole. */
  readonly failures: ReadonlyArray<PlanFailure>
}

/**
 * What became of a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface RunOutcome {
  /** Of selections and analyses that failed as a whole, and of every file of the plan in the order of the plan. */
  readonly results: ReadonlyArray<FileResult>
}

/** What asks the service, moves files, and looks at the disk. */
export type DownloadServices =
  | ServiceClient
  | TrackingFile
  | Operator
  | FileTransfer
  | SliceTransfer
  | FileStreams
  | LinkHost
  | PartFiles
  | Codec
  | FileSystem.FileSystem
  | Path.Path

/** What the selected analyses have. */
export const list = (request: DownloadRequest) =>
  selected(request.selection, request.shows ?? fileTypes).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* (item) {
        if (item._tag === "Failed") return item
        const { entry } = item
        const sized = yield* withSizes({ ...entry, listed: filterListing(entry.listed, request.shows) })
        const links = yield* runLinks([entry])
        return { _tag: "Listed" as const, ...(yield* withEstimates(sized, entry, request.slice, links)) }
      })
    )
  )

/** What `keep` takes of the listings of the selected analyses; each failure goes to `failed` when it happens. */
const gather = Effect.fn("svc.download.gather")(function* <A, S>(
  request: DownloadRequest,
  keep: (entry: CatalogEntry) => Effect.Effect<A, never, S>,
  failed: (failure: PlanFailure) => Effect.Effect<void>
) {
  const kept: Array<A> = []
  const failures: Array<PlanFailure> = []
  yield* Stream.runForEach(selected(request.selection, request.filetypes), (item) => {
    if (item._tag === "Listed") return Effect.map(keep(item.entry), (some) => void kept.push(some))
    failures.push(item.failure)
    return failed(item.failure)
  })
  return { kept, failures }
})

/** What asking for the restorations of this request would do; nothing is fetched. */
export const planRestore = Effect.fn("svc.download.planRestore")(function* (
  request: DownloadRequest,
  service: ServiceAddress
) {
  const { disk, failures, plan } = yield* planListed(request, () => Effect.void)
  const available = new Map(filesToFetch(plan).map((file) => [file, { _tag: "Skip", reason: "available" }] as const))
  const outlooks = new Map<PlannedFile, Outlook>([
    ...available,
    ...(yield* foreseeArchived(plan.files, request, service))
  ])
  const files = foreseen(plan.files, outlooks)
  return {
    subject: "restore",
    plan: { ...plan, files },
    disk: { ...disk, bytes: 0, unknown: 0 },
    failures
  } satisfies PlanOutcome
})

const foreseen = (files: ReadonlyArray<PlannedFile>, outlooks: Outlooks): ReadonlyArray<ForeseenFile> =>
  files.map((file) => {
    const decision = outlooks.get(file)
    return decision === undefined ? file : { ...file, decision }
  })

const withhold = (file: ForeseenFile): ForeseenFile =>
  file.decision._tag === "Fetch" ? { ...file, decision: { _tag: "Skip", reason: "withheld" } } : file

/** What a download with this request would do. */
export const planRun = Effect.fn("svc.download.planRun")(function* (request: DownloadRequest, service: ServiceAddress) {
  // Only the estimates of slices need the links: others would be kept for nothing.
  const entries: Array<CatalogEntry> = []
  const keep = (entry: CatalogEntry) => {
    if (request.slice !== null) entries.push(entry)
    return withSizes(entry)
  }
  const { failures, kept: analyses } = yield* gather(request, keep, () => Effect.void)
  const decided = yield* planFiles(analyses, request)
  const isSliced = request.slice !== null
  const plan = isSliced
    ? yield* estimatePlan(decided.plan, yield* runLinks(entries, filesToFetch(decided.plan)))
    : decided.plan
  const disk = isSliced ? { ...decided.disk, ...diskNeed(plan.files, () => 0) } : decided.disk
  const all = [...failures, ...plan.failures]
  const outlook = foreseen(plan.files, yield* foreseeArchived(plan.files, request, service))
  const withheld = isWithheld(
    request,
    all,
    outlook.some(({ decision }) => decision._tag === "Fail")
  )
  const files = withheld ? outlook.map(withhold) : outlook
  return {
    subject: "run",
    plan: { ...plan, files },
    disk: withheld ? { ...disk, bytes: 0, unknown: 0 } : disk,
    failures: all
  } satisfies PlanOutcome
})

/** Lists and plans, and keeps the links of what will be fetched: of ten thousand files nothing else is left of the listings. */
const preparePlan = Effect.fnUntraced(function* (
  request: DownloadRequest,
  failed: (failure: PlanFailure) => Effect.Effect<void>
) {
  const { failures, kept: entries } = yield* gather(request, Effect.succeed, failed)
  const decided = yield* planFiles(
    entries.map(({ listed }) => listed),
    request
  )
  const plan = yield* checkDestination(decided)
  const links = yield* runLinks(entries, filesToFetch(plan))
  return { ...decided, plan, failures, links, owners: ownersOf(entries) }
})

/** What became of the files, and of selections and analyses that failed as a whole. */
export interface Done {
  readonly results: ReadonlyArray<FileResult>
  readonly failures: ReadonlyArray<PlanFailure>
}

/** The results of failures are those that have no file. */
const resultOfFailure = ({ analysisId, error, reason }: PlanFailure) => failureResult(analysisId, error, reason)

const failed = (failure: PlanFailure): Effect.Effect<void> => tell({ _tag: "Failed", result: resultOfFailure(failure) })

export const outcomeOf = ({ failures, results }: Done): RunOutcome => ({
  results: [...failures.map(resultOfFailure), ...results]
})

/** Where all files are required and one is known not to come, nothing is fetched: a pipeline would throw it away with the failed task. */
const isWithheld = ({ requireAll }: DownloadRequest, failures: ReadonlyArray<PlanFailure>, anyLost: boolean) =>
  requireAll === true && (failures.length > 0 || anyLost)

/** Downloads; restorations are asked for before anything is fetched: they take longest. */
export const download = Effect.fn("svc.download.download")(function* (
  request: DownloadRequest,
  service: ServiceAddress
) {
  const { destination } = request
  const missing = yield* missingFolder(destination)
  if (missing !== null) return yield* missing
  const { failures, links, plan, disk, owners } = yield* preparePlan(request, failed)
  yield* tell({ _tag: "Listed", owners })
  yield* Effect.forEach(plan.failures, failed, { discard: true })
  yield* tell({ _tag: "Planned", files: plan.files, destination })
  const restorations = yield* restoreArchived(plan.files, request, service)
  yield* tell({ _tag: "Awaiting", restorations: pendingOf(restorations) })
  const lost = (file: PlannedFile) => file.decision._tag === "Fail" || restorations.get(file)?._tag === "Failed"
  const withheld = isWithheld(request, [...failures, ...plan.failures], plan.files.some(lost))
  yield* tell({ _tag: "Begun", files: withheld ? [] : filesToFetch(plan), bytes: withheld ? 0 : disk.bytes })
  const results = yield* run(plan, links, { ...request, target: service.target, restorations, withheld })
  return { results, failures: [...failures, ...plan.failures] } satisfies Done
})

/** Asks for what is archived; files that are no longer archived are left to the download. */
export const ask = Effect.fn("svc.download.ask")(function* (request: DownloadRequest, service: ServiceAddress) {
  // A restoration costs money, and what comes back would have no place.
  const missing = yield* missingFolder(request.destination)
  if (missing !== null) return yield* missing
  // Nothing is asked for that could not be written down; the file exists afterwards, if only as an empty list.
  yield* Effect.flatMap(TrackingFile, ({ ensure }) => ensure)
  const { failures, plan } = yield* planListed(request, failed)
  yield* Effect.forEach(plan.failures, failed, { discard: true })
  const available = new Set(filesToFetch(plan))
  const wanted = plan.files.filter((file) => !available.has(file))
  yield* tell({ _tag: "Planned", files: wanted, destination: request.destination })
  for (const file of available) {
    yield* Effect.logInfo(printable(`${pathOf(file)} (analysis ${file.analysisId}): available, nothing to restore`))
  }
  const restorations = yield* restoreArchived(wanted, request, service)
  const results: Array<FileResult> = []
  for (const file of wanted) {
    const result = resultWithoutFetch(file, { destination: request.destination, restorations })
    if (result === null) continue
    results.push(result)
    yield* tell({ _tag: "Finished", file, result })
  }
  yield* tell({ _tag: "Awaiting", restorations: pendingOf(restorations) })
  return { results, failures } satisfies Done
})

/** The plan of what is listed, without a look at the files themselves. */
const planListed = Effect.fnUntraced(function* (
  request: DownloadRequest,
  failed: (failure: PlanFailure) => Effect.Effect<void>
) {
  const { failures, kept } = yield* gather(request, ({ listed }) => Effect.succeed(listed), failed)
  const planned = yield* planFiles(kept, request)
  return { ...planned, failures: [...failures, ...planned.plan.failures] }
})
