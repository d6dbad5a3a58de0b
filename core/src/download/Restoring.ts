/** The archived files of a plan: what becomes of them, and what their results say of it. */
import { Effect, type Path } from "effect"
import { type Candidate, type RestoreResult, restore } from "../archive/Requests.ts"
import { storedPaths } from "../archive/StoredPath.ts"
import type { ServiceAddress } from "../archive/TrackingDocument.ts"
import { newOptions } from "../archive/TrackingEntry.ts"
import { TrackingFile } from "../archive/TrackingFile.ts"
import type { ServiceClient } from "../client/ServiceClient.ts"
import type { Operator } from "../settings/Operator.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import type { FileResult } from "./FileResult.ts"
import type { Awaited } from "./RunObserver.ts"

export type Restorations = ReadonlyMap<PlannedFile, RestoreResult>

/** Left alone by the plan because it is archived, and not because it is there already. */
export const archivedOf = (files: ReadonlyArray<PlannedFile>): ReadonlyArray<PlannedFile> =>
  files.filter(({ decision }) => decision._tag === "Skip" && decision.reason === "archived")

/** Decides on the archived files of a plan and carries it out; each decision has been said. */
export const restoreArchived = Effect.fn("svc.download.restoreArchived")(function* (
  files: ReadonlyArray<PlannedFile>,
  request: DownloadRequest,
  service: ServiceAddress
): Effect.fn.Return<Restorations, never, ServiceClient | TrackingFile | Operator | Path.Path> {
  const archived = archivedOf(files)
  if (archived.length === 0) return new Map()
  const { path } = yield* TrackingFile
  const { check, checksums, destination, filetypes, layout, overwrite, regions } = request
  const wanted = { destination, overwrite, filetypes, layout, checksums, fully: check === "full", ...regions }
  // A later run uses the same options.
  const options = newOptions(wanted, yield* storedPaths(path))
  const candidates = archived.map(
    ({ analysisId, estimatedRestoreTime, fileName, size }): Candidate => ({
      analysisId,
      fileName,
      size,
      estimatedRestoreTime,
      options
    })
  )
  const results = yield* restore(candidates, { ...request.archive, ...service })
  const restorations = new Map<PlannedFile, RestoreResult>()
  for (const [index, file] of archived.entries()) {
    const result = results[index]
    if (result !== undefined) restorations.set(file, result)
  }
  return restorations
})

/** The pending ones. */
export const pendingOf = (restorations: Restorations): ReadonlyArray<Awaited> =>
  [...restorations.values()].flatMap((result) =>
    result._tag === "Pending" ? [{ estimate: result.estimate, underWay: true }] : []
  )

/** The result of an archived file, which says what its restoration came to. */
export const withRestoration = (plain: FileResult, restoration: RestoreResult | undefined): FileResult => {
  switch (restoration?._tag) {
    case undefined:
    case "Left":
      return plain
    case "Pending": {
      const { estimate, requestedAt } = restoration
      return { ...plain, reason: "pending", restoration: { requestedAt, estimate } }
    }
    case "Failed":
      return { ...plain, action: "failed", reason: null, error: restoration.error }
  }
}
