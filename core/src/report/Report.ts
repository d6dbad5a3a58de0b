/**
 * The report file of a run, schema `svc.report/1`: what became of every file, for programs and for the record.
 *
 * Times are ISO 8601 UTC, sizes bytes, durations seconds. A report holds no link, password, cookie or token.
 */

import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import {
  type FileFailure,
  type RunResult,
  type SkipReason,
  skipReasonOf,
  skipReasons,
  totalsOf
} from "../download/FileResult.ts"
import type { Throughput } from "../download/RunRecord.ts"
import { type Advising, codeOf, type ExitCode, ExitCodes, RunError } from "../Errors.ts"
import { printableJson } from "../text/Printable.ts"
import { Proof } from "../transfer/TransferRequest.ts"

export interface ReportRun {
  /** The step that wrote the report. */
  readonly step: "download" | "request-restore" | "resume-restore"
  readonly version: string
  /** Host of the service. */
  readonly host: string
  /** As a person would type it again; without secrets. */
  readonly command: string
  /** Where it ran, and as whom. */
  readonly machine: string
  readonly user: string
  readonly startedAt: Date
  readonly finishedAt: Date
  /** Duration by the monotonic clock: the times may lie hours apart, or in the wrong order, when the clock was set. */
  readonly milliseconds: number
  /** Null when a signal stopped the run, and while it goes on. */
  readonly exitCode: ExitCode | null
  /** It goes on: this report is there for the case that it is killed. */
  readonly goesOn?: boolean
  readonly throughput: Throughput
  /** What to do next, one sentence each. */
  readonly advice: ReadonlyArray<string>
  /** What to do about the failure of a file. */
  readonly adviceOf: Advising
}

/** The document; its keys are the contract of the schema. */
export const reportJson = (run: ReportRun, results: ReadonlyArray<RunResult>) => ({
  ...headJson(run, results),
  files: results.map((result) => rowJson(result, run.adviceOf))
})

/** The document as text in pieces, so that ten thousand files (8 MB of text) are never whole in memory. */
export function* reportPieces(
  run: ReportRun,
  results: ReadonlyArray<RunResult>,
  document: <A>(value: A) => A
): Generator<string> {
  const text = (value: object) => printableJson(document(value))
  const end = "]\n}"
  const whole = text({ ...headJson(run, results), files: [] })
  if (results.length === 0) return yield `${whole}\n`
  yield whole.slice(0, -end.length)
  for (const [index, result] of results.entries()) {
    yield `${index === 0 ? "" : ","}\n${text(rowJson(result, run.adviceOf)).replaceAll(/^/gm, "    ")}`
  }
  yield `\n  ${end}\n`
}

const headJson = (run: ReportRun, results: ReadonlyArray<RunResult>) => ({
  schema: "svc.report/1",
  version: run.version,
  step: run.step,
  host: run.host,
  command: run.command,
  machine: run.machine,
  user: run.user,
  startedAt: run.startedAt.toISOString(),
  finishedAt: run.finishedAt.toISOString(),
  seconds: seconds(run.milliseconds),
  exitCode: run.exitCode,
  exitMeaning: meaningOf(run),
  totals: totalsOf(results),
  advice: run.advice,
  throughput: run.throughput
})

const meaningOf = ({ exitCode, goesOn = false }: ReportRun): string => {
  if (exitCode !== null) return ExitCodes[exitCode]
  return goesOn ? "not ended, as it still runs or was killed" : "stopped before its end"
}

export type ReportDocument = ReturnType<typeof reportJson>
export type ReportedFile = ReportDocument["files"][number]

/** The same shape of a failure in all documents but the report, which has the fields of the error too. */
export const failureJson = ({ analysisId, fileName, error }: FileFailure, adviceOf: Advising) => ({
  analysisId,
  fileName,
  error: errorJson(error, adviceOf)
})

/** @param adviceOf - what to do about it, in the words of the program that writes the document */
export const errorJson = (error: FileFailure["error"], adviceOf: Advising) => ({
  tag: codeOf(error),
  message: error.message,
  advice: adviceOf(error)
})

const seconds = (milliseconds: number) => Math.round(milliseconds) / 1000

export interface FileStatus {
  readonly word: string
  readonly tone: "good" | "bad" | "open" | "calm"
  /** What needs somebody's attention comes first. */
  readonly rank: number
}

const skipped: Readonly<Record<SkipReason, FileStatus>> = {
  pending: { word: "Being restored", tone: "open", rank: 1 },
  archived: { word: "In the archive", tone: "open", rank: 2 },
  exists: { word: "Kept", tone: "calm", rank: 4 },
  "no-reads": { word: "Nothing to take", tone: "calm", rank: 4 },
  withheld: { word: "Not fetched", tone: "open", rank: 3 }
}

const failed: { readonly [R in NonNullable<Row["reason"]>]?: string } = {
  differs: "Differs",
  archived: "Not restored",
  missing: "Not listed"
}

export const statusOf = ({ action, error, reason }: ReportedFile): FileStatus => {
  if (action === "failed" || reason === "differs" || reason === "missing") {
    const word = (reason === null ? undefined : failed[reason]) ?? (error?.tag === "Stopped" ? "Stopped" : "Failed")
    return { word, tone: "bad", rank: 0 }
  }
  if (action === "downloaded") return { word: "Downloaded", tone: "good", rank: 3 }
  return reason === null ? { word: "Skipped", tone: "calm", rank: 4 } : skipped[reason]
}

/** The last part of the path where there is one: a slice has a name of its own. */
export const nameOf = ({ analysisId, fileName, path }: ReportedFile): string =>
  path?.split("/").at(-1) ?? fileName ?? (analysisId === null ? "The whole run" : `Analysis ${analysisId}`)

const Bytes = Schema.Int

/** Keys and their order are the contract of `svc.report/1`. */
export const Row = Schema.Struct({
  analysisId: Schema.NullOr(Schema.String),
  fileName: Schema.NullOr(Schema.String),
  /** Final path; null when the file has none. */
  path: Schema.NullOr(Schema.String),
  action: Schema.Literals(["downloaded", "skipped", "failed"]),
  reason: Schema.NullOr(Schema.Literals([...skipReasons, "differs", "missing"])),
  /** Size under the final name, or as listed when nothing is there; null when unknown. */
  bytes: Schema.NullOr(Bytes),
  /** Size of the whole file as the service lists it; null when it lists none, and for a slice. */
  listedBytes: Schema.NullOr(Bytes),
  resumedFrom: Bytes,
  sha256: Schema.NullOr(Schema.String),
  /** By what the file is proven. */
  provenBy: Schema.NullOr(Proof),
  regions: Schema.NullOr(Schema.Array(Schema.String)),
  records: Schema.NullOr(Schema.Int),
  index: Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Bytes, sha256: Schema.NullOr(Schema.String) })),
  fetched: Schema.NullOr(Bytes),
  warnings: Schema.Array(Schema.String),
  attempts: Schema.Int,
  renewals: Schema.Int,
  seconds: Schema.Finite,
  startedAt: Schema.NullOr(Schema.DateFromString),
  finishedAt: Schema.NullOr(Schema.DateFromString),
  restoration: Schema.NullOr(
    Schema.Struct({ requestedAt: Schema.NullOr(Schema.String), estimate: Schema.NullOr(Schema.String) })
  ),
  error: Schema.NullOr(RunError)
})
export interface Row extends Schema.Schema.Type<typeof Row> {}

/** What a row says where its result says nothing. */
const silent = {
  reason: null,
  listedBytes: null,
  resumedFrom: 0,
  sha256: null,
  provenBy: null,
  regions: null,
  records: null,
  index: null,
  fetched: null,
  warnings: [],
  attempts: 0,
  renewals: 0,
  seconds: 0,
  startedAt: null,
  finishedAt: null,
  error: null
} satisfies Partial<Row>

export const rowOf = (result: RunResult): Row => {
  const { _tag, ...known } = result
  const came = _tag === "Downloaded" || _tag === "Sliced" || _tag === "Streamed"
  const action = _tag === "Failed" ? "failed" : came ? "downloaded" : "skipped"
  const { transfer, ...cells } = { transfer: null, ...known }
  // What is cut or goes to a pipe is read record by record on its way.
  const judged = _tag === "Sliced" || _tag === "Streamed" ? { provenBy: "records" as const } : {}
  return {
    ...silent,
    ...judged,
    ...cells,
    ...transfer,
    action,
    reason: _tag === "Failed" ? result.reason : skipReasonOf(result)
  }
}

const encode = Schema.encodeSync(Row)

/** The row as JSON; an error with its exit code, and with what to do about it. */
export const rowJson = (result: RunResult, adviceOf: Advising) => {
  const row = rowOf(result)
  const json = encode(row)
  const error =
    row.error === null || json.error === null
      ? null
      : Object.assign({}, json.error, { advice: adviceOf(row.error), exit: Runtime.getErrorExitCode(row.error) })
  return { ...json, seconds: Math.round(1000 * row.seconds) / 1000, error }
}
