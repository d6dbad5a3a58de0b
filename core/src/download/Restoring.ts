/** The archived files of a plan: what becomes of them, and what their results say of it. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import {
  type Candidate,
  foreseeRestore,
  type RestoreForecast,
  type RestoreRequest,
  type RestoreResult,
  restore
} from "../archive/Requests.ts"
import { newOptions, storedPaths } from "../archive/TrackingEntry.ts"
import { type ServiceAddress, TrackingFile } from "../archive/TrackingFile.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import { CannotCreate, LocalIo } from "../Errors.ts"
import { archivedNameOf } from "../selection/WantedFiles.ts"
import { typeAt } from "../settings/NamedFiles.ts"
import type { Operator } from "../settings/Operator.ts"
import type { Outlook, PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type FileResult, failedFile, type ResultFile, type SkipReason } from "./FileResult.ts"
import type { Awaited } from "./RunEvent.ts"

export type RestoreResults = ReadonlyMap<PlannedFile, RestoreResult>
export type Outlooks = ReadonlyMap<PlannedFile, Outlook>

/** Left alone by the plan because it is archived, and not because it is there already. */
export const archivedOf = <File extends Pick<PlannedFile, "decision">>(
  files: ReadonlyArray<File>
): ReadonlyArray<File> => files.filter(({ decision }) => decision._tag === "Skip" && decision.reason === "archived")

/** Decides on the archived files of a plan and carries it out; each decision has been said. */
export const restoreArchived = Effect.fn("svc.download.restoreArchived")(function* (
  files: ReadonlyArray<PlannedFile>,
  request: DownloadRequest,
  service: ServiceAddress
): Effect.fn.Return<RestoreResults, never, ServiceClient | TrackingFile | Operator | Path.Path> {
  const archived = archivedOf(files)
  if (archived.length === 0) return new Map()
  const candidates = yield* candidatesOf(archived, request)
  return byFile(archived, yield* restore(candidates, restoreRequestOf(request, service)))
})

/** What `restoreArchived` would make of the archived files; nobody is asked, and nothing is written. */
export const foreseeArchived = Effect.fn("svc.download.foreseeArchived")(function* (
  files: ReadonlyArray<PlannedFile>,
  request: DownloadRequest,
  service: ServiceAddress
): Effect.fn.Return<Outlooks, never, TrackingFile | Operator | FileSystem.FileSystem | Path.Path> {
  const archived = archivedOf(files)
  if (archived.length === 0) return new Map()
  const candidates = yield* candidatesOf(archived, request)
  const forecasts = yield* foreseeRestore(candidates, restoreRequestOf(request, service))
  const outlooks = forecasts.map(outlookOf)
  const asks = outlooks.some(({ _tag }) => _tag === "Restore" || _tag === "Ask")
  const error = asks ? yield* unwritable((yield* TrackingFile).path) : null
  return byFile(
    archived,
    outlooks.map((outlook) =>
      error !== null && (outlook._tag === "Restore" || outlook._tag === "Ask") ? { _tag: "Fail", error } : outlook
    )
  )
})

/** Why the restoration file could not be written, without which nothing is asked for; null when it could. */
const unwritable = Effect.fnUntraced(function* (file: string) {
  const [fs, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const folder = path.dirname(path.resolve(file))
  if ((yield* Effect.orElseSucceed(typeAt(folder), () => null)) !== "Directory") {
    return new CannotCreate({ path: file, reason: "its folder does not exist" })
  }
  return yield* Effect.match(fs.access(folder, { writable: true }), {
    onSuccess: () => null,
    onFailure: LocalIo.of("write to", folder)
  })
})

/** What happens with archived files of `service`. */
export const restoreRequestOf = (
  { archive, requireAll = false }: Pick<DownloadRequest, "archive" | "requireAll">,
  service: ServiceAddress
): RestoreRequest => ({ ...archive, requireAll, ...service })

const outlookOf = (forecast: RestoreForecast): Outlook => {
  if ("error" in forecast) return { _tag: "Fail", error: forecast.error }
  const { decision } = forecast
  const restoration = {
    ...forecast.restoration,
    why: decision.reason,
    ...("advice" in decision ? { advice: decision.advice } : {})
  }
  switch (decision._tag) {
    case "Request":
      return { _tag: "Restore", restoration }
    case "Ask":
      return { _tag: "Ask", restoration }
    case "Follow":
    case "Wait":
      return { _tag: "Skip", reason: "pending", restoration }
    case "Leave":
      return { _tag: "Skip", reason: "archived", restoration }
  }
}

/** The files as candidates, with the options that a later run uses. */
const candidatesOf = Effect.fnUntraced(function* (archived: ReadonlyArray<PlannedFile>, request: DownloadRequest) {
  const { path } = yield* TrackingFile
  const { check, checksums, destination, filetypes, layout, makeIndex, overwrite, regions } = request
  const wanted = {
    destination,
    overwrite,
    filetypes,
    layout,
    checksums,
    makeIndex,
    check,
    ...regions
  }
  const options = newOptions(wanted, yield* storedPaths(path))
  return archived.map(
    ({ analysisId, estimatedRestoreTime, fileName, size, slice }): Candidate => ({
      analysisId,
      fileName,
      ...(slice?.awaitsIndex === true ? { archivedName: archivedNameOf({ fileName, slice }) } : {}),
      size,
      estimatedRestoreTime,
      options
    })
  )
})

const byFile = <A>(files: ReadonlyArray<PlannedFile>, results: ReadonlyArray<A>): ReadonlyMap<PlannedFile, A> =>
  new Map(Arr.zip(files, results))

/** The pending ones. */
export const pendingOf = (restorations: RestoreResults): ReadonlyArray<Awaited> =>
  [...restorations.values()].flatMap((result) =>
    result._tag === "Pending" ? [{ estimate: result.estimate, underWay: true }] : []
  )

/** The result of a file that is left for `reason`; of an archived one it says what its restoration came to. */
export const restorationResult = (
  file: ResultFile,
  reason: Exclude<SkipReason, "exists">,
  restoration: RestoreResult | undefined
): FileResult => {
  switch (restoration?._tag) {
    case undefined:
    case "Left":
      return reason === "pending" ? { _tag: "Pending", ...file } : { _tag: "Skipped", ...file, reason }
    case "Pending": {
      const { estimate, requestedAt } = restoration
      return { _tag: "Pending", ...file, restoration: { requestedAt, estimate } }
    }
    case "Failed":
      return failedFile(file, restoration.error)
  }
}
