/**
 * The files of analyses: listed, planned, linked, downloaded, and asked back from the archive.
 *
 * ```
 * request -> analyses and their files -> plan -> restorations -> transfers -> outcomes
 *               |                         |
 *              list, links               plan
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import type { ServiceAddress } from "../archive/TrackingDocument.ts"
import { TrackingFile } from "../archive/TrackingFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import { type ServiceError, type TrackingError, type TrackingReadError, UsageError } from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { Operator } from "../settings/Operator.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import {
  ask,
  type DownloadServices,
  download,
  type LinksItem,
  type ListItem,
  links,
  list,
  type PlanOutcome,
  type PlanSubject,
  planRestore,
  planRun,
  type RunOutcome
} from "./DownloadForms.ts"
import { type DownloadOptions, type DownloadRequest, downloadRequest, type RequestError } from "./DownloadRequest.ts"
import { type FileSource, linksSource, serviceSource } from "./FileSource.ts"
import type { LinkManifest } from "./LinkManifest.ts"
import { makeResume } from "./Resume.ts"
import type { Look } from "./ResumeMemory.ts"
import type { RunObserver } from "./RunObserver.ts"

/** The files of analyses, from a service or from a file of links. */
export class Downloads extends Context.Service<
  Downloads,
  {
    /** What the selected analyses have, each as soon as it is known. Nothing is downloaded or restored. */
    readonly list: (request: DownloadRequest) => Stream.Stream<ListItem, ServiceError>
    /** What `run` would do, or `restore`; touches nothing and asks nobody. */
    readonly plan: (
      request: DownloadRequest,
      subject?: PlanSubject
    ) => Effect.Effect<PlanOutcome, ServiceError | UsageError>
    /** The links in place of the files, analysis by analysis, so that no link grows old. Restores nothing. */
    readonly links: (request: DownloadRequest) => Stream.Stream<LinksItem, ServiceError>
    /** Downloads; a failure of one file is its result and stops no other. */
    readonly run: (
      request: DownloadRequest,
      observer?: RunObserver
    ) => Effect.Effect<RunOutcome, ServiceError | UsageError>
    /** The same in one call: all files of these analyses, or those that the other options say. */
    readonly fetch: (
      options: DownloadOptions,
      observer?: RunObserver
    ) => Effect.Effect<RunOutcome, ServiceError | RequestError>
    /** Asks for the archived files and downloads nothing; what is there already has no result. */
    readonly restore: (
      request: DownloadRequest,
      observer?: RunObserver
    ) => Effect.Effect<RunOutcome, ServiceError | TrackingError | UsageError>
    /**
     * The requests that the restoration file holds: each look downloads what is back, as it was asked for.
     *
     * @param fallback - what is done where an entry says nothing
     */
    readonly resume: (fallback: DownloadRequest, observer?: RunObserver) => Effect.Effect<Looks, UsageError>
  }
>()("svc-steps/core/download/Downloads") {
  /** @internal The files of a service, through its session. */
  static readonly layer = (
    service: ServiceAddress
  ): Layer.Layer<Downloads, never, DownloadServices | ServiceClient | TrackingFile | Operator> =>
    Layer.effect(
      Downloads,
      Effect.gen(function* () {
        const source = serviceSource(service)
        const context = yield* servicesOf<ServiceClient | TrackingFile | Operator>()
        return Downloads.of({
          ...(yield* forms(source, service.target)),
          restore: (request, observer = {}) => Effect.provideContext(ask(source, request, observer), context),
          resume: (fallback, observer = {}) =>
            Effect.map(makeResume({ fallback, service, statusOnly: false }, observer), ({ look, sofar }) => ({
              look: Effect.provideContext(look, context),
              sofar
            }))
        })
      })
    )

  /** @internal The files whose links are in `manifest`; nobody logs in, and nothing is restored. */
  static readonly layerLinks = (manifest: LinkManifest): Layer.Layer<Downloads, never, DownloadServices> =>
    Layer.effect(
      Downloads,
      Effect.map(forms(linksSource(manifest), manifest.target.href), (some) =>
        Downloads.of({ ...some, restore: () => Effect.fail(noArchive), resume: () => Effect.fail(noArchive) })
      )
    )
}

const noArchive = new UsageError({ message: "A links file restores nothing: see svc-request-restore" })

/** Looks at stored requests, one after the other. */
export interface Looks {
  readonly look: Effect.Effect<Look, TrackingReadError>
  /** Where they stand at any moment. */
  readonly sofar: Effect.Effect<Look>
}

const pickServices = Context.pick(
  FileTransfer,
  SliceTransfer,
  LinkHost,
  PartFiles,
  Codec,
  FileSystem.FileSystem,
  Path.Path,
  ServiceClient,
  TrackingFile,
  Operator
)

/** The services that the layer was built with; span, annotations and logger are those of whoever calls. */
const servicesOf = <R>() =>
  Effect.map(
    Effect.context<DownloadServices | R>(),
    (context) =>
      pickServices(context as Context.Context<never>) as Context.Context<never> as Context.Context<DownloadServices | R>
  )

type Forms = Omit<Downloads["Service"], "restore" | "resume">

/** What every source of files has. */
const forms = Effect.fnUntraced(function* <R>(
  source: FileSource<R>,
  target: string
): Effect.fn.Return<Forms, never, DownloadServices | R> {
  const context = yield* servicesOf<R>()
  const run: Forms["run"] = (request, observer = {}) =>
    Effect.provideContext(download(source, target, request, observer), context)
  return {
    run,
    fetch: (options, observer) =>
      Effect.flatMap(Effect.provideContext(downloadRequest(options), context), (request) => run(request, observer)),
    list: (request) => Stream.provideContext(list(source, request), context),
    plan: (request, subject = "run") =>
      subject === "run"
        ? Effect.provideContext(planRun(source, request), context)
        : Effect.provideContext(planRestore(source, request), context),
    links: (request) => Stream.provideContext(links(source, request), context)
  }
})
