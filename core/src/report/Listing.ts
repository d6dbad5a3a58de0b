/**
 * What `--list` prints, as text or as one JSON document: the files of every selected analysis with their sizes, or together with
 * `--resumeArchivedDownloads` where the stored requests stand.
 *
 * Source: docs/dev/service.md 4.2. Links are never part of it.
 */

import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import type { FileFailure } from "../download/FileResult.ts"
import type { Look, RestorationStatus } from "../download/RestorationStatus.ts"
import { type Advising, sentenceOf } from "../Errors.ts"
import { fileTypeOf, kindOfName } from "../selection/FileName.ts"
import type { ListedAnalysis, ListedFile } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import { humanSize } from "../text/Quantity.ts"
import { errorJson, failureJson } from "./Report.ts"

/**
 * `Analysis ID: A1`, then a line per file, or `(no files)`: two spaces, name, two spaces, size, `[ARCHIVED]` where it applies, and with
 * regions what they would fetch.
 */
export const listingText = (analysis: ListedAnalysis): string =>
  [
    `Analysis ID: ${printable(analysis.analysisId)}`,
    ...(analysis.files.length === 0 ? ["  (no files)"] : analysis.files.map(lineOf))
  ].join("\n")

const lineOf = (file: ListedFile): string => {
  const name = file.fileName === null ? "(no name)" : printable(file.fileName)
  const { ranged: cut } = file
  const ranged = cut == null ? "" : `  regions: ${sizeText(cut.bytes)} in ${cut.requests} requests`
  // A download takes none of it, and says so in these words.
  const unknown = file.fileName !== null && kindOfName(file.fileName) === null ? "  [UNKNOWN TYPE]" : ""
  return `  ${name}  ${sizeText(file.size)}${file.archived ? "  [ARCHIVED]" : ""}${unknown}${ranged}`
}

/** `123456 bytes (120.6 KiB)`, or `size unknown`. */
export const sizeText = (size: number | null): string => {
  if (size === null) return "size unknown"
  return size < 1024 ? `${size} bytes` : `${size} bytes (${humanSize(size)})`
}

/** The document of `--list --format json`, schema `svc.list/1`. Sizes in bytes, null when unknown. */
export const listingJson = (
  analyses: ReadonlyArray<ListedAnalysis>,
  failures: ReadonlyArray<FileFailure>,
  adviceOf: Advising
) => ({
  schema: "svc.list/1",
  analyses: analyses.map(({ analysisId, sampleId, limsId, files }) => ({
    analysisId,
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
  failures: failures.map((failure) => failureJson(failure, adviceOf))
})

/** The document of schema `svc.restorations/1`. */
export const restorationsJson = ({ others, statuses, unusable }: Look, adviceOf: Advising) => {
  const failures = unusable.map((error) => failureJson({ analysisId: null, fileName: null, error }, adviceOf))
  const restorations = statuses.map((status) => restorationJson(status, adviceOf))
  return { schema: "svc.restorations/1", restorations, others: others.map(otherJson), failures }
}

/**
 * The same as text for people.
 *
 * @param prose - what the messages of errors, and estimates as the service wrote them, go through
 */
export const restorationsText = (
  { others, statuses, unusable }: Look,
  prose: (text: string) => string,
  adviceOf: Advising
): string => {
  const sentence = sentenceOf(adviceOf)
  const cleanText = (text: string) => printable(prose(text))
  const groups = Map.groupBy(statuses, ({ entry }) => entry.analysisId)
  const lines = [...groups].flatMap(([id, group]) => [
    `Analysis ID: ${printable(id)}`,
    ...group.map((it) => restorationLine(it, cleanText, sentence))
  ])
  const elsewhere = [...Map.groupBy(others, ({ target }) => target)].flatMap(([target, group]) => [
    `Of another target, not looked at: ${printable(String(target))}`,
    ...group.map(({ analysisId, fileName }) => `  ${printable(`${fileName} (analysis ${analysisId})`)}`)
  ])
  const broken = unusable.map((error) => cleanText(sentence(error)))
  const own = lines.length + broken.length === 0 ? ["No restorations"] : lines
  return [...own, ...elsewhere, ...broken].join("\n")
}

const restorationLine = (
  { entry, state }: RestorationStatus,
  said: (text: string) => string,
  sentence: ReturnType<typeof sentenceOf>
): string => {
  const name = `  ${printable(entry.fileName)}`
  switch (state._tag) {
    case "Done":
      return `${name}  [DOWNLOADED]`
    case "Available":
      return `${name}  [AVAILABLE]`
    case "Requested": {
      const expected = state.estimate === null ? "" : `, expected at ${said(state.estimate)}`
      return `${name}  [ARCHIVED]  requested${state.underWay ? expected : ", but no restoration is under way"}`
    }
    case "NotRequested":
      return `${name}  [ARCHIVED]  not requested: no restoration is under way`
    case "Failed":
      return `${name}  [FAILED]  ${said(sentence(state.error))}`
  }
}

const statuses = {
  Done: "available",
  Available: "available",
  Requested: "requested",
  NotRequested: "notRequested",
  Failed: "failed"
} as const satisfies Record<RestorationStatus["state"]["_tag"], string>

const restorationJson = ({ entry, results, state }: RestorationStatus, adviceOf: Advising) => ({
  analysisId: entry.analysisId,
  fileName: entry.fileName,
  path: results[0]?.path ?? null,
  status: statuses[state._tag],
  estimatedRestoreTime: state._tag === "Requested" ? state.estimate : null,
  error: state._tag === "Failed" ? errorJson(state.error, adviceOf) : null
})

const otherJson = ({ analysisId, fileName, target }: TrackingEntry) => ({ analysisId, fileName, target })
