/** Results of a run, of which a test says only what it is about. */
import { AnalysisId } from "../core/src/contract/Ids.ts"
import type { FailedResult, FileResult, FileTransferred } from "../core/src/download/FileResult.ts"
import type { FileError } from "../core/src/Errors.ts"

type Case<Tag extends FileResult["_tag"]> = Extract<FileResult, { readonly _tag: Tag }>

const file = {
  analysisId: AnalysisId.make("A1"),
  fileName: "a.bam",
  path: "a.bam",
  bytes: 10,
  listedBytes: null,
  restoration: null
} as const

/** A transfer between two moments (ms since 1970); one without an end was stopped. */
export const transferred = (from = 0, to: number | null = 0, some: Partial<FileTransferred> = {}): FileTransferred => ({
  attempts: 0,
  renewals: 0,
  seconds: 0,
  startedAt: new Date(from),
  finishedAt: to === null ? null : new Date(to),
  ...some
})

export const downloaded = (some: Partial<Case<"Downloaded">> = {}): Case<"Downloaded"> => ({
  _tag: "Downloaded",
  ...file,
  resumedFrom: 0,
  sha256: "ab",
  provenBy: "blocks",
  index: null,
  transfer: transferred(),
  ...some
})

export const sliced = (some: Partial<Case<"Sliced">> = {}): Case<"Sliced"> => ({
  _tag: "Sliced",
  ...file,
  sha256: "ab",
  regions: ["chr1"],
  records: 1,
  index: { path: "a.bam.bai", bytes: 1, sha256: null },
  fetched: 0,
  warnings: [],
  transfer: transferred(),
  ...some
})

export const kept = (some: Partial<Case<"Kept">> = {}): Case<"Kept"> => ({
  _tag: "Kept",
  ...file,
  regions: null,
  index: null,
  fetched: null,
  warnings: [],
  transfer: null,
  ...some
})

export const pending = (some: Partial<Case<"Pending">> = {}): Case<"Pending"> => ({ _tag: "Pending", ...file, ...some })

export const skipped = (reason: Case<"Skipped">["reason"], some: Partial<Case<"Skipped">> = {}): Case<"Skipped"> => ({
  _tag: "Skipped",
  ...file,
  reason,
  ...some
})

export const failed = (error: FileError, some: Partial<FailedResult> = {}): FailedResult => ({
  _tag: "Failed",
  ...file,
  reason: null,
  error,
  transfer: null,
  ...some
})
