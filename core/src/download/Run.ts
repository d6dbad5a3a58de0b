/**
 * Carries a plan out: fetches its files some at a time, and says what became of it.
 *
 * A failure of one file never stops another. A data file and its index go one after the other, so that the index is
 * checked against the data it will lie beside, and never replaces the good index of a data file that could not be
 * replaced itself.
 */
import { Effect, FileSystem, Path } from "effect"
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import { dataFileOf } from "../selection/FileName.ts"
import { finalName, pathOf } from "../selection/OutputPath.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { leftBeside } from "../transfer/PartJournal.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { DownloadPlan, PlannedFile } from "./DownloadPlan.ts"
import { type FetchRequest, type FetchServices, fetchFile, identity } from "./FetchFile.ts"
import { type FileResult, untransferredResult } from "./FileResult.ts"
import type { LinkBook } from "./LinkBook.ts"
import { type Restorations, withRestoration } from "./Restoring.ts"
import { completeObserver, type RunObserver } from "./RunObserver.ts"

export interface RunRequest extends FetchRequest {
  /** Files in transfer at the same time. */
  readonly connections: number
  /** What became of the archived files; nothing when absent. */
  readonly restorations?: Restorations
}

/** Carries out the plan; gives the result of each file as the observer saw it, in the order of the plan. */
export const run = Effect.fn("svc.download.run")(function* (
  plan: DownloadPlan,
  links: LinkBook,
  request: RunRequest,
  observer: RunObserver
): Effect.fn.Return<ReadonlyArray<FileResult>, never, FetchServices> {
  const tell = completeObserver(observer)
  const results = new Map<PlannedFile, FileResult>()
  const settle = (file: PlannedFile, result: FileResult) =>
    Effect.suspend(() => {
      results.set(file, result)
      return Effect.annotateLogs(tell.finished(file, result), logFields(file))
    })
  const namesIn = yield* namesByFolder(request)
  for (const file of plan.files) {
    const result = resultWithoutFetch(file, request)
    if (result === null) continue
    if (result.reason !== "exists") {
      yield* settle(file, result)
      continue
    }
    yield* removeLeftovers(file, yield* namesIn(file.folder), request)
    const error = yield* Effect.match(addChecksums(file, request), {
      onSuccess: () => null,
      onFailure: (error) => error
    })
    yield* settle(
      file,
      error === null ? result : untransferredResult(identity(file, request), { action: "failed", reason: null, error })
    )
  }
  yield* Effect.forEach(
    pairs(plan.files),
    Effect.fnUntraced(function* (pair) {
      let broken: FileResult["error"] = null
      for (const file of pair) {
        const result: FileResult =
          broken === null
            ? yield* Effect.annotateLogs(
                fetchFile(file, links, request, (event) => tell.progress(file, event)),
                logFields(file)
              )
            : indexFailure(file, broken, request)
        broken = result.error
        yield* settle(file, result)
      }
    }),
    { concurrency: request.connections, discard: true }
  )
  return plan.files.flatMap((file) => results.get(file) ?? [])
})

/** What lines of the log are about. */
const logFields = ({ analysisId, fileName }: PlannedFile) => ({ analysis: analysisId, file: fileName })

/** The fetched files: each data file followed by its index, indexes of other data files alone. */
const pairs = (files: ReadonlyArray<PlannedFile>): ReadonlyArray<ReadonlyArray<PlannedFile>> => {
  const fetch = files.filter((file) => file.decision._tag === "Fetch")
  const byPath = new Map(fetch.map((file) => [pathOf(file), file]))
  const dataOf = (file: PlannedFile) => {
    const name = dataFileOf(file.fileName)
    return name === null ? undefined : byPath.get(pathOf({ folder: file.folder, fileName: name }))
  }
  const indexes = Map.groupBy(fetch, dataOf)
  // `concat` makes a list of its exact length, where a spread reserves room for 17.
  return (indexes.get(undefined) ?? []).map((file) => [file].concat(indexes.get(file) ?? []))
}

/** The result of a file that the plan does not fetch; null for one that it does. */
export const resultWithoutFetch = (
  file: PlannedFile,
  request: Pick<RunRequest, "destination" | "restorations">
): FileResult | null => {
  const { decision } = file
  switch (decision._tag) {
    case "Fetch":
      return null
    case "Skip": {
      const skipped = untransferredResult(identity(file, request), {
        action: "skipped",
        reason: decision.reason,
        error: null
      })
      return withRestoration(skipped, request.restorations?.get(file))
    }
    case "Fail":
      return untransferredResult(identity(file, request), { action: "failed", reason: null, error: decision.error })
  }
}

/** An index whose data file failed in this run: it fails with the same error. */
const indexFailure = (file: PlannedFile, error: FileResult["error"], request: RunRequest): FileResult =>
  untransferredResult(identity(file, request), { action: "failed", reason: null, error })

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

/** A file that is there may have lost its checksum, or never got it. */
const addChecksums = Effect.fnUntraced(function* (file: PlannedFile, { checksums, destination }: RunRequest) {
  if (checksums === null) return
  const path = yield* Path.Path
  const transfer = yield* FileTransfer
  const name = finalName(file)
  const names = file.slice === null ? [name] : [name, ...indexSuffixes.map((suffix) => `${name}.${suffix}`)]
  for (const one of names) yield* transfer.addChecksum(path.join(destination, file.folder), one, checksums)
})

/** A file that was complete when its run was killed may have leftovers beside it. */
const removeLeftovers = Effect.fnUntraced(function* (
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
