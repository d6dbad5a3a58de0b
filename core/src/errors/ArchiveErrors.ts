/** Restorations, and the file that remembers them. */

import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { AnalysisId } from "../contract/Ids.ts"
import { printable } from "../text/Printable.ts"
import { counted } from "../text/Quantity.ts"
import type { Busy, CannotCreate, LocalIo } from "./DiskErrors.ts"

/** Nothing failed, but files are still being restored from the archive. */
export class RestorationsPending extends Schema.TaggedError<RestorationsPending>()("SvcRestorationsPending", {
  count: Schema.Int,
  /** How many of them the service reports no restoration for; absent means none. */
  lost: Schema.optionalKey(Schema.Int),
  nextEstimate: Schema.NullOr(Schema.String),
  /** The command that goes on, without credentials. */
  rerun: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 75
  readonly retryable = true
  readonly advice = null
  readonly scope = "run"
  override get message() {
    const when = this.nextEstimate === null ? "" : `, the next expected at ${this.nextEstimate}`
    const lost = this.lost ?? 0
    const pending = lost === this.count ? [] : [`${counted(this.count - lost, "restoration")} pending${when}`]
    const idle = lost === 0 ? [] : [`${counted(lost, "requested restoration")} not under way`]
    return `${[...pending, ...idle].join("; ")}: run again later: ${this.rerun}`
  }
}

/**
 * A file that had to come (`--requireAll`) stays in the archive: its restoration is not asked for.
 *
 * @category errors
 * @since 0.1.0
 */
export class FileArchived extends Schema.TaggedError<FileArchived>()("SvcFileArchived", {
  /** Escaped for a terminal. */
  file: Schema.String,
  analysisId: AnalysisId,
  /** Why its restoration is not asked for. */
  why: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 66
  readonly retryable = false
  readonly advice = "requestRestore"
  readonly scope = "file"
  override get message() {
    return `${this.file} (analysis ${printable(this.analysisId)}): archived, and not restored: ${this.why}`
  }
}

/**
 * A file that was to be read at once lies in the archive.
 *
 * @category errors
 * @since 0.1.0
 */
export class InArchive extends Schema.TaggedError<InArchive>()("SvcInArchive", {
  /** Escaped for a terminal, as `estimate` is. */
  file: Schema.String,
  analysisId: AnalysisId,
  /** When its restoration is expected, as the service says; null when none is reported. */
  estimate: Schema.NullOr(Schema.String),
  /** What the link host answers that has it in cold storage. */
  answer: Schema.optionalKey(Schema.String),
  /** The service lists it as there, and nothing can be asked of it. */
  next: Schema.optionalKey(Schema.Literal("restoreListed"))
}) {
  /** As the service lists it. */
  static readonly of = (
    { analysisId, fileName }: { readonly analysisId: AnalysisId; readonly fileName: string },
    estimate: string | null
  ): InArchive =>
    new InArchive({
      file: printable(fileName),
      analysisId,
      estimate: estimate === null ? null : printable(estimate)
    })
  override readonly [Runtime.errorExitCode] = 75
  readonly retryable = true
  get advice() {
    return this.next ?? (this.estimate === null ? "requestRestore" : null)
  }
  readonly scope = "file"
  override get message() {
    const by = this.answer === undefined ? "" : `: ${this.answer}`
    const when = this.estimate === null ? "" : `, and its restoration is expected at ${this.estimate}; run again then`
    return `${this.file} (analysis ${printable(this.analysisId)}): in the archive${by}${when}`
  }
}

/**
 * The restoration file is not one that can be read or trusted; it was not changed.
 *
 * @category errors
 * @since 0.1.0
 */
export class TrackingUnusable extends Schema.TaggedError<TrackingUnusable>()("SvcTrackingUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  readonly retryable = false
  readonly advice = null
  readonly scope = "run"
  override get message() {
    return (
      `Restoration file ${this.path}: ${this.reason}. It was left as it is: repair it, or move it away to begin a new ` +
      "one without the restorations in it"
    )
  }
}

/**
 * One entry of the restoration file cannot be used; it stays in the file as it is, and the others are served.
 *
 * @category errors
 * @since 0.1.0
 */
export class EntryUnusable extends Schema.TaggedError<EntryUnusable>()("SvcEntryUnusable", {
  path: Schema.String,
  /** From 1. */
  position: Schema.Int,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  readonly retryable = false
  readonly advice = "mendEntry"
  readonly scope = "file"
  override get message() {
    return `Restoration file ${this.path}: entry ${this.position} is kept but not used: ${this.reason}`
  }
}

/**
 * Failures of reading the restoration file.
 *
 * @category errors
 * @since 0.1.0
 */
export type TrackingReadError = TrackingUnusable | LocalIo

/**
 * Failures of changing the restoration file; the file is then as it was.
 *
 * @category errors
 * @since 0.1.0
 */
export type TrackingError = TrackingReadError | Busy | CannotCreate
