/** One file of a plan, from its link to its final name: whole, or the slice that is wanted of it. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { CannotCreate, errnoOf, LocalIo, NotFound, type TransferError } from "../Errors.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { finalName } from "../selection/OutputPath.ts"
import type { WantedSlice } from "../selection/WantedFiles.ts"
import { timed } from "../telemetry/MonotonicTime.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import type { SliceOutcome } from "../transfer/SliceRequest.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { Traffic } from "../transfer/Transfer.ts"
import type { TransferOutcome, TransferProgress } from "../transfer/TransferRequest.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type FileResult, type FileTransferred, failedFile, identity, indexResult, regionNames } from "./FileResult.ts"
import type { RunLinks } from "./RunLinks.ts"
import { existingSlice, sliceTask } from "./SliceTasks.ts"

/** What all files of a run have in common. */
export interface FetchRequest extends Pick<DownloadRequest, "check" | "checksums" | "destination" | "overwrite"> {
  /** Names the service; part of the identity of unfinished files. */
  readonly target: string
}

type OnProgress = (event: TransferProgress) => Effect.Effect<void>

export type FetchServices = FileTransfer | SliceTransfer | FileSystem.FileSystem | Path.Path | Codec

/** Fetches a file; its failure is a result. */
export const fetchFile = Effect.fnUntraced(function* (
  file: PlannedFile,
  links: RunLinks,
  request: FetchRequest,
  progress: OnProgress
): Effect.fn.Return<FileResult, never, FetchServices> {
  const spent = yield* Ref.make<Traffic>({ attempts: 0, renewals: 0 })
  const watch: OnProgress = (event) =>
    event._tag === "GivenUp" ? Effect.andThen(Ref.set(spent, event), progress(event)) : progress(event)
  const attempt: Effect.Effect<TransferOutcome | SliceOutcome, TransferError, FetchServices> =
    file.slice === null ? fetchWhole(file, links, request, watch) : fetchSlice(file, file.slice, links, request, watch)
  const { timing, value } = yield* timed(Effect.result(attempt))
  const { attempts, renewals } = Result.isSuccess(value) ? value.success : yield* Ref.get(spent)
  const transfer = { attempts, renewals, ...timing }
  if (Result.isSuccess(value)) return resultOf(file, request, value.success, transfer)
  const error = value.failure
  const existing = error._tag === "SvcFileDiffers" ? error.bytes : undefined
  return { ...failedFile(identity(file, request), error, existing), transfer }
})

const resultOf = (
  file: PlannedFile,
  request: FetchRequest,
  outcome: TransferOutcome | SliceOutcome,
  transfer: FileTransferred
): FileResult => {
  const known = { ...identity(file, request), bytes: outcome.bytes }
  if (!("regions" in outcome)) {
    if (outcome.action === "exists") {
      return { _tag: "Kept", ...known, regions: null, index: null, fetched: null, warnings: [], transfer }
    }
    const { provenBy, resumedFrom, sha256 } = outcome
    return { _tag: "Downloaded", ...known, resumedFrom, sha256, provenBy, index: null, transfer }
  }
  const { fetched, warnings } = outcome
  const cut = { regions: regionNames(outcome.regions), index: indexResult(file, request, outcome.index) }
  if (outcome.action === "exists") return { _tag: "Kept", ...known, ...cut, fetched, warnings, transfer }
  const { listedBytes: _, ...sliced } = known
  const { records, sha256 } = outcome
  return { _tag: "Sliced", ...sliced, ...cut, sha256, records, fetched, warnings, transfer }
}

/** The folder of a file, made where it is missing; not by Node's way for several levels, which never ends in `/proc`. */
const folderOf = Effect.fnUntraced(function* (file: PlannedFile, request: FetchRequest) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = path.join(request.destination, file.folder)
  if (file.folder !== "") {
    const isFolder = Effect.map(fs.stat(directory), ({ type }) => type === "Directory")
    yield* fs.makeDirectory(directory).pipe(
      Effect.catch((error) =>
        Effect.flatMap(
          Effect.orElseSucceed(isFolder, () => false),
          (there) => (there ? Effect.void : Effect.fail(error))
        )
      ),
      Effect.mapError(folderError(directory))
    )
  }
  return directory
})

const fetchWhole = Effect.fn("svc.download.fetchWhole")(function* (
  file: PlannedFile,
  links: RunLinks,
  request: FetchRequest,
  progress: OnProgress
) {
  yield* Effect.annotateCurrentSpan({ "svc.analysis": file.analysisId, "svc.file": file.fileName })
  const transfer = yield* FileTransfer
  const lent = yield* links.lend(file)
  const directory = yield* folderOf(file, request)
  return yield* transfer.download({
    target: request.target,
    analysisId: file.analysisId,
    fileName: file.fileName,
    directory,
    name: file.fileName,
    overwrite: request.overwrite,
    ...lent,
    size: lent.size ?? file.size,
    check: request.check,
    checksums: request.checksums,
    makesIndex: file.makesIndex === true,
    progress
  })
})

const fetchSlice = Effect.fn("svc.download.fetchSlice")(function* (
  file: PlannedFile,
  slice: WantedSlice,
  links: RunLinks,
  request: FetchRequest,
  progress: OnProgress
) {
  yield* Effect.annotateCurrentSpan({ "svc.analysis": file.analysisId, "svc.file": file.fileName })
  const path = yield* Path.Path
  const transfer = yield* SliceTransfer
  const context = yield* Effect.context<Codec | FileSystem.FileSystem>()
  const { indexFile } = slice
  if (indexFile === null) return yield* new NotFound({ what: `index of ${file.fileName}` })
  const task = yield* sliceTask({ ...file, indexFile }, slice.content, links)
  const directory = yield* folderOf(file, request)
  const name = finalName(file)
  return yield* transfer.download({
    ...task,
    directory,
    name,
    overwrite: request.overwrite,
    checksums: request.checksums,
    existing: Effect.provideContext(existingSlice(path.join(directory, name), task.kind, slice.content), context),
    progress
  })
})

const folderError = (path: string) => (error: PlatformError.PlatformError) =>
  ["EEXIST", "ENOTDIR"].includes(errnoOf(error))
    ? new CannotCreate({ path, reason: "something that is not a folder is in its place" })
    : LocalIo.of("create", path)(error)
