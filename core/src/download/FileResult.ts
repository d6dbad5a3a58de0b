/** What became of every file of a run: the one shape for the log, the report file, the exit code and the library. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { Advice, type AdviceName, type ExitCode, FileError, mostSevere, Stopped } from "../Errors.ts"
import { counted, humanSize } from "../text/Quantity.ts"

const skipReasons = ["exists", "archived", "no-reads", "pending", "withheld"] as const

/**
 * Why a file was left alone; not a failure (docs/troubleshooting.md). `no-reads`: unmapped reads of a file type that has none.
 * `withheld`: all files are required, and another does not come.
 */
export type SkipReason = (typeof skipReasons)[number]

const FileReason = Schema.Literals([...skipReasons, "differs", "missing"])

/**
 * Why a file was left alone, or of what kind its failure is. `differs`: a file of another size is in its place.
 * `missing`: none of its type is listed. `archived` is a failure where all files are required.
 */
export type FileReason = typeof FileReason.Type

const Bytes = Schema.Int

/** What became of one file; of an analysis or selection that failed as a whole when `fileName`, or both ids, are null. */
export const FileResult = Schema.Struct({
  analysisId: Schema.NullOr(Schema.String),
  fileName: Schema.NullOr(Schema.String),
  /** Final path; null when the file has none. */
  path: Schema.NullOr(Schema.String),
  action: Schema.Literals(["downloaded", "skipped", "failed"]),
  reason: Schema.NullOr(FileReason),
  /** Size under the final name, or as listed when nothing is there; null when unknown. */
  bytes: Schema.NullOr(Bytes),
  /** Size of the whole file as the service lists it; null when it lists none, and for a slice. */
  listedBytes: Schema.NullOr(Bytes),
  resumedFrom: Bytes,
  sha256: Schema.NullOr(Schema.String),
  /** What a whole file was compared with: `size`, `structure`, and the checksums that its link host stated. */
  compared: Schema.Array(Schema.String),
  /** The regions cut out, as the header of the slice names them; null for a whole file. */
  regions: Schema.NullOr(Schema.Array(Schema.String)),
  /** Records of a slice. */
  records: Schema.NullOr(Schema.Int),
  /** The index of a slice; without a checksum when slice and index were there. */
  index: Schema.NullOr(Schema.Struct({ path: Schema.String, bytes: Bytes, sha256: Schema.NullOr(Schema.String) })),
  /** Bytes that came for a slice, header and index included. */
  fetched: Schema.NullOr(Bytes),
  /** What is not as it should be in the source of a slice that was made nevertheless. */
  warnings: Schema.Array(Schema.String),
  /** Requests to link hosts. */
  attempts: Schema.Int,
  /** Links asked for again. */
  renewals: Schema.Int,
  seconds: Schema.Finite,
  /** When its transfer began and ended; null when it did not get that far, or no further. */
  startedAt: Schema.NullOr(Schema.DateFromString),
  finishedAt: Schema.NullOr(Schema.DateFromString),
  /** Null when this run did not find the file archived. */
  restoration: Schema.NullOr(
    Schema.Struct({ requestedAt: Schema.NullOr(Schema.String), estimate: Schema.NullOr(Schema.String) })
  ),
  error: Schema.NullOr(FileError)
})
export interface FileResult extends Schema.Schema.Type<typeof FileResult> {}

/** Bytes that came from link hosts, those of repeated and abandoned requests too, by equal intervals of the run. */
export interface Throughput {
  readonly intervalSeconds: number
  readonly bytes: ReadonlyArray<number>
}

/** A failure of one file, or of an analysis or selection (`fileName` or both ids null). */
export interface FileFailure {
  readonly analysisId: string | null
  readonly fileName: string | null
  readonly error: FileError
}

/** The reason that goes with a failure. */
export const reasonOfFailure = ({ _tag }: FileError): FileReason | null =>
  _tag === "SvcFileArchived" ? "archived" : null

/** A result of a file whose transfer never began. */
export const untransferredResult = (
  file: Pick<FileResult, "analysisId" | "fileName" | "path" | "bytes"> & { readonly listedBytes?: number | null },
  outcome: Pick<FileResult, "action" | "reason" | "error">
): FileResult => ({
  ...file,
  listedBytes: file.listedBytes ?? null,
  ...outcome,
  resumedFrom: 0,
  sha256: null,
  compared: [],
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
  restoration: null
})

/** The result for a failure that is not of one file. */
export const failureResult = (
  analysisId: string | null,
  error: FileError,
  reason: FileReason | null = null
): FileResult =>
  untransferredResult({ analysisId, fileName: null, path: null, bytes: null }, { action: "failed", reason, error })

/** The errors of files that a run had not finished when it was stopped; one of each for all files. */
export const stopped = {
  /** A whole file in transfer: its part is kept. */
  resumes: new Stopped({ next: "resumes" }),
  /** A slice is never resumed (transfer/SliceTransfer.ts). */
  restarts: new Stopped({ next: "restarts" }),
  begins: new Stopped({ next: "begins" })
} as const

/** How many files of a run came to which end. */
export interface Totals {
  readonly downloaded: number
  readonly skipped: number
  readonly failed: number
  /** Bytes of the downloaded files. */
  readonly bytes: number
}

/** Counts the results of a run. */
export const totalsOf = (results: ReadonlyArray<FileResult>): Totals => {
  const count = (action: FileResult["action"]) => results.filter((result) => result.action === action).length
  const bytes = results.reduce((sum, { action, bytes }) => sum + (action === "downloaded" ? (bytes ?? 0) : 0), 0)
  return { downloaded: count("downloaded"), skipped: count("skipped"), failed: count("failed"), bytes }
}

/** A line about what was done, or what to do next. */
export interface SummaryLine {
  readonly text: string
  /** Something failed, so it must be seen at every log level. */
  readonly bad: boolean
}

/** The last lines of a download. */
export const summaryLines = (results: ReadonlyArray<FileResult>): ReadonlyArray<SummaryLine> => {
  const { bytes, downloaded, failed, skipped } = totalsOf(results)
  const why = (ends: FileResult["action"], ...reasons: ReadonlyArray<FileReason>) => {
    const count = (wanted: FileReason) =>
      results.filter(({ action, reason }) => action === ends && reason === wanted).length
    const counts = reasons.flatMap((reason) => (count(reason) === 0 ? [] : [`${count(reason)} ${reason}`]))
    return counts.length === 0 ? "" : ` (${counts.join(", ")})`
  }
  const size = downloaded === 0 ? "" : ` (${humanSize(bytes)})`
  const bad = failed > 0
  const left = `${skipped} skipped${why("skipped", "exists", "archived", "pending", "no-reads", "withheld")}`
  const lost = `${failed} failed${why("failed", "differs", "archived", "missing")}`
  return [
    { text: `${downloaded} downloaded${size}, ${left}, ${lost}`, bad },
    ...adviceFor(results).map((text) => ({ text, bad }))
  ]
}

/** The last line of a run that asked for restorations and fetched nothing. */
export const restorationLines = (results: ReadonlyArray<FileResult>): ReadonlyArray<SummaryLine> => {
  const failed = results.filter(({ action }) => action === "failed").length
  const pending = results.filter(({ action, reason }) => action === "skipped" && reason === "pending").length
  const others = results.length - pending - failed
  const parts = [
    `${pending === 1 ? "1 restoration is" : `${pending} restorations are`} under way`,
    ...(others === 0 ? [] : [`${others} skipped`]),
    `${failed} failed`
  ]
  return [{ text: parts.join(", "), bad: failed > 0 }, ...adviceFor(results).map((text) => ({ text, bad: failed > 0 }))]
}

/** What to do about what failed, each advice once; a run goes on with what an earlier one left whole. */
export const adviceFor = (results: ReadonlyArray<FileResult>): ReadonlyArray<string> => {
  const named = new Set(results.flatMap(({ error }) => error?.advice ?? []))
  // What has to be mended comes before the next run.
  if (named.has("afterMending")) named.delete("again")
  const keeps = results.some(({ action, reason }) => action === "downloaded" || reason === "exists")
  const kept = (name: AdviceName) => (keeps && name !== "mendEntry" ? ": what is there is kept" : "")
  return adviceNames.filter((name) => named.has(name)).map((name) => `${Advice[name]}${kept(name)}`)
}

const adviceNames: ReadonlyArray<AdviceName> = ["again", "afterMending", "mendEntry"]

/** Some files of a run failed; `results` are those of all its files. */
export class DownloadsFailed extends Schema.TaggedError<DownloadsFailed>()("SvcDownloadsFailed", {
  results: Schema.Array(FileResult)
}) {
  override readonly [Runtime.errorExitCode]: ExitCode = mostSevere(errorsOf(this.results))
  readonly retryable = errorsOf(this.results).every(({ retryable }) => retryable)
  readonly advice = null
  readonly scope = "run"
  override get message() {
    const { failed } = totalsOf(this.results)
    const [first] = errorsOf(this.results)
    const what = failed === 1 ? "is a failure" : "are failures, the first"
    return `${failed} of ${counted(this.results.length, "result")} ${what}: ${first?.message}`
  }
}

const errorsOf = (results: ReadonlyArray<FileResult>) => results.flatMap(({ error }) => error ?? [])
