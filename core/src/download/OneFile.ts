/** The one file that a request means, whole or the slice of it, read in its order in place of being written to the disk. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ServiceClient } from "../client/ServiceClient.ts"
import {
  InArchive,
  type LocalIo,
  NotFound,
  namesOf,
  type ServiceError,
  SeveralFiles,
  type SourceError,
  UsageError
} from "../Errors.ts"
import { archivedNameOf, type WantedFile, wantedFiles } from "../selection/WantedFiles.ts"
import { timed } from "../telemetry/MonotonicTime.ts"
import { printable } from "../text/Printable.ts"
import { type FileContent, FileStreams } from "../transfer/FileStreams.ts"
import type { SliceTask } from "../transfer/SliceRequest.ts"
import { type CatalogEntry, selected } from "./Catalog.ts"
import type { RunOutcome } from "./DownloadForms.ts"
import { hasNoReads, missingOf, type PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type FileResult, failedFile, identity, regionNames } from "./FileResult.ts"
import { remarksOn } from "./PlanRemarks.ts"
import { logFields } from "./Run.ts"
import type { RunEvent } from "./RunEvent.ts"
import { type Ended, eventsOf, Listener, ownersOf, tell } from "./RunEvents.ts"
import { runLinks } from "./RunLinks.ts"
import { sliceTask } from "./SliceTasks.ts"

/** Why there is no file to read. */
export type OneFileError = ServiceError | NotFound | InArchive | SeveralFiles | UsageError

/**
 * Which of the files that the options mean.
 *
 * @category options
 * @since 0.1.0
 */
export interface OpenOptions {
  /** Its name, as the service lists it; it may be left out where there is one file only. */
  readonly file?: string | undefined
}

/** The file and its analysis. Fails when the request means no file, or several of which none is named. */
const find = Effect.fn("svc.download.findOne")(function* (
  request: DownloadRequest,
  { file: name }: OpenOptions
): Effect.fn.Return<{ readonly file: WantedFile; readonly entry: CatalogEntry }, OneFileError, ServiceClient> {
  const items = yield* Stream.runCollect(selected(request.selection, request.filetypes))
  const entries = items.flatMap((item) => (item._tag === "Listed" ? [item.entry] : []))
  const meant = entries.flatMap((entry) => wantedFiles([entry.listed], request).map((file) => ({ file, entry })))
  const found = name === undefined ? meant : meant.filter(({ file }) => file.fileName === name)
  const namesFrom = (some: typeof meant) => some.map(({ file: { analysisId, fileName } }) => ({ analysisId, fileName }))
  const [one, ...others] = found
  if (others.length > 0) return yield* new SeveralFiles({ files: namesFrom(found) })
  if (name !== undefined && one === undefined && meant.length > 0) {
    return yield* new NotFound({ what: `file ${printable(name)}`, detail: `there is ${namesOf(namesFrom(meant))}` })
  }
  for (const item of items) if (item._tag === "Failed") return yield* item.failure.error
  const listed = entries.map((entry) => entry.listed)
  const [lacking] = remarksOn(
    listed,
    meant.map(({ file }) => file),
    request
  ).failures
  if (one === undefined) {
    return yield* lacking?.error ?? new UsageError({ message: "Nothing is selected", options: ["analysisIds"] })
  }
  // Who names a file wants no other.
  if (lacking !== undefined && name === undefined) return yield* lacking.error
  const { file } = one
  if (hasNoReads(file)) {
    const message = `${printable(file.fileName)}: files of this type have no unmapped reads`
    return yield* new UsageError({ message, options: ["unmapped"] })
  }
  if (file.archived) return yield* InArchive.of({ ...file, fileName: archivedNameOf(file) }, file.estimatedRestoreTime)
  const missing = missingOf(file)
  return missing === null ? one : yield* missing
})

/**
 * A file that is open; `svc-steps/records` reads it.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenFile {
  /** @internal The one that was found. */
  readonly file: PlannedFile
  /** @internal */
  readonly content: FileContent
}

/** Opens the file of a request; what is read of it is read while its streams are. What happens is told as in a download. */
export const openOne = Effect.fn("svc.download.openOne")(function* (
  request: DownloadRequest,
  which: OpenOptions = {}
): Effect.fn.Return<OpenFile, OneFileError | SourceError, ServiceClient | FileStreams> {
  const [streams, listener] = [yield* FileStreams, yield* Listener]
  const { entry, file: found } = yield* find(request, which)
  const file: PlannedFile = { ...found, decision: { _tag: "Fetch" } }
  const { analysisId, fileName, size, slice } = file
  yield* tell({ _tag: "Listed", owners: ownersOf([entry]) })
  yield* tell({ _tag: "Begun", files: [file], bytes: size ?? 0 })
  const progress: SliceTask["progress"] = (some) => listener({ _tag: "Progress", file, progress: some })
  const links = yield* runLinks([entry], [file])
  const indexFile = slice?.indexFile ?? null
  const content =
    slice === null || indexFile === null
      ? yield* streams.open({
          data: { analysisId, fileName, ...(yield* links.lend({ analysisId, fileName })) },
          progress
        })
      : yield* streams.open({ ...(yield* sliceTask({ ...file, indexFile }, slice.content, links)), progress })
  yield* Effect.forEach(content.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  return { file, content }
})

/** Hands a file to `take`, part by part. The events are those of a download; the failure of an open file is its result. */
export const deliver = <E, R>(
  opened: Effect.Effect<OpenFile, E, R>,
  take: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
): Stream.Stream<RunEvent | Ended<RunOutcome>, E, R> => eventsOf(handOver(opened, take))

const handOver = Effect.fn("svc.download.handOver")(function* <E, R>(
  opened: Effect.Effect<OpenFile, E, R>,
  take: (bytes: Uint8Array) => Effect.Effect<void, LocalIo>
): Effect.fn.Return<RunOutcome, E, R> {
  let bytes = 0
  const read = Effect.gen(function* () {
    const { content, file } = yield* opened
    const passing = Stream.runForEach(content.bytes, (some) => {
      bytes += some.length
      return take(some)
    })
    const error = yield* Effect.annotateLogs(
      Effect.match(passing, { onSuccess: () => null, onFailure: (failure) => failure }),
      logFields(file)
    )
    return { content, error, file, soFar: yield* content.soFar }
  })
  const { timing, value } = yield* timed(read)
  const { content, error, file, soFar } = value
  const { attempts, fetched, records, renewals } = soFar
  const known = { ...identity(file, { destination: "" }), path: null, bytes }
  const transfer = { attempts, renewals, ...timing }
  const regions = content.regions === null ? null : regionNames(content.regions)
  const { warnings } = content
  const came = file.slice === null ? null : fetched
  const result: FileResult =
    error === null
      ? { _tag: "Streamed", ...known, regions, records, fetched: came, warnings, transfer }
      : { ...failedFile(known, error), transfer }
  yield* tell({ _tag: "Finished", file, result })
  return { results: [result] }
})
