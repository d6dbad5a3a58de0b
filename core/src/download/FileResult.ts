/** What became of every file of a run: the one shape for the log, the report, the exit code and the library. */
import type { Restoration } from "../archive/Restoration.ts"
import type { AdviceName, FailureScope } from "../Errors.ts"

/** Why a file was left alone; not a failure (docs/exit-codes.md). `no-reads`: unmapped reads of a file type that has none. */
export type SkipReason = "exists" | "archived" | "no-reads" | "pending"

/**
 * Why a file was left alone, or of what kind its failure is. `differs`: a file of another size is in its place.
 * `missing`: none of its type is listed. `archived` is a failure where all files are required.
 */
export type FileReason = SkipReason | "differs" | "missing"

/** The reason that goes with a failure. */
export const reasonOfFailure = ({ _tag }: FileFailure["error"]): FileReason | null =>
  _tag === "SvcFileArchived" ? "archived" : null

/** A failure of one file, or of an analysis or selection (`fileName` or both ids null). */
export interface FileFailure {
  readonly analysisId: string | null
  readonly fileName: string | null
  readonly error: { readonly _tag: string; readonly message: string }
}

/** What an error class says of itself (Errors.ts), where it is known. */
export interface ErrorProperties {
  /** The next look or run may not meet it. */
  readonly retryable?: boolean
  readonly scope?: FailureScope
  readonly advice?: AdviceName | null
}

/** What became of one file. */
export interface FileResult {
  readonly analysisId: string | null
  readonly fileName: string | null
  /** Final path; null when the file has none. */
  readonly path: string | null
  readonly action: "downloaded" | "skipped" | "failed"
  readonly reason: FileReason | null
  /** Size under the final name, or as listed when nothing is there; null when unknown. */
  readonly bytes: number | null
  /** Size of the whole file as the service lists it; null when it lists none, and for a slice. */
  readonly listedBytes: number | null
  readonly resumedFrom: number
  readonly sha256: string | null
  /** What a whole file was compared with: `size`, `structure`, and the checksums that its link host stated. */
  readonly compared: ReadonlyArray<string>
  /** The regions cut out, as the header of the slice names them; null for a whole file. */
  readonly regions: ReadonlyArray<string> | null
  /** Records of a slice. */
  readonly records: number | null
  /** The fresh index of a slice. */
  readonly index: { readonly path: string; readonly bytes: number; readonly sha256: string } | null
  /** Bytes that came for a slice, header and index included. */
  readonly fetched: number | null
  /** What is not as it should be in the source of a slice that was made nevertheless. */
  readonly warnings: ReadonlyArray<string>
  /** Requests to link hosts. */
  readonly attempts: number
  /** Links asked for again. */
  readonly renewals: number
  readonly milliseconds: number
  /** When its transfer began and ended; null when it did not get that far, or no further. */
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Null when this run did not find the file archived. */
  readonly restoration: Restoration | null
  readonly error: (FileFailure["error"] & ErrorProperties) | null
}

/** Bytes that came from link hosts, those of repeated and abandoned requests too, by equal intervals of the run. */
export interface Throughput {
  readonly intervalSeconds: number
  readonly bytes: ReadonlyArray<number>
}

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
  milliseconds: 0,
  startedAt: null,
  finishedAt: null,
  restoration: null
})

/** The error of a file that a run had not finished when it was stopped, and what the next run does with the file. */
export const stopped = {
  /** A whole file in transfer: its part is kept. */
  resumes: stoppedWith("the run was stopped before this file was whole; the next run resumes it"),
  /** A slice is never resumed (transfer/SliceTransfer.ts). */
  restarts: stoppedWith("the run was stopped before this slice was whole; the next run starts it again"),
  notBegun: stoppedWith("the run was stopped before the transfer of this file began; the next run fetches it")
} as const

function stoppedWith(message: string): NonNullable<FileResult["error"]> {
  return { _tag: "Stopped", message, retryable: true, advice: "again" }
}

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
