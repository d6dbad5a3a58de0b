/**
 * The report file of a run, schema `svc.report/1`: what became of every file, for programs and for the record.
 *
 * Times are ISO 8601 UTC, sizes bytes, durations seconds. A report holds no link, password, cookie or token.
 */

import type { ExitCode } from "../Errors.ts"
import { ExitCodes } from "../Errors.ts"

/** Why a file was left alone; not a failure (docs/exit-codes.md). `no-reads`: unmapped reads of a VCF. */
export type SkipReason = "exists" | "archived" | "no-reads" | "pending"

/** A failure of one file, or of an analysis or selection (`fileName` or both ids null). */
export interface Failure {
  readonly analysisId: string | null
  readonly fileName: string | null
  readonly error: { readonly _tag: string; readonly message: string }
}

/** What became of one file. */
export interface FileResult {
  readonly analysisId: string | null
  readonly fileName: string | null
  /** Final path; null when the file has none. */
  readonly path: string | null
  readonly action: "downloaded" | "skipped" | "failed"
  readonly reason: SkipReason | null
  /** Size under the final name, or as listed when nothing was downloaded; null when unknown. */
  readonly bytes: number | null
  readonly resumedFrom: number
  readonly sha256: string | null
  /** The regions cut out, as the header of the slice names them; null for a whole file. */
  readonly regions: ReadonlyArray<string> | null
  /** Records of a slice. */
  readonly records: number | null
  /** The fresh index of a slice. */
  readonly index: { readonly path: string; readonly bytes: number; readonly sha256: string } | null
  /** Bytes that came for a slice, header and index included. */
  readonly fetched: number | null
  /** Requests to link hosts. */
  readonly attempts: number
  /** Links asked for again. */
  readonly renewals: number
  readonly milliseconds: number
  /** When its transfer began and ended; null when it did not get that far, or no further. */
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Null for a file that was not in the archive, as far as this run knows. */
  readonly restoration: Restoration | null
  /** `retryable`: the next look or run may not meet it. */
  readonly error: (Failure["error"] & { readonly retryable?: boolean }) | null
}

/** The restoration of an archived file, times as written where they are known: ISO 8601 unless the service errs. */
export interface Restoration {
  readonly requestedAt: string | null
  readonly estimate: string | null
}

/** Bytes that came from link hosts, those of repeated and abandoned requests too, by equal intervals of the run. */
export interface Throughput {
  readonly intervalSeconds: number
  readonly bytes: ReadonlyArray<number>
}

export interface ReportRun {
  /** Which step wrote it. */
  readonly step: "download" | "request-restore" | "resume-restore"
  readonly version: string
  /** Host of the service. */
  readonly host: string
  readonly startedAt: Date
  readonly finishedAt: Date
  /** Null when a signal stopped the run. */
  readonly exitCode: ExitCode | null
  readonly throughput: Throughput
  /** What to do next, one sentence each. */
  readonly advice: ReadonlyArray<string>
}

/** A result of a file that never got as far as a transfer. */
export const untouched = (
  file: Pick<FileResult, "analysisId" | "fileName" | "path" | "bytes">,
  outcome: Pick<FileResult, "action" | "reason" | "error">
): FileResult => ({
  ...file,
  ...outcome,
  resumedFrom: 0,
  sha256: null,
  regions: null,
  records: null,
  index: null,
  fetched: null,
  attempts: 0,
  renewals: 0,
  milliseconds: 0,
  startedAt: null,
  finishedAt: null,
  restoration: null
})

/** The error of a file that a run had not finished when it was stopped. */
export const stopped: NonNullable<FileResult["error"]> = {
  _tag: "Stopped",
  message: "the run was stopped before this file was whole; the next run goes on with it",
  retryable: true
}

export interface Totals {
  readonly downloaded: number
  readonly skipped: number
  readonly failed: number
  /** Bytes of the downloaded files. */
  readonly bytes: number
}

export const totalsOf = (results: ReadonlyArray<FileResult>): Totals => {
  const count = (action: FileResult["action"]) => results.filter((result) => result.action === action).length
  const bytes = results.reduce((sum, { action, bytes }) => sum + (action === "downloaded" ? (bytes ?? 0) : 0), 0)
  return { downloaded: count("downloaded"), skipped: count("skipped"), failed: count("failed"), bytes }
}

/** The document; its keys are the contract of the schema. */
export const reportJson = (run: ReportRun, results: ReadonlyArray<FileResult>) => ({
  schema: "svc.report/1",
  version: run.version,
  step: run.step,
  host: run.host,
  startedAt: run.startedAt.toISOString(),
  finishedAt: run.finishedAt.toISOString(),
  seconds: seconds(run.finishedAt.getTime() - run.startedAt.getTime()),
  exitCode: run.exitCode,
  exitMeaning: run.exitCode === null ? "stopped before its end" : ExitCodes[run.exitCode],
  totals: totalsOf(results),
  advice: run.advice,
  throughput: run.throughput,
  files: results.map(({ milliseconds, startedAt, finishedAt, error, ...result }) => ({
    ...result,
    seconds: seconds(milliseconds),
    startedAt: startedAt === null ? null : startedAt.toISOString(),
    finishedAt: finishedAt === null ? null : finishedAt.toISOString(),
    error: error === null ? null : errorJson(error)
  }))
})

export type ReportDocument = ReturnType<typeof reportJson>
export type ReportedFile = ReportDocument["files"][number]

/** The same shape of a failure wherever one is written as JSON. */
export const failureJson = ({ analysisId, fileName, error }: Failure) => ({
  analysisId,
  fileName,
  error: errorJson(error)
})

const errorJson = (error: Failure["error"]) => ({ tag: error._tag, message: error.message })

const seconds = (milliseconds: number) => Math.round(milliseconds) / 1000
