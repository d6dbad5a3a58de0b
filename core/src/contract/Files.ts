/**
 * The files of an analysis and their links (getFileDownloadLinks, docs/dev/service.md 14.1), and the restoration of those in the
 * archive (requestRestore, docs/dev/service.md 15).
 */
import * as Schema from "effect/Schema"
import { AnalysisId, WireAnalysisId, WireLimsId, WireSampleId } from "./Ids.ts"
import { ByteCount, maybe, record, TimeHint } from "./Record.ts"

/**
 * One file. Every field may be missing. `fileName` is not to be trusted: it may try to leave the folder (`../`).
 *
 * @category schemas
 * @since 0.1.0
 */
export const FileLink = record("FileLink", {
  fileName: maybe(Schema.String),
  /** A presigned link: whoever has it can read the file. Null or absent while the file is archived. */
  downloadLink: maybe(Schema.RedactedFromValue(Schema.String)),
  currentlyArchived: maybe(Schema.Boolean),
  /** ISO 8601, set while a restoration runs; null when it is neither text nor a number. */
  estimatedRestoreTime: Schema.optionalKey(TimeHint),
  /** Bytes; null when not given or not usable. */
  size: Schema.optionalKey(ByteCount)
})
export type FileLink = typeof FileLink.Type

/**
 * The payload of `GET /api/analysis/{analysisId}/get-file-download-links`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AnalysisFiles = record("AnalysisFiles", {
  /** The analysis that was asked for. */
  id: maybe(WireAnalysisId),
  sampleId: maybe(WireSampleId),
  limsId: maybe(WireLimsId),
  customerProvidedInputFilePaths: maybe(Schema.Array(Schema.String)),
  apiFileLinks: Schema.Array(FileLink)
})
export type AnalysisFiles = typeof AnalysisFiles.Type

/** Form of `POST /archive/analysis/restore`; `analysisIds` repeats for several analyses. */
export const RestoreRequest = Schema.Struct({
  analysisIds: Schema.Array(AnalysisId),
  disableArchive: Schema.Literals(["true", "false"])
})

/**
 * What the service says of one restoration.
 *
 * @category schemas
 * @since 0.1.0
 */
export const RestoreAnswer = record("RestoreAnswer", {
  analysisId: maybe(WireAnalysisId),
  /** ISO 8601 UTC; null when the service does not say. */
  restoreEstimation: Schema.optionalKey(TimeHint)
})
export type RestoreAnswer = typeof RestoreAnswer.Type
