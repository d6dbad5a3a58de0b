/**
 * What `--list` prints: the files of every selected analysis with their sizes, as text or as one JSON document.
 *
 * Source: docs/dev/service.md 4.2. Links are never part of it.
 */

import type { FileFailure } from "../download/FileResult.ts"
import { fileTypeOf } from "../selection/FileName.ts"
import type { ListedAnalysis, ListedFile } from "../selection/ListedFiles.ts"
import { printable } from "../text/Printable.ts"
import { humanSize } from "../text/Size.ts"
import type { SliceEstimate } from "../transfer/SliceRequest.ts"
import { failureJson } from "./Report.ts"

/**
 * `Analysis ID: A1`, then a line per file, or `(no files)`: two spaces, name, two spaces, size, `[ARCHIVED]` where it applies, and with
 * regions what they would fetch.
 */
export const listingText = (analysis: ListedAnalysis): string =>
  [
    `Analysis ID: ${printable(analysis.id)}`,
    ...(analysis.files.length === 0 ? ["  (no files)"] : analysis.files.map(lineOf))
  ].join("\n")

const lineOf = (file: ListedFile): string => {
  const name = file.fileName === null ? "(no name)" : printable(file.fileName)
  const ranged = file.ranged == null ? "" : rangedText(file.ranged)
  return `  ${name}  ${sizeText(file.size)}${file.archived ? "  [ARCHIVED]" : ""}${ranged}`
}

const rangedText = ({ bytes, requests }: SliceEstimate) => `  regions: ${sizeText(bytes)} in ${requests} requests`

/** `123456 bytes (120.6 KiB)`, or `size unknown`. */
export const sizeText = (size: number | null): string => {
  if (size === null) return "size unknown"
  return size < 1024 ? `${size} bytes` : `${size} bytes (${humanSize(size)})`
}

/** The document of `--list --format json`, schema `svc.list/1`. Sizes in bytes, null when unknown. */
export const listingJson = (analyses: ReadonlyArray<ListedAnalysis>, failures: ReadonlyArray<FileFailure>) => ({
  schema: "svc.list/1",
  analyses: analyses.map(({ id, sampleId, limsId, files }) => ({
    analysisId: id,
    sampleId,
    limsId,
    files: files.map(({ fileName, size, archived, estimatedRestoreTime, ranged }) => ({
      fileName,
      type: fileName === null ? null : fileTypeOf(fileName),
      size,
      archived,
      estimatedRestoreTime,
      ...(ranged == null ? {} : { ranged })
    }))
  })),
  failures: failures.map(failureJson)
})
