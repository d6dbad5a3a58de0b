/**
 * The files of analyses: listed, planned, downloaded, and asked back from the archive.
 *
 * ```
 * request -> analyses and their files -> plan -> restorations -> transfers -> outcomes
 *               |                         |
 *              list                      plan
 * ```
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Stream from "effect/Stream"
import { type ServiceAddress, TrackingFile } from "../archive/TrackingFile.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import {
  type CannotCreate,
  mostSevere,
  type ServiceError,
  type SourceError,
  type TrackingError,
  type TrackingReadError,
  UsageError
} from "../Errors.ts"
import { Codec } from "../genome/bgzf/Codec.ts"
import { Operator } from "../settings/Operator.ts"
import { FileStreams } from "../transfer/FileStreams.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
import { PartFiles } from "../transfer/PartFiles.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import {
  ask,
  type Done,
  type DownloadServices,
  download,
  type ListItem,
  list,
  outcomeOf,
  type PlanOutcome,
  planRestore,
  planRun,
  type RunOutcome
} from "./DownloadForms.ts"
import { type DownloadOptions, type DownloadRequest, downloadRequest, type RequestError } from "./DownloadRequest.ts"
import { DownloadsFailed } from "./FileResult.ts"
import { type OneFileError, type OpenFile, type OpenOptions, openOne } from "./OneFile.ts"
import type { PlanFailure } from "./PlanRemarks.ts"
import type { Look } from "./RestorationStatus.ts"
import { makeResume } from "./Resume.ts"
import type { RunEvent } from "./RunEvent.ts"
import { type Ended, eventsOf } from "./RunEvents.ts"

/**
 * What can stop a run before its first file.
 *
 * @category errors
 * @since 0.1.0
 */
export type RunFailure = ServiceError | RequestError | CannotCreate

/**
 * Why records, or the bytes of a file, do not come, or not all of them.
 *
 * @category errors
 * @since 0.1.0
 */
export type RecordsError = OneFileError | RequestError | SourceError

/**
 * What a plan or the events are of.
 *
 * @category options
 * @since 0.1.0
 */
export interface RunOptions {
  /** `restore` only asks for the archived files; `run` is the default. */
  readonly subject?: "run" | "restore" | undefined
}

type RunEvents<E> = Stream.Stream<RunEvent | Ended<RunOutcome>, E>

/**
 * The files of analyses.
 *
 * **Example** (A file, or why it is not there)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Downloads } from "svc-steps"
 *
 * const path = Downloads.Downloads.use((downloads) => downloads.fetch({ analysisIds: ["A1"], destination: "data" })).pipe(
 *   Effect.map(({ results }) => results[0]?.path),
 *   Effect.catchTag("SvcDownloadsFailed", (failed) => Effect.logError(failed.message))
 * )
 * ```
 *
 * @category services
 * @since 0.1.0
 */
export class Downloads extends Context.Service<
  Downloads,
  {
    /** What the selected analyses have, each as soon as it is known. Nothing is downloaded or restored. */
    readonly list: (options: DownloadOptions) => Stream.Stream<ListItem, ServiceError | RequestError>
    /** What `run` would do, or `restore`; touches nothing and asks nobody. */
    readonly plan: (
      options: DownloadOptions,
      how?: RunOptions
    ) => Effect.Effect<PlanOutcome, ServiceError | RequestError>
    /**
     * Downloads. Fails with what concerns the whole run, such as the login, a selection of which nothing is found, or a destination
     * that is missing, and with one `DownloadsFailed` when any file failed: the others are there.
     */
    readonly fetch: (options: DownloadOptions) => Effect.Effect<RunOutcome, RunFailure | DownloadsFailed>
    /** The same, but the failure of a file or an analysis is one of the results. */
    readonly run: (options: DownloadOptions) => Effect.Effect<RunOutcome, RunFailure>
    /** What happens in a `run` or `restore`, and its outcome at the end; it goes on while the stream is read. */
    readonly events: {
      (
        options: DownloadOptions,
        how?: { readonly subject?: "run" | undefined }
      ): Stream.Stream<RunEvent | Ended<RunOutcome>, RunFailure>
      (
        options: DownloadOptions,
        how: RunOptions
      ): Stream.Stream<RunEvent | Ended<RunOutcome>, RunFailure | TrackingError>
    }
    /** Opens the one file that the options mean, for `svc-steps/records`; touches no disk, and restores nothing. */
    readonly open: (options: DownloadOptions, which?: OpenOptions) => Effect.Effect<OpenFile, RecordsError>
    /**
     * Asks for the archived files and downloads nothing; what could be downloaded at once has no result. As in `run` a failure is
     * one of the results, also that of an analysis which is not there. A missing destination fails before.
     */
    readonly restore: (options: DownloadOptions) => Effect.Effect<RunOutcome, RunFailure | TrackingError>
    /**
     * The requests that the restoration file holds: each look downloads what is back, as it was asked for.
     *
     * @param fallback - what is done where an entry says nothing
     */
    readonly resume: (fallback: DownloadOptions) => Effect.Effect<Looks, RequestError>
  }
>()("svc-steps/core/download/Downloads") {
  /** @internal The files of a service, through its session. */
  static readonly layer = (service: ServiceAddress): Layer.Layer<Downloads, never, DownloadServices> =>
    Layer.effect(
      Downloads,
      Effect.map(Effect.context<DownloadServices>(), (context) => make(service, pickServices(context)))
    )
}

/**
 * Looks at stored requests, one after the other.
 *
 * @category models
 * @since 0.1.0
 */
export interface Looks {
  readonly look: Effect.Effect<Look, TrackingReadError>
  /** What happens in a look, which is its outcome at the end. */
  readonly events: Stream.Stream<RunEvent | Ended<Look>, TrackingReadError>
}

// The services that the layer was built with; span, annotations and logger are those of whoever calls.
const pickServices = Context.pick(
  ServiceClient,
  TrackingFile,
  Operator,
  FileTransfer,
  SliceTransfer,
  FileStreams,
  LinkHost,
  PartFiles,
  Codec,
  FileSystem.FileSystem,
  Path.Path
)

const isRequest = (options: DownloadOptions | DownloadRequest): options is DownloadRequest =>
  Predicate.hasProperty(options, "selection")

/** Options as a request; one that was read already, as a step does before it logs in, is taken as it is. */
const requestOf = (options: DownloadOptions | DownloadRequest) =>
  isRequest(options) ? Effect.succeed(options) : downloadRequest(options)

/** The same for those who must select something. */
const selecting: typeof requestOf = (options) =>
  Effect.filterOrFail(
    requestOf(options),
    ({ selection: { analysisIds, limsIds, sampleIds } }) => analysisIds.length + limsIds.length + sampleIds.length > 0,
    () =>
      new UsageError({
        message: "Nothing is selected: give at least one of analysisIds, sampleIds and limsIds",
        options: ["analysisIds"]
      })
  )

/** Whoever asks for restorations has agreed to them. */
const restoring = (options: DownloadOptions | DownloadRequest) =>
  Effect.map(
    selecting(options),
    (request): DownloadRequest => ({ ...request, archive: { ...request.archive, mode: "force" } })
  )

const make = (service: ServiceAddress, context: Context.Context<DownloadServices>): Downloads["Service"] => {
  const provided = <A, E>(work: Effect.Effect<A, E, DownloadServices>) => Effect.provideContext(work, context)
  const runFor = (options: DownloadOptions) =>
    provided(Effect.flatMap(selecting(options), (request) => download(request, service)))
  const askFor = (options: DownloadOptions) =>
    provided(Effect.flatMap(restoring(options), (request) => ask(request, service)))
  function events(options: DownloadOptions, how?: { readonly subject?: "run" | undefined }): RunEvents<RunFailure>
  function events(options: DownloadOptions, how: RunOptions): RunEvents<RunFailure | TrackingError>
  function events(
    options: DownloadOptions,
    { subject = "run" }: RunOptions = {}
  ): RunEvents<RunFailure | TrackingError> {
    return eventsOf(Effect.map<Done, RunOutcome>(outcomeOf)(subject === "run" ? runFor(options) : askFor(options)))
  }
  return {
    run: (options) => Effect.map(runFor(options), outcomeOf),
    restore: (options) => Effect.map(askFor(options), outcomeOf),
    fetch: Effect.fnUntraced(function* (options) {
      const done = yield* runFor(options)
      const [first] = done.failures
      if (done.results.length === 0 && first !== undefined) return yield* worstOf(done.failures) ?? first.error
      const outcome = outcomeOf(done)
      if (outcome.results.some(({ _tag }) => _tag === "Failed")) return yield* new DownloadsFailed(outcome)
      return outcome
    }),
    events,
    open: (options, which) => provided(Effect.flatMap(selecting(options), (request) => openOne(request, which))),
    list: (options) => Stream.provideContext(Stream.unwrap(Effect.map(selecting(options), list)), context),
    plan: Effect.fnUntraced(function* (options, { subject = "run" } = {}) {
      return yield* subject === "run"
        ? provided(Effect.flatMap(selecting(options), (request) => planRun(request, service)))
        : provided(Effect.flatMap(restoring(options), (request) => planRestore(request, service)))
    }),
    resume: Effect.fnUntraced(function* (options) {
      const fallback = yield* provided(requestOf(options))
      const { look } = yield* makeResume({ fallback, service, statusOnly: false })
      return { look: provided(look), events: Stream.provideContext(eventsOf(look), context) }
    })
  }
}

/** The error that decides the exit code. */
const worstOf = (failures: ReadonlyArray<PlanFailure>): ServiceError | undefined => {
  const errors = failures.map(({ error }) => error)
  const code = mostSevere(errors)
  return errors.find((error) => Runtime.getErrorExitCode(error) === code)
}
