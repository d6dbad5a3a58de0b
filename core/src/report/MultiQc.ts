/**
 * A report as custom content of MultiQC: one table with a row per sample, in which the files of a sample are added up.
 *
 * MultiQC puts names and texts into its page as they are, so they are escaped here; reports of several runs under one
 * `id` become one table there.
 */

import { ending } from "../Errors.ts"
import { sampleOf } from "../selection/FileName.ts"
import { humanSize } from "../text/Quantity.ts"
import { escapeMarkup, shorten } from "./Markup.ts"
import { type ReportDocument, type ReportedFile, statusOf } from "./Report.ts"

const MiB = 1024 * 1024

/** The columns, in the words of MultiQC's table headers. */
const headers = {
  status: {
    title: "Status",
    description: "The worst of what became of the files of the sample",
    scale: false,
    cond_formatting_rules: {
      pass: [{ s_eq: "Downloaded" }, { s_eq: "Kept" }],
      warn: [{ s_eq: "Being restored" }, { s_eq: "In the archive" }],
      fail: ["Failed", "Differs", "Not restored", "Not listed", "Stopped"].map((word) => ({ s_eq: word }))
    }
  },
  files: { title: "Files", description: "Files downloaded or kept", format: "{:,.0f}", min: 0, scale: false },
  size: { title: "Size", description: "Downloaded", suffix: " MiB", format: "{:,.1f}", min: 0, scale: "Blues" },
  seconds: {
    title: "Time",
    description: "Sum over the files",
    suffix: " s",
    format: "{:,.1f}",
    min: 0,
    scale: "Oranges"
  },
  requests: { title: "Requests", description: "To link hosts", format: "{:,.0f}", min: 0, scale: false, hidden: true },
  failed: { title: "Failed", description: "Files that failed", format: "{:,.0f}", min: 0, scale: "Reds" },
  error: { title: "Error", description: "The first of the sample", scale: false }
}

/** The document of a `*_mqc.json` file. */
export const multiQcJson = (report: ReportDocument) => {
  const { totals } = report
  const rows = [...samplesOf(report.files)].map(
    ([sample, files]) => [escapeMarkup(shorten(sample, 200)), rowOf(files)] as const
  )
  return {
    id: "svc_steps",
    section_name: "Downloads",
    description: escapeMarkup(
      `${totals.downloaded} files (${humanSize(totals.bytes)}) downloaded from ${report.host}, ${totals.skipped} skipped, ` +
        `${totals.failed} failed: ${report.exitMeaning}. svc-steps ${report.version}, ${report.startedAt}.`
    ),
    plot_type: "table",
    pconfig: { id: "svc_steps_table", title: "svc-steps: files", namespace: "svc-steps", col1_header: "Sample" },
    headers,
    // When MultiQC takes several rows for the same sample, it keeps the last; the row with the most failures stands last.
    data: Object.fromEntries(rows.sort(([, a], [, b]) => a.failed - b.failed))
  }
}

/** The files of each sample, under the name that MultiQC derives from a file name; with the analysis id where two analyses share it. */
const samplesOf = (files: ReadonlyArray<ReportedFile>): ReadonlyMap<string, ReadonlyArray<ReportedFile>> => {
  const nameOf = ({ analysisId, fileName }: ReportedFile) =>
    fileName === null ? (analysisId === null ? "The whole run" : `Analysis ${analysisId}`) : sampleOf(fileName)
  const analyses = new Map<string, Set<string | null>>()
  for (const file of files) {
    const known = analyses.get(nameOf(file))
    if (known === undefined) analyses.set(nameOf(file), new Set([file.analysisId]))
    else known.add(file.analysisId)
  }
  return Map.groupBy(files, (file) =>
    (analyses.get(nameOf(file))?.size ?? 0) > 1 ? `${nameOf(file)} (${file.analysisId})` : nameOf(file)
  )
}

const rowOf = (files: ReadonlyArray<ReportedFile>) => {
  const sum = (value: (file: ReportedFile) => number) => files.reduce((total, file) => total + value(file), 0)
  const worst = files.map(statusOf).sort((a, b) => a.rank - b.rank)[0]
  const error = files.find((file) => file.error !== null)?.error ?? null
  return {
    status: worst?.word ?? "",
    files: sum(({ action, reason }) => (action === "downloaded" || reason === "exists" ? 1 : 0)),
    size: sum(({ action, bytes }) => (action === "downloaded" ? (bytes ?? 0) : 0)) / MiB,
    seconds: sum(({ seconds }) => seconds),
    requests: sum(({ attempts }) => attempts),
    failed: sum(({ action }) => (action === "failed" ? 1 : 0)),
    ...(error === null ? {} : { error: escapeMarkup(shorten(ending(error.message, error.advice), 300)) })
  }
}
