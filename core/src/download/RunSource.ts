/** Where a run learns its files and their links from: the service, through a session, or a links file, without one. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { failAsLeft, leftError, type RestoreResult } from "../archive/Requests.ts"
import type { ServiceAddress, TrackingFile } from "../archive/TrackingFile.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import type { FileType } from "../selection/FileName.ts"
import { pathOf } from "../selection/OutputPath.ts"
import type { Operator } from "../settings/Operator.ts"
import { printable } from "../text/Printable.ts"
import { type CatalogEntry, type CatalogItem, catalog, choose } from "./Catalog.ts"
import type { Outlook, PlanFailure, PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import type { LinkEntry, LinkManifest } from "./LinkManifest.ts"
import { archivedOf, foreseeArchived, type Outlooks, type RestoreResults, restoreArchived } from "./Restoring.ts"
import { manifestLinks, type RunLinks, serviceLinks } from "./RunLinks.ts"

export interface RunSource<R> {
  /**
   * The selected analyses, one after the other, each asked for when the stream is pulled.
   *
   * @param wanted - types of which an analysis must have a file, else an older one takes its place under `latest`
   */
  readonly analyses: (
    request: DownloadRequest,
    wanted: ReadonlyArray<FileType>
  ) => Stream.Stream<CatalogItem, ServiceError, R>
  /** The links of `files`, or of all that was listed. */
  readonly links: (
    entries: ReadonlyArray<CatalogEntry>,
    files?: ReadonlyArray<PlannedFile>
  ) => Effect.Effect<RunLinks, never, R>
  /** What becomes of the archived files of a plan; each decision has been said. */
  readonly restore: (
    files: ReadonlyArray<PlannedFile>,
    request: DownloadRequest
  ) => Effect.Effect<RestoreResults, never, R>
  /** What `restore` would make of them. */
  readonly foresee: (files: ReadonlyArray<PlannedFile>, request: DownloadRequest) => Effect.Effect<Outlooks, never, R>
}

export const serviceSource = (
  service: ServiceAddress
): RunSource<ServiceClient | TrackingFile | Operator | FileSystem.FileSystem | Path.Path> => ({
  analyses: (request, wanted) =>
    Stream.unwrap(
      Effect.map(choose(request.selection), ({ analyses, missing }) =>
        Stream.concat(
          Stream.fromIterable(missing.map((failure): CatalogItem => ({ _tag: "Failed", failure }))),
          catalog(analyses, wanted)
        )
      )
    ),
  links: serviceLinks,
  restore: (files, request) => restoreArchived(files, request, service),
  foresee: (files, request) => foreseeArchived(files, request, service)
})

const noArchive = "a links file restores nothing"
const whyLeft = `${noArchive}, see svc-request-restore`

/** Nothing is asked of the service: what is archived is left. */
export const linksSource = (manifest: LinkManifest): RunSource<never> => ({
  analyses: ({ selection: { analysisIds } }) => {
    const { entries, failures } = manifestCatalog(manifest, analysisIds)
    return Stream.fromIterable([
      ...failures.map((failure): CatalogItem => ({ _tag: "Failed", failure })),
      ...entries.map((entry): CatalogItem => ({ _tag: "Listed", entry }))
    ])
  },
  links: manifestLinks,
  restore: Effect.fnUntraced(function* (files, { requireAll }) {
    const restorations = new Map<PlannedFile, RestoreResult>()
    for (const file of archivedOf(files)) {
      if (requireAll === true) {
        restorations.set(file, yield* failAsLeft(file, noArchive))
        continue
      }
      const where = printable(`${pathOf(file)} (analysis ${file.analysisId})`)
      yield* Effect.logInfo(`${where}: archived, skipped: ${whyLeft}`)
    }
    return restorations
  }),
  foresee: (files, { requireAll }) =>
    Effect.succeed(
      new Map(
        archivedOf(files).map((file): readonly [PlannedFile, Outlook] => {
          if (requireAll === true) return [file, { _tag: "Fail", error: leftError(file, noArchive) }]
          const restoration = { why: whyLeft, requestedAt: null, estimate: file.estimatedRestoreTime }
          return [file, { _tag: "Skip", reason: "archived", restoration }]
        })
      )
    )
})

/**
 * The chosen analyses in the order asked for, else in that of the file; one that it does not have fails, the rest goes on.
 * A type that it has no link of is missing as one that the service does not list is: the plan judges it.
 *
 * @param analysisIds - empty for all
 */
export const manifestCatalog = (
  { entries }: LinkManifest,
  analysisIds: ReadonlyArray<string>
): { readonly entries: ReadonlyArray<CatalogEntry>; readonly failures: ReadonlyArray<PlanFailure> } => {
  const byAnalysis = Map.groupBy(entries, ({ analysisId }) => analysisId)
  const named = analysisIds.length > 0
  const ids = named ? [...new Set(analysisIds)] : [...byAnalysis.keys()]
  const failures: Array<PlanFailure> = []
  const found = ids.flatMap((id) => {
    const files = byAnalysis.get(id)
    if (files !== undefined) return [entryOfLinks(id, named, files)]
    const error = new NotFound({ what: `analysis ${printable(id)}`, detail: "the links file does not have it" })
    failures.push({ analysisId: id, error })
    return []
  })
  return { entries: found, failures }
}

const entryOfLinks = (id: string, named: boolean, files: ReadonlyArray<LinkEntry>): CatalogEntry => ({
  listed: {
    id,
    named,
    sampleId: null,
    limsId: null,
    files: files.map(({ archived, estimatedRestoreTime, fileName, link, size }) => ({
      fileName,
      size,
      archived,
      estimatedRestoreTime,
      hasLink: link !== null
    }))
  },
  links: new Map(files.flatMap(({ fileName, link }) => (link === null ? [] : [[fileName, link]]))),
  askedAt: null
})
