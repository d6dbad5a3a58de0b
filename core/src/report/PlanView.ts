/**
 * What `--plan` prints: every file with its path, size and decision, the disk space it needs, and what stands in the way.
 */

import type { Decision, DownloadPlan, PlannedFile } from "../download/DownloadPlan.ts"
import type { FileFailure, FileReason, SkipReason } from "../download/FileResult.ts"
import type { DiskSpace } from "../download/Planning.ts"
import { finalPath } from "../selection/OutputPath.ts"
import { printable } from "../text/Printable.ts"
import { humanSize } from "../text/Size.ts"
import { sizeText } from "./Listing.ts"
import { failureJson } from "./Report.ts"

type Prose = (text: string) => string

/**
 * One line per file (`fetch`, `skip` or `fail`), then totals; nothing has been touched.
 *
 * @param prose - what the messages of errors, and estimates as the service wrote them, go through
 */
export const planText = (
  plan: DownloadPlan,
  failures: ReadonlyArray<FileFailure>,
  disk: DiskSpace,
  prose: Prose
): string =>
  [
    ...plan.files.map((file) => lineOf(file, disk, prose)),
    ...failures.map(({ error }) => `fail   ${printable(prose(error.message))}`),
    "",
    ...sums(plan, disk)
  ].join("\n")

const lineOf = (file: PlannedFile, disk: DiskSpace, prose: Prose): string => {
  const path = printable(finalPath(disk.destination, file))
  const what = `${path}  ${sizeText(file.size)}`
  switch (file.decision._tag) {
    case "Fetch":
      return `fetch  ${what}${sliceText(file)}`
    case "Skip":
      return `skip   ${what}  (${skipText(file, file.decision.reason, prose)})`
    case "Fail":
      return `fail   ${path}  (${printable(prose(file.decision.error.message))})`
  }
}

const skipText = (file: PlannedFile, reason: SkipReason, prose: Prose): string => {
  switch (reason) {
    case "exists":
      return "exists: --overwrite replaces it"
    case "archived":
      return `archived: a restoration would be needed${estimate(file, "; one is under way, ", prose)}`
    case "pending":
      return `archived: its restoration is under way${estimate(file, ", ", prose)}`
    case "no-reads":
      return "this file type has no unmapped reads"
  }
}

/** What a slice is made of. */
const sliceText = ({ fileName, slice }: PlannedFile): string => {
  if (slice?.estimate == null) return ""
  const { regions, requests } = slice.estimate
  return `  (to fetch of ${printable(fileName)} in ${requests} requests, for ${printable(shorten(regions))}, with a fresh index)`
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}...` : text)

const estimate = ({ estimatedRestoreTime }: PlannedFile, before: string, prose: Prose) =>
  estimatedRestoreTime === null ? "" : `${before}expected at ${printable(prose(estimatedRestoreTime))}`

const sums = (plan: DownloadPlan, disk: DiskSpace): ReadonlyArray<string> => {
  const count = (tag: PlannedFile["decision"]["_tag"]) => plan.files.filter((file) => file.decision._tag === tag).length
  const unknown = disk.unknown === 0 ? "" : ` and ${disk.unknown} of unknown size`
  const free = disk.free === null ? "free space unknown" : `${humanSize(disk.free)} free`
  return [
    `${count("Fetch")} to fetch, ${count("Skip")} to skip, ${count("Fail")} refused`,
    `Disk: ${disk.bytes} bytes (${humanSize(disk.bytes)}) needed${unknown}, ${free} in ${printable(disk.destination)}` +
      (disk.free !== null && disk.bytes > disk.free ? ": NOT ENOUGH" : "")
  ]
}

const reasonOf = (decision: Decision): FileReason | null => {
  if (decision._tag === "Skip") return decision.reason
  return decision._tag === "Fail" && decision.existing !== undefined ? "differs" : null
}

/** The document of `--plan --format json`, schema `svc.plan/1`. */
export const planJson = (plan: DownloadPlan, failures: ReadonlyArray<FileFailure>, disk: DiskSpace) => ({
  schema: "svc.plan/1",
  destination: disk.destination,
  disk: { neededBytes: disk.bytes, filesOfUnknownSize: disk.unknown, freeBytes: disk.free },
  files: plan.files.map((file) => ({
    analysisId: file.analysisId,
    fileName: file.fileName,
    path: finalPath(disk.destination, file),
    size: file.size,
    existingBytes: file.decision._tag === "Fetch" ? null : (file.decision.existing ?? null),
    archived: file.archived,
    estimatedRestoreTime: file.estimatedRestoreTime,
    action: file.decision._tag.toLowerCase(),
    reason: reasonOf(file.decision),
    slice: file.slice?.estimate ?? null,
    error:
      file.decision._tag === "Fail" ? { tag: file.decision.error._tag, message: file.decision.error.message } : null
  })),
  failures: failures.map(failureJson),
  warnings: plan.warnings
})
