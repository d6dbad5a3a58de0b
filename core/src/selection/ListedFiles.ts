/** What the service lists of an analysis, in our words: every field of its answer may be missing. */
import * as Redacted from "effect/Redacted"
import type { AnalysisFiles } from "../contract/Files.ts"
import type { SliceEstimate } from "../transfer/SliceRequest.ts"
import type { SelectedAnalysis } from "./Selection.ts"

/** One entry of the download links of an analysis, without its link. */
export interface ListedFile {
  /** As the service gave it; null when it gave none. */
  readonly fileName: string | null
  /** Bytes; null when the service does not say. */
  readonly size: number | null
  /** @internal The size is not listed: the link host told it. */
  readonly sizeLearned?: true
  readonly archived: boolean
  readonly estimatedRestoreTime: string | null
  readonly hasLink: boolean
  /** What its slice would fetch, where that was asked for. */
  readonly ranged?: SliceEstimate
}

/** An analysis with the files that the service lists. */
export interface ListedAnalysis extends SelectedAnalysis {
  readonly sampleId: string | null
  readonly limsId: string | null
  readonly files: ReadonlyArray<ListedFile>
}

/** The answer for an analysis, without its links. */
export const listedOf = (analysis: SelectedAnalysis, files: AnalysisFiles): ListedAnalysis => ({
  ...analysis,
  sampleId: files.sampleId ?? null,
  limsId: files.limsId ?? null,
  files: files.apiFileLinks.map((file) => ({
    fileName: file.fileName ?? null,
    size: file.size ?? null,
    // When the archive flag is missing, a restoration under way shows that the file is archived.
    archived: file.currentlyArchived ?? file.estimatedRestoreTime != null,
    estimatedRestoreTime: file.estimatedRestoreTime ?? null,
    hasLink: file.downloadLink != null && Redacted.value(file.downloadLink) !== ""
  }))
})
