/**
 * Whether the files of a plan fit onto the disk, asked before the first byte moves (fault K2).
 */
import { type CannotCreate, DiskTooSmall, type LocalIo, type UsageError } from "../Errors.ts"
import type { DownloadPlan, PlannedFile } from "./DownloadPlan.ts"

/** What a run still has to write. */
export interface DiskNeed {
  /** Bytes still to be written for the files whose size is known. */
  readonly bytes: number
  /** Files to be fetched whose size the service does not state. */
  readonly unknown: number
}

/**
 * What the fetched files need. A file that gets overwritten stays until its successor is whole, so it frees nothing.
 *
 * @param present - bytes that an earlier run already has on this disk for a file
 */
export const diskNeed = (files: ReadonlyArray<PlannedFile>, present: (file: PlannedFile) => number): DiskNeed => {
  let bytes = 0
  let unknown = 0
  for (const file of files) {
    if (file.decision._tag !== "Fetch") continue
    if (file.size === null) unknown++
    else bytes += Math.max(0, file.size - present(file))
  }
  return { bytes, unknown }
}

/** The refusal when `need` exceeds the `free` bytes; null when it fits or the file system does not say how much is free. */
export const shortage = (need: DiskNeed, destination: string, free: number | null): DiskTooSmall | null =>
  free !== null && need.bytes > free ? new DiskTooSmall({ path: destination, needed: need.bytes, free }) : null

/** The plan without its fetches: each fails with `error`. */
export const refuseAll = (
  plan: DownloadPlan,
  error: CannotCreate | DiskTooSmall | LocalIo | UsageError
): DownloadPlan => ({
  ...plan,
  files: plan.files.map((file) =>
    file.decision._tag === "Fetch" ? { ...file, decision: { _tag: "Fail", error } } : file
  )
})
