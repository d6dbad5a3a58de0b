/** What became of every file of a run, for the log, the report file, the exit code and the library. */
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { AnalysisId } from "../contract/Ids.ts"
import { named } from "../contract/Record.ts"
import { type ExitCode, FileError, mostSevere, type RunError, Stopped } from "../Errors.ts"
import { regionsOfKey } from "../genome/formats/SliceHeader.ts"
import { finalPath } from "../selection/OutputPath.ts"
import type { RunFile } from "../selection/RunFile.ts"
import { counted } from "../text/Quantity.ts"
import type { SliceIndex } from "../transfer/SliceRequest.ts"
import { Proof } from "../transfer/TransferRequest.ts"

/** In the order in which people read them. */
export const skipReasons = ["exists", "archived", "pending", "no-reads", "withheld"] as const

/** Of a failure that the plan or the archive explains, in the same way. */
export const failReasons = ["differs", "archived", "missing"] as const

/**
 * Why a file is left alone; not a failure (docs/troubleshooting.md). `no-reads`: unmapped reads of a file type that has none.
 * `withheld`: all files are required, and another does not come.
 *
 * @category models
 * @since 0.1.0
 */
export type SkipReason = (typeof skipReasons)[number]

const Bytes = Schema.Int

const FileTransferred = Schema.Struct({
  /** Requests to link hosts. */
  attempts: Schema.Int,
  /** Links asked for again. */
  renewals: Schema.Int,
  seconds: Schema.Finite,
  startedAt: Schema.DateFromString,
  /** Null when the run was stopped before. */
  finishedAt: Schema.NullOr(Schema.DateFromString)
})
/**
 * What the transfer of a file took.
 *
 * @category models
 * @since 0.1.0
 */
export interface FileTransferred extends Schema.Schema.Type<typeof FileTransferred> {}

const FileIndex = Schema.Struct({ path: Schema.String, bytes: Bytes, sha256: Schema.NullOr(Schema.String) })

const file = {
  analysisId: AnalysisId,
  /** As the service lists it. */
  fileName: Schema.String,
  /** Final path. */
  path: Schema.String,
  /** Null when this run did not find the file archived. */
  restoration: Schema.NullOr(
    Schema.Struct({ requestedAt: Schema.NullOr(Schema.String), estimate: Schema.NullOr(Schema.String) })
  )
}

/** Size of the whole file as the service lists it; null when it lists none, and for a slice. */
const listedBytes = Schema.NullOr(Bytes)

/** The regions of a slice, as its header names them. */
const regions = Schema.Array(Schema.String)

/** A whole file came, and was checked. */
export class Downloaded extends named<Downloaded>()(
  Schema.TaggedStruct("Downloaded", {
    ...file,
    bytes: Bytes,
    listedBytes,
    /** Bytes taken over from an earlier run. */
    resumedFrom: Bytes,
    sha256: Schema.String,
    /** The strongest that is known of it; null when that is nothing. */
    provenBy: Schema.NullOr(Proof),
    /** The one that was made of it; null where none was. */
    index: Schema.NullOr(FileIndex),
    transfer: FileTransferred
  })
) {}

/** Regions were cut out, with a fresh index. */
export class Sliced extends named<Sliced>()(
  Schema.TaggedStruct("Sliced", {
    ...file,
    bytes: Bytes,
    sha256: Schema.String,
    regions,
    records: Schema.Int,
    index: FileIndex,
    /** Bytes that came, header and index included. */
    fetched: Bytes,
    /** What is not as it should be in the source, though the slice was made. */
    warnings: Schema.Array(Schema.String),
    transfer: FileTransferred
  })
) {}

/** The file, or the slice of it, went to standard output, and not to the disk. */
export class Streamed extends named<Streamed>()(
  Schema.TaggedStruct("Streamed", {
    ...file,
    path: Schema.Null,
    bytes: Bytes,
    listedBytes,
    /** Of a slice, as `records` and `fetched`. */
    regions: Schema.NullOr(regions),
    records: Schema.NullOr(Schema.Int),
    fetched: Schema.NullOr(Bytes),
    warnings: Schema.Array(Schema.String),
    transfer: FileTransferred
  })
) {}

/** What is wanted stood there already. */
export class Kept extends named<Kept>()(
  Schema.TaggedStruct("Kept", {
    ...file,
    bytes: Schema.NullOr(Bytes),
    listedBytes,
    /** Of a slice that was looked into. */
    regions: Schema.NullOr(regions),
    /** Of a slice, or made of a whole file. */
    index: Schema.NullOr(FileIndex),
    fetched: Schema.NullOr(Bytes),
    warnings: Schema.Array(Schema.String),
    /** Null when the plan saw it. */
    transfer: Schema.NullOr(FileTransferred)
  })
) {}

/** Its restoration is under way. */
export class Pending extends named<Pending>()(
  Schema.TaggedStruct("Pending", { ...file, bytes: Schema.NullOr(Bytes), listedBytes })
) {}

/** Left alone for a reason that is no failure. */
export class Skipped extends named<Skipped>()(
  Schema.TaggedStruct("Skipped", {
    ...file,
    bytes: Schema.NullOr(Bytes),
    listedBytes,
    reason: Schema.Literals(["archived", "no-reads", "withheld"])
  })
) {}

/** `fileName` and `path` are null for an analysis, both ids for a selection. */
export class Failed extends named<Failed>()(
  Schema.TaggedStruct("Failed", {
    ...file,
    analysisId: Schema.NullOr(file.analysisId),
    fileName: Schema.NullOr(file.fileName),
    path: Schema.NullOr(file.path),
    /** Size under the final name, or as listed when nothing is there; null when unknown. */
    bytes: Schema.NullOr(Bytes),
    listedBytes,
    /**
     * `differs`: a file of another size is in its place. `missing`: none of its type is listed. `archived`: it lies in the
     * archive. Null for every other failure.
     */
    reason: Schema.NullOr(Schema.Literals(failReasons)),
    error: FileError,
    transfer: Schema.NullOr(FileTransferred)
  })
) {}

/**
 * What became of one file, or of an analysis or selection that failed as a whole. Sizes in bytes.
 *
 * **Example** (A line for each file)
 *
 * ```ts
 * import { Downloads } from "svc-steps"
 *
 * const lineOf = Downloads.FileResult.match({
 *   Downloaded: ({ path, sha256 }) => `${sha256}  ${path}`,
 *   Sliced: ({ path, records }) => `${path}: ${records} records`,
 *   Streamed: ({ bytes }) => `${bytes} bytes`,
 *   Kept: ({ path }) => `${path} was there`,
 *   Pending: ({ fileName }) => `${fileName} comes back from the archive`,
 *   Skipped: ({ fileName, reason }) => `${fileName}: ${reason}`,
 *   Failed: ({ error }) => error.message
 * })
 * ```
 *
 * @category schemas
 * @since 0.1.0
 */
export const FileResult = Schema.Union([Downloaded, Sliced, Streamed, Kept, Pending, Skipped, Failed]).pipe(
  Schema.toTaggedUnion("_tag")
)
export type FileResult = typeof FileResult.Type

/**
 * What became of a file that is not there, and why.
 *
 * @category models
 * @since 0.1.0
 */
export type FailedResult<Error = FileError> = Omit<Extract<FileResult, { readonly _tag: "Failed" }>, "error"> & {
  readonly error: Error
}

/**
 * What a run reports: results of files, and why it ended.
 *
 * @category models
 * @since 0.1.0
 */
export type RunResult = FileResult | FailedResult<RunError>

/** True for a file that this run knows to be whole under its final name: fetched now, or found there. */
export const isWhole = (
  result: RunResult
): result is Extract<FileResult, { readonly _tag: "Downloaded" | "Sliced" | "Kept" }> =>
  result._tag === "Downloaded" || result._tag === "Sliced" || result._tag === "Kept"

/** The errors of what failed. */
export const errorsOf = (results: ReadonlyArray<RunResult>): ReadonlyArray<RunError> =>
  results.flatMap((result) => (result._tag === "Failed" ? [result.error] : []))

/** The regions of a slice, by its key. */
export const regionNames = (key: string): ReadonlyArray<string> => regionsOfKey(key) ?? [key]

/** A failure of one file, or of an analysis or selection (`fileName` or both ids null). */
export interface FileFailure {
  readonly analysisId: AnalysisId | null
  readonly fileName: string | null
  readonly error: RunError
}

/** The reason that goes with a failure. */
export const reasonOfFailure = ({ _tag }: RunError): "archived" | null =>
  _tag === "SvcFileArchived" || _tag === "SvcInArchive" ? "archived" : null

/** What a result says of its file, whatever became of it. */
export type ResultFile = Omit<Extract<FileResult, { readonly _tag: "Pending" }>, "_tag">

/** What a result says of its file before anything became of it. */
export const identity = (file: RunFile, { destination }: { readonly destination: string }): ResultFile => ({
  analysisId: file.analysisId,
  fileName: file.fileName,
  path: finalPath(destination, file),
  bytes: file.size,
  listedBytes: file.slice === null ? file.size : null,
  restoration: null
})

/** A failure without a transfer. @param existing - bytes of the file that is in the way because its size differs */
export const failedFile = (
  file: Omit<ResultFile, "path"> & { readonly path: string | null },
  error: FileError,
  existing?: number
): FailedResult => ({
  _tag: "Failed",
  ...file,
  ...(existing === undefined ? { reason: reasonOfFailure(error) } : { bytes: existing, reason: "differs" }),
  error,
  transfer: null
})

/** An index of ours beside a file, as the result of the file names it. */
export const indexResult = (
  file: RunFile,
  { destination }: { readonly destination: string },
  { bytes, name, sha256 }: SliceIndex & { readonly sha256: string | null }
) => ({ path: finalPath(destination, { ...file, slice: { name } }), bytes, sha256 })

/** The result for a failure that is not of one file. */
export const failureResult = <Error extends RunError>(
  analysisId: AnalysisId | null,
  error: Error,
  reason: FailedResult["reason"] = reasonOfFailure(error)
): FailedResult<Error> => ({ _tag: "Failed", ...nothing, analysisId, reason, error })

const nothing = { fileName: null, path: null, bytes: null, listedBytes: null, restoration: null, transfer: null }

/** The errors of files that a run had not finished when it was stopped; one of each for all files. */
export const stopped = {
  /** A whole file in transfer: its part is kept. */
  resumes: new Stopped({ next: "resumes" }),
  /** A slice is never resumed (transfer/SliceTransfer.ts). */
  restarts: new Stopped({ next: "restarts" }),
  begins: new Stopped({ next: "begins" })
} as const

/**
 * How many files of a run came to which end.
 *
 * @category models
 * @since 0.1.0
 */
export interface Totals {
  readonly downloaded: number
  readonly skipped: number
  readonly failed: number
  /** Bytes of the downloaded files. */
  readonly bytes: number
}

/**
 * Counts the results of a run.
 *
 * @category getters
 * @since 0.1.0
 */
export const totalsOf = (results: ReadonlyArray<RunResult>): Totals => {
  const totals = { downloaded: 0, skipped: 0, failed: 0, bytes: 0 }
  for (const result of results) {
    if (result._tag === "Downloaded" || result._tag === "Sliced" || result._tag === "Streamed") {
      totals.downloaded++
      totals.bytes += result.bytes
    } else if (result._tag === "Failed") totals.failed++
    else totals.skipped++
  }
  return totals
}

/** Why it was left alone; null when it was not. */
export const skipReasonOf = (result: RunResult): SkipReason | null => {
  if (result._tag === "Kept") return "exists"
  if (result._tag === "Pending") return "pending"
  return result._tag === "Skipped" ? result.reason : null
}

/**
 * Some files of a run failed; `results` are those of all its files.
 *
 * @category errors
 * @since 0.1.0
 */
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
