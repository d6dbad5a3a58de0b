/**
 * Carries a plan out: fetches its files some at a time, and says what became of it.
 *
 * A failure of one file never stops another. A data file and its index go one after the other, so that the index is
 * checked against the data it will lie beside, and never replaces the good index of a data file that could not be
 * replaced itself.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { AdviceOf, ending } from "../Errors.ts"
import { indexSuffixes } from "../genome/formats/FileNames.ts"
import { dataNames, dataPathOf, finalName, pathOf } from "../selection/OutputPath.ts"
import type { RunFile } from "../selection/RunFile.ts"
import { printable } from "../text/Printable.ts"
import { FileTransfer } from "../transfer/FileTransfer.ts"
import { leftBeside } from "../transfer/PartFiles.ts"
import { SliceTransfer } from "../transfer/SliceTransfer.ts"
import type { DownloadPlan, PlannedFile } from "./DownloadPlan.ts"
import { type FetchRequest, type FetchServices, fetchFile } from "./FetchFile.ts"
import { type FileResult, failedFile, identity, indexResult } from "./FileResult.ts"
import { type RestoreResults, restorationResult } from "./Restoring.ts"
import { Listener } from "./RunEvents.ts"
import type { RunLinks } from "./RunLinks.ts"

export interface RunRequest extends FetchRequest {
  /** Files in transfer at the same time. */
  readonly connections: number
  /** What became of the archived files; nothing when absent. */
  readonly restorations?: RestoreResults
  /** Nothing is fetched: all files are required, and it is known that one does not come. */
  readonly withheld?: boolean
}

/** Carries out the plan; gives the result of each file as it was told, in the order of the plan. */
export const run = Effect.fn("svc.download.run")(function* (
  plan: DownloadPlan<PlannedFile>,
  links: RunLinks,
  request: RunRequest
): Effect.fn.Return<ReadonlyArray<FileResult>, never, FetchServices> {
  // A transfer calls it from wherever it is.
  const listener = yield* Listener
  const results = new Map<PlannedFile, FileResult>()
  const settle = (file: PlannedFile, result: FileResult) =>
    Effect.suspend(() => {
      results.set(file, result)
      return listener({ _tag: "Finished", file, result })
    })
  const transfer = yield* FileTransfer
  // The records of data are read for it: nothing is made where all that is wanted does not come.
  const getsIndex = (file: PlannedFile) => file.makesIndex === true && request.withheld !== true
  const indexed = (file: PlannedFile, result: FileResult) =>
    getsIndex(file) ? withMadeIndex(transfer, file, request, result) : Effect.succeed(result)
  const namesIn = yield* namesByFolder(request)
  const kept: Array<{ readonly file: PlannedFile; readonly result: FileResult }> = []
  for (const file of plan.files) {
    const result = resultWithoutFetch(file, request)
    if (result === null) continue
    if (result._tag === "Kept") yield* removeLeftovers(file, yield* namesIn(file.folder), request)
    if (result._tag === "Kept" && (request.checksums !== null || getsIndex(file))) kept.push({ file, result })
    else yield* settle(file, result)
  }
  yield* Effect.forEach(
    request.withheld === true ? [] : pairs(plan.files),
    Effect.fnUntraced(function* ({ data, indexes }) {
      const fetched = (file: PlannedFile) =>
        fetchFile(file, links, request, (progress) => listener({ _tag: "Progress", file, progress })).pipe(
          Effect.flatMap((result) => indexed(file, result)),
          Effect.annotateLogs(logFields(file)),
          Effect.tap((result) => settle(file, result))
        )
      const came = yield* fetched(data)
      for (const index of indexes) {
        // It may lie elsewhere than its data: what explains the failure of that, such as the archive, is not said of it.
        yield* came._tag === "Failed"
          ? settle(index, { ...failedFile(identity(index, request), came.error), reason: null })
          : fetched(index)
      }
    }),
    { concurrency: request.connections, discard: true }
  )
  // What is read of kept files is read last: an index that came may show that its data is damaged, and no fetch waits.
  const doubted = new Set(
    Array.from(results, ([file, result]) =>
      result._tag === "Failed" && result.error._tag === "SvcFileDamaged" ? dataPathOf(file) : null
    )
  )
  yield* Effect.forEach(
    kept,
    ({ file, result }) =>
      Effect.match(vouch(file, request, doubted.has(pathOf(file))), {
        onSuccess: () => result,
        onFailure: (error) =>
          failedFile(identity(file, request), error, error._tag === "SvcFileDiffers" ? error.bytes : undefined)
      }).pipe(
        Effect.flatMap((vouched) => indexed(file, vouched)),
        Effect.annotateLogs(logFields(file)),
        Effect.flatMap((known) => settle(file, known))
      ),
    { concurrency: request.connections, discard: true }
  )
  return plan.files.flatMap((file) => results.get(file) ?? [])
})

/** The result with the index that is made of a file that is there. Where none can be made, that is the failure of the file. */
const withMadeIndex = Effect.fnUntraced(function* (
  transfer: FileTransfer["Service"],
  file: PlannedFile,
  { checksums, destination }: RunRequest,
  result: FileResult
): Effect.fn.Return<FileResult, never, Path.Path> {
  if (result._tag !== "Downloaded" && result._tag !== "Kept") return result
  const path = yield* Path.Path
  const directory = path.join(destination, file.folder)
  return yield* Effect.match(transfer.index({ directory, name: finalName(file), checksums }), {
    onSuccess: (index): FileResult =>
      index === null ? result : { ...result, index: indexResult(file, { destination }, index) },
    onFailure: (error) => {
      const { bytes, restoration, transfer } = result
      return { ...failedFile({ ...identity(file, { destination }), bytes, restoration }, error), transfer }
    }
  })
})

/** What lines of the log are about. */
export const logFields = ({ analysisId, fileName }: RunFile) => ({ analysis: analysisId, file: fileName })

/** The fetched files: each data file with its indexes, indexes of other data files alone, as `data`. */
const pairs = (files: ReadonlyArray<PlannedFile>) => {
  const fetch = files.filter((file) => file.decision._tag === "Fetch")
  const byPath = new Map(fetch.map((file) => [pathOf(file), file]))
  const dataOf = (file: PlannedFile) => {
    const path = dataPathOf(file)
    return path === null ? undefined : byPath.get(path)
  }
  const indexes = Map.groupBy(fetch, dataOf)
  return (indexes.get(undefined) ?? []).map((data) => ({ data, indexes: indexes.get(data) ?? [] }))
}

/** The result of a file that the plan does not fetch; null for one that it does. */
export const resultWithoutFetch = (
  file: PlannedFile,
  request: Pick<RunRequest, "destination" | "restorations" | "withheld">
): FileResult | null => {
  const { decision } = file
  switch (decision._tag) {
    case "Fetch":
      return request.withheld === true ? { _tag: "Skipped", ...identity(file, request), reason: "withheld" } : null
    case "Skip": {
      const { existing, index, reason } = decision
      const listed = identity(file, request)
      const known = { ...listed, bytes: existing ?? listed.bytes }
      if (reason === "exists") {
        const kept = index === undefined ? null : indexResult(file, request, { ...index, sha256: null })
        return { _tag: "Kept", ...known, regions: null, index: kept, fetched: null, warnings: [], transfer: null }
      }
      return restorationResult(known, reason, request.restorations?.get(file))
    }
    case "Fail":
      return failedFile(identity(file, request), decision.error, decision.existing)
  }
}

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

/** The checksum beside a kept file is compared, or put there, unless nothing states what the file should be: so it is of a slice. */
const vouch = Effect.fnUntraced(function* (file: PlannedFile, request: RunRequest, isDoubted: boolean) {
  const path = yield* Path.Path
  const transfer = yield* FileTransfer
  const size = file.slice === null && !isDoubted ? file.size : null
  const directory = path.join(request.destination, file.folder)
  const names = file.slice === null ? [finalName(file)] : dataNames(file)
  const vouched = yield* Effect.forEach(names, (name) =>
    transfer.vouch({ ...request, directory, name, fileName: name, size })
  )
  if (vouched.includes(true)) return
  const why = isDoubted ? "its index does not fit it" : "nothing states what it should be"
  const kept = `${printable(pathOf(file))}: kept without a checksum, as ${why}`
  yield* Effect.logWarning(ending(kept, (yield* AdviceOf)({ advice: "overwrite" })))
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
