/**
 * The report file of a run, schema `svc.report/1`: what became of every file, for programs and for the record.
 *
 * Times are ISO 8601 UTC, sizes bytes, durations seconds. A report holds no link, password, cookie or token.
 */

import type { ExitCode } from "../Errors.ts"
import { ExitCodes } from "../Errors.ts"

/** Why a file was left alone; not a failure (design.md section 6). `no-reads`: unmapped reads of a VCF. */
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
  readonly error: Failure["error"] | null
}

export interface ReportRun {
  readonly version: string
  /** Host of the service. */
  readonly host: string
  readonly startedAt: Date
  readonly finishedAt: Date
  /** Null when a signal stopped the run. */
  readonly exitCode: ExitCode | null
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
  milliseconds: 0
})

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
  host: run.host,
  startedAt: run.startedAt.toISOString(),
  finishedAt: run.finishedAt.toISOString(),
  seconds: seconds(run.finishedAt.getTime() - run.startedAt.getTime()),
  exitCode: run.exitCode,
  exitMeaning: run.exitCode === null ? "stopped before its end" : ExitCodes[run.exitCode],
  totals: totalsOf(results),
  files: results.map(({ milliseconds, error, ...result }) => ({
    ...result,
    seconds: seconds(milliseconds),
    error: error === null ? null : errorJson(error)
  }))
})

/** The same shape of a failure wherever one is written as JSON. */
export const failureJson = ({ analysisId, fileName, error }: Failure) => ({
  analysisId,
  fileName,
  error: errorJson(error)
})

const errorJson = (error: Failure["error"]) => ({ tag: error._tag, message: error.message })

const seconds = (milliseconds: number) => Math.round(milliseconds) / 1000
