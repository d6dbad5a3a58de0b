/**
 * Carries a plan out: fetches its files some at a time, and says what became of it.
 *
 * A failure of one file never stops another. A data file and its index go one after the other, so that the index is
 * checked against the data it will lie beside, and never replaces the good index of a data file that could not be
 * replaced itself.
 */
import { Clock, DateTime, Effect, FileSystem, Path, type PlatformError, Ref } from "effect"
import { CannotCreate, errnoOf, LocalIo, NotFound, type TransferError } from "../Errors.ts"
import type { Codec } from "../genome/Codec.ts"
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import { dataFileOf } from "../selection/FileName.ts"
import type { WantedSlice } from "../selection/FileWish.ts"
import { finalName, finalPath, pathOf } from "../selection/Place.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { leftBeside } from "../transfer/PartJournal.ts"
import type { SliceOutcome } from "../transfer/SliceRequest.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { TransferOutcome, TransferProgress } from "../transfer/TransferRequest.ts"
import type { DownloadPlan, PlannedFile } from "./DownloadPlan.ts"
import { existingSlice } from "./ExistingSlice.ts"
import type { LinkBook } from "./LinkBook.ts"
import { type FileResult, untouched } from "./Outcome.ts"
import { sliceTask } from "./SliceTasks.ts"

export interface RunRequest {
  /** Names the service; part of the identity of unfinished files. */
  readonly target: string
  readonly destination: string
  readonly overwrite: boolean
  /** Files in transfer at the same time. */
  readonly connections: number
}

/** Told about everything while it happens; must not fail. */
export interface RunObserver {
  readonly progress: (file: PlannedFile, event: TransferProgress) => Effect.Effect<void>
  /** Once per file of the plan, skipped and refused ones too. */
  readonly finished: (file: PlannedFile, result: FileResult) => Effect.Effect<void>
}

type Services = FileTransfer | SliceTransfer | FileSystem.FileSystem | Path.Path | Codec

/** The result of each file, as the observer saw them, in the order of the plan. */
export const run = Effect.fn("selection.run")(function* (
  plan: DownloadPlan,
  links: LinkBook,
  request: RunRequest,
  observer: RunObserver
): Effect.fn.Return<ReadonlyArray<FileResult>, never, Services> {
  const results = new Map<PlannedFile, FileResult>()
  const settle = (file: PlannedFile, result: FileResult) =>
    Effect.suspend(() => {
      results.set(file, result)
      return observer.finished(file, result)
    })
  const namesIn = yield* namesByFolder(request)
  for (const file of plan.files) {
    const result = decided(file, request)
    if (result === null) continue
    if (result.reason === "exists") yield* tidied(file, yield* namesIn(file.folder), request)
    yield* settle(file, result)
  }
  yield* Effect.forEach(
    pairs(plan.files),
    Effect.fnUntraced(function* (pair) {
      let broken: FileResult["error"] = null
      for (const file of pair) {
        const result: FileResult =
          broken === null ? yield* fetched(file, links, request, observer) : orphaned(file, broken, request)
        broken = result.error
        yield* settle(file, result)
      }
    }),
    { concurrency: request.connections, discard: true }
  )
  return plan.files.flatMap((file) => results.get(file) ?? [])
})

/** The fetched files: each data file followed by its index, indexes of other data files alone. */
const pairs = (files: ReadonlyArray<PlannedFile>): ReadonlyArray<ReadonlyArray<PlannedFile>> => {
  const fetch = files.filter((file) => file.decision._tag === "Fetch")
  const byPath = new Map(fetch.map((file) => [pathOf(file), file]))
  const dataOf = (file: PlannedFile) => {
    const name = dataFileOf(file.fileName)
    return name === null ? undefined : byPath.get(pathOf({ folder: file.folder, fileName: name }))
  }
  const indexes = Map.groupBy(fetch, dataOf)
  return (indexes.get(undefined) ?? []).map((file) => [file, ...(indexes.get(file) ?? [])])
}

/** What a result says about its file before anything became of it. */
export const identity = (file: PlannedFile, request: Pick<RunRequest, "destination">) => ({
  analysisId: file.analysisId,
  fileName: file.fileName,
  path: finalPath(request.destination, file),
  bytes: file.size
})

/** The result of a file that the plan does not fetch. */
const decided = (file: PlannedFile, request: RunRequest): FileResult | null => {
  const { decision } = file
  switch (decision._tag) {
    case "Fetch":
      return null
    case "Skip":
      return untouched(identity(file, request), { action: "skipped", reason: decision.reason, error: null })
    case "Fail":
      return untouched(identity(file, request), { action: "failed", reason: null, error: decision.error })
  }
}

/** An index whose data file failed in this run: it fails with the same error. */
const orphaned = (file: PlannedFile, error: FileResult["error"], request: RunRequest): FileResult =>
  untouched(identity(file, request), { action: "failed", reason: null, error })

const fetched = (
  file: PlannedFile,
  links: LinkBook,
  request: RunRequest,
  observer: RunObserver
): Effect.Effect<FileResult, never, Services> =>
  Effect.gen(function* () {
    const startedAt = DateTime.toDate(yield* DateTime.now)
    const begun = yield* Clock.monotonicTimeNanos
    const spent = yield* Ref.make({ attempts: 0, renewals: 0 })
    const watched: RunObserver = {
      ...observer,
      progress: (file, event) =>
        event._tag === "GivenUp"
          ? Effect.andThen(
              Ref.set(spent, { attempts: event.attempts, renewals: event.renewals }),
              observer.progress(file, event)
            )
          : observer.progress(file, event)
    }
    const attempt = Effect.gen(function* () {
      return file.slice === null
        ? yield* whole(file, links, request, watched)
        : yield* cut(file, file.slice, links, request, watched)
    })
    const result = yield* attempt.pipe(
      Effect.catch((error: TransferError) =>
        Effect.gen(function* () {
          const milliseconds = Number(((yield* Clock.monotonicTimeNanos) - begun) / 1_000_000n)
          const failed = untouched(identity(file, request), { action: "failed", reason: null, error })
          return { ...failed, ...(yield* Ref.get(spent)), milliseconds }
        })
      )
    )
    return { ...result, startedAt, finishedAt: DateTime.toDate(yield* DateTime.now) }
  })

/** The folder of a file, made where it is missing; not by Node's way for several levels, which never ends in `/proc`. */
const folderOf = Effect.fnUntraced(function* (file: PlannedFile, request: RunRequest) {
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
      Effect.mapError(folderRefused(directory))
    )
  }
  return directory
})

const whole = Effect.fn("selection.fetch")(function* (
  file: PlannedFile,
  links: LinkBook,
  request: RunRequest,
  observer: RunObserver
) {
  const transfer = yield* FileTransfer
  const first = yield* links.current(file.analysisId, file.fileName)
  const directory = yield* folderOf(file, request)
  const outcome = yield* transfer.download({
    target: request.target,
    analysisId: file.analysisId,
    fileName: file.fileName,
    directory,
    name: file.fileName,
    overwrite: request.overwrite,
    size: first.size ?? file.size,
    link: first.link,
    renewLink: links.renewed?.(file.analysisId, file.fileName) ?? null,
    progress: (event) => observer.progress(file, event)
  })
  return downloaded(file, request, outcome)
})

const cut = Effect.fn("selection.cut")(function* (
  file: PlannedFile,
  slice: WantedSlice,
  links: LinkBook,
  request: RunRequest,
  observer: RunObserver
) {
  const path = yield* Path.Path
  const transfer = yield* SliceTransfer
  const context = yield* Effect.context<Codec | FileSystem.FileSystem>()
  if (slice.indexFile === null) return yield* new NotFound({ what: `index of ${file.fileName}` })
  const task = yield* sliceTask({ ...file, indexFile: slice.indexFile }, slice.wish, links)
  const directory = yield* folderOf(file, request)
  const name = finalName(file)
  const outcome = yield* transfer.download({
    ...task,
    directory,
    name,
    overwrite: request.overwrite,
    existing: Effect.provideContext(existingSlice(path.join(directory, name), task.kind, slice.wish), context),
    progress: (event) => observer.progress(file, event)
  })
  return cutOut(file, request, outcome)
})

/** The hidden names in a folder of the destination, read once for all its files. */
const namesByFolder = Effect.fnUntraced(function* ({ destination }: RunRequest) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const known = new Map<string, ReadonlyArray<string>>()
  return Effect.fnUntraced(function* (folder: string) {
    const before = known.get(folder)
    if (before !== undefined) return before
    const all = yield* Effect.orElseSucceed(fs.readDirectory(path.join(destination, folder)), () => [])
    const names = all.filter((name) => name.startsWith("."))
    known.set(folder, names)
    return names
  })
})

/** A file that was complete when its run was killed may have leftovers beside it. */
const tidied = Effect.fnUntraced(function* (
  file: PlannedFile,
  names: ReadonlyArray<string>,
  { destination }: RunRequest
) {
  const path = yield* Path.Path
  const directory = path.join(destination, file.folder)
  const name = finalName(file)
  if (file.slice !== null) {
    const left = ["", ...indexSuffixes.map((suffix) => `.${suffix}`)].some(
      (suffix) => leftBeside(directory, name + suffix, names).length > 0
    )
    if (left) yield* Effect.flatMap(SliceTransfer, (slices) => slices.tidy(directory, name))
    return
  }
  const transfer = yield* FileTransfer
  yield* Effect.forEach(leftBeside(directory, name, names), transfer.tidy, { discard: true })
})

/** The times are put in by the caller, who knows those of failures as well. */
const untimed = { startedAt: null, finishedAt: null, restoration: null }

const cutOut = (file: PlannedFile, request: RunRequest, outcome: SliceOutcome): FileResult => {
  const { index, regions } = outcome
  const exists = outcome.action === "exists"
  return {
    ...identity(file, request),
    action: exists ? "skipped" : "downloaded",
    reason: exists ? "exists" : null,
    bytes: outcome.bytes,
    resumedFrom: 0,
    sha256: outcome.sha256,
    // A long list is a summary with a comma in it.
    regions: regions.includes(", ") ? [regions] : regions.split(" "),
    records: outcome.records,
    index: index === null ? null : indexResult(file, request, index),
    fetched: outcome.fetched,
    attempts: outcome.attempts,
    renewals: outcome.renewals,
    milliseconds: outcome.milliseconds,
    ...untimed,
    error: null
  }
}

const indexResult = (file: PlannedFile, request: RunRequest, index: NonNullable<SliceOutcome["index"]>) => ({
  path: finalPath(request.destination, { ...file, slice: index }),
  bytes: index.bytes,
  sha256: index.sha256
})

const downloaded = (file: PlannedFile, request: RunRequest, outcome: TransferOutcome): FileResult => ({
  ...identity(file, request),
  action: outcome.action === "exists" ? "skipped" : "downloaded",
  reason: outcome.action === "exists" ? "exists" : null,
  bytes: outcome.bytes,
  resumedFrom: outcome.resumedFrom,
  sha256: outcome.sha256,
  regions: null,
  records: null,
  index: null,
  fetched: null,
  attempts: outcome.attempts,
  renewals: outcome.renewals,
  milliseconds: outcome.milliseconds,
  ...untimed,
  error: null
})

const folderRefused = (path: string) => (error: PlatformError.PlatformError) =>
  ["EEXIST", "ENOTDIR"].includes(errnoOf(error))
    ? new CannotCreate({ path, reason: "something that is not a folder is in its place" })
    : LocalIo.of("create", path)(error)
