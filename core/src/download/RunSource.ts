/** Where a run learns its files and their links from: the service, through a session, or a links file, without one. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { failAsLeft, leftError, type RestoreResult } from "../archive/Requests.ts"
import { type ServiceAddress, TrackingFile } from "../archive/TrackingFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { AdviceOf, ending, InArchive, LinkExpired, NotFound, ReplyMalformed, type ServiceError } from "../Errors.ts"
import type { FileType } from "../selection/FileName.ts"
import { pathOf } from "../selection/OutputPath.ts"
import { Operator } from "../settings/Operator.ts"
import { printable } from "../text/Printable.ts"
import { makeLinks } from "../transfer/Links.ts"
import type { SliceSourceFile } from "../transfer/SliceRequest.ts"
import { type CatalogEntry, type CatalogItem, catalog, choose, entryOf } from "./Catalog.ts"
import type { Outlook, PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import type { LinkEntry, LinkManifest } from "./LinkManifest.ts"
import type { PlanFailure } from "./PlanRemarks.ts"
import { archivedOf, foreseeArchived, type Outlooks, type RestoreResults, restoreArchived } from "./Restoring.ts"

type SourceServices = ServiceClient | TrackingFile | Operator | FileSystem.FileSystem | Path.Path

/** The services that a source is made with; span, annotations and logger are those of whoever calls. */
const pickServices = Context.pick(ServiceClient, TrackingFile, Operator, FileSystem.FileSystem, Path.Path)

export class RunSource extends Context.Service<
  RunSource,
  {
    /** Names the service; part of the identity of unfinished files. */
    readonly target: string
    /**
     * The selected analyses, one after the other, each asked for when the stream is pulled.
     *
     * @param wanted - types of which an analysis must have a file, else an older one takes its place under `latest`
     */
    readonly analyses: (
      request: DownloadRequest,
      wanted: ReadonlyArray<FileType>
    ) => Stream.Stream<CatalogItem, ServiceError>
    /** The links of `files`, or of all that was listed. */
    readonly links: (
      entries: ReadonlyArray<CatalogEntry>,
      files?: ReadonlyArray<PlannedFile>
    ) => Effect.Effect<RunLinks>
    /** What becomes of the archived files of a plan; each decision has been said. */
    readonly restore: (files: ReadonlyArray<PlannedFile>, request: DownloadRequest) => Effect.Effect<RestoreResults>
    /** What `restore` would make of them. */
    readonly foresee: (files: ReadonlyArray<PlannedFile>, request: DownloadRequest) => Effect.Effect<Outlooks>
  }
>()("svc-steps/core/download/RunSource") {
  /** The service, through a session. */
  static readonly layer = (service: ServiceAddress): Layer.Layer<RunSource, never, SourceServices> =>
    Layer.effect(
      RunSource,
      Effect.map(Effect.map(Effect.context<SourceServices>(), pickServices), (context) =>
        RunSource.of({
          target: service.target,
          analyses: (request, wanted) => Stream.provideContext(analysesOf(request, wanted), context),
          links: (entries, files) => Effect.provideContext(serviceLinks(entries, files), context),
          restore: (files, request) => Effect.provideContext(restoreArchived(files, request, service), context),
          foresee: (files, request) => Effect.provideContext(foreseeArchived(files, request, service), context)
        })
      )
    )

  /** A links file, without a session: nothing is asked of the service, and what is archived is left. */
  static readonly layerLinks = (manifest: LinkManifest): Layer.Layer<RunSource> =>
    Layer.succeed(RunSource, {
      target: manifest.target.href,
      analyses: ({ selection: { analysisIds } }) => {
        const { entries, failures } = manifestCatalog(manifest, analysisIds)
        return Stream.fromIterable([...failures.map(failed), ...entries.map(listed)])
      },
      links: manifestLinks,
      restore: leaveArchived,
      foresee: (files, request) => Effect.succeed(foreseeLeft(files, request))
    })
}

const failed = (failure: PlanFailure): CatalogItem => ({ _tag: "Failed", failure })
const listed = (entry: CatalogEntry): CatalogItem => ({ _tag: "Listed", entry })

const analysesOf = (request: DownloadRequest, wanted: ReadonlyArray<FileType>) =>
  Stream.unwrap(
    Effect.map(choose(request.selection), ({ analyses, missing }) =>
      Stream.concat(Stream.fromIterable(missing.map(failed)), catalog(analyses, wanted))
    )
  )

const noArchive = "a links file restores nothing"

const leaveArchived = Effect.fnUntraced(function* (files: ReadonlyArray<PlannedFile>, { requireAll }: DownloadRequest) {
  const restorations = new Map<PlannedFile, RestoreResult>()
  for (const file of archivedOf(files)) {
    if (requireAll === true) {
      restorations.set(file, yield* failAsLeft(file, noArchive))
      continue
    }
    const where = printable(`${pathOf(file)} (analysis ${file.analysisId})`)
    const advice = (yield* AdviceOf)({ advice: "requestRestore" })
    yield* Effect.logInfo(`${where}: archived, skipped: ${ending(noArchive, advice)}`)
  }
  return restorations
})

const foreseeLeft = (files: ReadonlyArray<PlannedFile>, { requireAll }: DownloadRequest): Outlooks =>
  new Map(
    archivedOf(files).map((file): readonly [PlannedFile, Outlook] => {
      if (requireAll === true) return [file, { _tag: "Fail", error: leftError(file, noArchive) }]
      const known = { requestedAt: null, estimate: file.estimatedRestoreTime }
      const restoration = { ...known, why: noArchive, advice: "requestRestore" } as const
      return [file, { _tag: "Skip", reason: "archived", restoration }]
    })
  )

/**
 * The chosen analyses in the order asked for, else in that of the file; one that it does not have fails, the rest goes on.
 * A type that it has no link of is missing as one that the service does not list is: the plan judges it.
 *
 * @param analysisIds - empty for all
 */
export const manifestCatalog = (
  { entries }: LinkManifest,
  analysisIds: ReadonlyArray<AnalysisId>
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

const entryOfLinks = (id: AnalysisId, named: boolean, files: ReadonlyArray<LinkEntry>): CatalogEntry => ({
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

/**
 * The links of a run. With hundreds of analyses the first answers are hours old when their files get their turn, so a file is lent
 * its link just before it starts, and its analysis is asked again where that is old.
 */
export interface RunLinks {
  /** The link of a file that is about to start, and how it gets the next one. */
  readonly lend: (file: {
    readonly analysisId: string
    readonly fileName: string
  }) => Effect.Effect<Omit<SliceSourceFile, "analysisId" | "fileName">, ServiceError | InArchive | LinkExpired>
}

/**
 * The links in `entries`; asks for newer ones through `ServiceClient`.
 *
 * @param files - the files that will be fetched: no other links are kept; absent for all
 */
export const serviceLinks = Effect.fnUntraced(function* (
  entries: ReadonlyArray<CatalogEntry>,
  files?: ReadonlyArray<PlannedFile>
): Effect.fn.Return<RunLinks, never, ServiceClient> {
  const client = yield* ServiceClient
  return yield* makeLinks({
    ask: Effect.fnUntraced(function* (id: string) {
      const askedAt = yield* Clock.currentTimeMillis
      const analysis = AnalysisId.make(id)
      return entryOf({ id: analysis, named: true }, yield* client.getFileDownloadLinks(analysis), askedAt)
    }),
    held: files === undefined ? entries : entriesFor(files, entries),
    noLink: ({ _tag }, file, known) => {
      if (_tag === "Archived") {
        const listed = known?.listed.files.find(({ fileName }) => fileName === file.fileName)
        const analysisId = AnalysisId.make(file.analysisId)
        return InArchive.of({ analysisId, fileName: file.fileName }, listed?.estimatedRestoreTime ?? null)
      }
      const what = `download ${nameOf(file)}`
      return _tag === "Several"
        ? new ReplyMalformed({ request: what, reason: "two files of this name are listed" })
        : new NotFound({ what, ...details[_tag] })
    },
    once: true
  })
})

const details = {
  Missing: { detail: "the service does not list the file any more" },
  Unlinked: {},
  Ended: {}
}

/** The links of a links file, each until it says that it ends; nobody is asked for others. */
export const manifestLinks = (entries: ReadonlyArray<CatalogEntry>): Effect.Effect<RunLinks> =>
  makeLinks({
    ask: null,
    held: entries,
    noLink: (no, file) => {
      if (no._tag === "Ended") {
        return new LinkExpired({ file: printable(file.fileName), reason: `it ended at ${no.at.toISOString()}` })
      }
      const detail = no._tag === "Several" ? { detail: "the links file has two files of this name" } : {}
      return new NotFound({ what: nameOf(file), ...detail })
    }
  })

const nameOf = ({ analysisId, fileName }: { readonly analysisId: string; readonly fileName: string }) =>
  `link of ${printable(fileName)} (analysis ${printable(analysisId)})`

/** What the answers say of `files`, and of the indexes that their slices need. */
const entriesFor = (
  files: ReadonlyArray<PlannedFile>,
  entries: ReadonlyArray<CatalogEntry>
): ReadonlyArray<CatalogEntry> => {
  const wanted = Map.groupBy(files, ({ analysisId }) => analysisId)
  return entries.flatMap(({ links, listed, ...entry }) => {
    const planned = wanted.get(listed.id) ?? []
    const names = new Set(planned.flatMap(({ fileName, slice }) => [fileName, ...(slice?.indexFiles ?? [])]))
    const kept = [...links].filter(([name]) => names.has(name))
    const listedFiles = listed.files.filter(({ fileName }) => fileName !== null && names.has(fileName))
    return names.size === 0 ? [] : [{ ...entry, listed: { ...listed, files: listedFiles }, links: new Map(kept) }]
  })
}
