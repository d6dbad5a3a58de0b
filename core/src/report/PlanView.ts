/**
 * What `--plan` prints: every file with its path, size and what becomes of it, the disk space that is needed, and what stands in
 * the way.
 */

import type { PlanOutcome } from "../download/DownloadForms.ts"
import type { ForeseenFile, ForeseenRestoration, Outlook } from "../download/DownloadPlan.ts"
import { reasonOfFailure } from "../download/FileResult.ts"
import type { DiskSpace } from "../download/Planning.ts"
import { type Advising, ending, sentenceOf } from "../Errors.ts"
import { finalPath } from "../selection/OutputPath.ts"
import { printable } from "../text/Printable.ts"
import { humanSize } from "../text/Quantity.ts"
import { sizeText } from "./Listing.ts"
import { errorJson, failureJson } from "./Report.ts"

type Prose = (text: string) => string

/**
 * One line per file (`fetch`, `restore`, `ask`, `skip` or `fail`), then totals; nothing has been touched.
 *
 * @param prose - what the messages of errors, and estimates as the service wrote them, go through
 */
export const planText = ({ disk, failures, plan, subject }: PlanOutcome, prose: Prose, adviceOf: Advising): string =>
  [
    ...plan.files.map((file) => lineOf(file, disk, prose, adviceOf)),
    ...failures.map(({ error }) => `fail    ${printable(prose(sentenceOf(adviceOf)(error)))}`),
    "",
    countsOf(plan.files, subject, failures.length),
    // What is restored now needs its space when it is downloaded.
    ...(subject === "run" ? [spaceText(disk)] : [])
  ].join("\n")

const lineOf = (file: ForeseenFile, disk: DiskSpace, prose: Prose, adviceOf: Advising): string => {
  const { decision } = file
  const path = printable(finalPath(disk.destination, file))
  const what = `${decision._tag.toLowerCase().padEnd(7)} ${path}`
  const size = `  ${sizeText(file.size)}`
  switch (decision._tag) {
    case "Fetch":
      return `${what}${size}${sliceText(file)}${indexText(file)}`
    case "Skip":
      return `${what}${size}  (${skipText(decision, prose, adviceOf)})`
    case "Restore":
    case "Ask":
      return `${what}${size}  (archived: ${whyText(decision.restoration, prose, adviceOf)})`
    case "Fail":
      return `${what}  (${printable(prose(sentenceOf(adviceOf)(decision.error)))})`
  }
}

const skipText = (
  { reason, restoration }: Outlook & { readonly _tag: "Skip" },
  prose: Prose,
  adviceOf: Advising
): string => {
  switch (reason) {
    case "exists":
      return ending("exists", adviceOf({ advice: "overwrite" }))
    case "archived":
      return `archived${restoration === undefined ? "" : `: ${whyText(restoration, prose, adviceOf)}`}`
    case "pending":
      return `archived: its restoration is pending, no new request${estimateText(restoration, prose)}`
    case "available":
      return "available: nothing to restore"
    case "no-reads":
      return "this file type has no unmapped reads"
    case "withheld":
      return "not without the others: all files are required"
  }
}

const whyText = (restoration: ForeseenRestoration, prose: Prose, adviceOf: Advising): string => {
  const why = ending(restoration.why, adviceOf(restoration))
  return restoration.estimate === null ? why : `${why}; one is under way${estimateText(restoration, prose)}`
}

const estimateText = (restoration: ForeseenRestoration | undefined, prose: Prose): string =>
  restoration?.estimate == null ? "" : `, expected at ${printable(prose(restoration.estimate))}`

const indexText = ({ makesIndex }: ForeseenFile): string => (makesIndex === true ? "  (its index is made)" : "")

/** What a slice is made of. */
const sliceText = ({ fileName, slice }: ForeseenFile): string => {
  if (slice?.estimate == null) return ""
  const { regions, requests } = slice.estimate
  return `  (to fetch of ${printable(fileName)} in ${requests} requests, for ${printable(shorten(regions))}, with a fresh index)`
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}...` : text)

/** `1 to fetch, 1 to restore, 0 to skip, 0 refused`: restorations and questions where there are some. */
const countsOf = (files: ReadonlyArray<ForeseenFile>, subject: PlanOutcome["subject"], failures: number): string => {
  const count = (tag: Outlook["_tag"]) => files.filter(({ decision }) => decision._tag === tag).length
  const [restore, ask] = [count("Restore"), count("Ask")]
  return [
    ...(subject === "run" ? [`${count("Fetch")} to fetch`] : []),
    ...(restore > 0 || subject === "restore" ? [`${restore} to restore`] : []),
    ...(ask > 0 ? [`${ask} to ask about`] : []),
    `${count("Skip")} to skip`,
    `${count("Fail") + failures} refused`
  ].join(", ")
}

const spaceText = ({ bytes, destination, free, unknown }: DiskSpace): string => {
  const more = unknown === 0 ? "" : ` and ${unknown} of unknown size`
  const space = free === null ? "free space unknown" : `${humanSize(free)} free`
  const end = free !== null && bytes > free ? ": NOT ENOUGH" : ""
  return `Disk: ${bytes} bytes (${humanSize(bytes)}) needed${more}, ${space} in ${printable(destination)}${end}`
}

const reasonOf = (decision: Outlook) => {
  if (decision._tag === "Skip") return decision.reason
  if (decision._tag !== "Fail") return null
  return "existing" in decision ? "differs" : reasonOfFailure(decision.error)
}

const restorationJson = (restoration: ForeseenRestoration | undefined, adviceOf: Advising) => {
  if (restoration === undefined) return null
  const { estimate, requestedAt, why } = restoration
  return { why: ending(why, adviceOf(restoration)), requestedAt, estimate }
}

/** The document of `--plan --format json`, schema `svc.plan/1`. */
export const planJson = ({ disk, failures, plan }: PlanOutcome, adviceOf: Advising) => ({
  schema: "svc.plan/1",
  destination: disk.destination,
  disk: { neededBytes: disk.bytes, filesOfUnknownSize: disk.unknown, freeBytes: disk.free },
  files: plan.files.map((file) => {
    const { decision } = file
    return {
      analysisId: file.analysisId,
      fileName: file.fileName,
      path: finalPath(disk.destination, file),
      size: file.size,
      existingBytes: "existing" in decision ? (decision.existing ?? null) : null,
      archived: file.archived,
      estimatedRestoreTime: file.estimatedRestoreTime,
      action: decision._tag.toLowerCase(),
      reason: reasonOf(decision),
      restoration: restorationJson("restoration" in decision ? decision.restoration : undefined, adviceOf),
      slice: file.slice?.estimate ?? null,
      makesIndex: file.makesIndex ?? false,
      error: decision._tag === "Fail" ? errorJson(decision.error, adviceOf) : null
    }
  }),
  failures: failures.map((failure) => failureJson({ ...failure, fileName: null }, adviceOf)),
  warnings: plan.warnings
})
