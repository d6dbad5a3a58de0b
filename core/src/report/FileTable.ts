/** Every file of a run as a row, and what went wrong in words. */

import { humanSize } from "../text/Size.ts"
import { countText, durationText, groupedCount } from "./Axis.ts"
import { nameOf, statusOf } from "./FileStatus.ts"
import { type Markup, markup, shorten } from "./Markup.ts"
import type { ReportDocument, ReportedFile } from "./Report.ts"

/** Limit for all rows together, in characters: browsers display this much at once, and mail servers accept it. */
const mostText = 6 * 1024 * 1024
const mostMessage = 1000
const mostRegions = 6
const mostNames = 5
const mostFailures = 20

/** One entry for each message, with the files it is about. */
export const failureSection = (report: ReportDocument): Markup | null => {
  const failed = report.files.filter(({ error }) => error !== null)
  if (failed.length === 0) return null
  const groups = [...Map.groupBy(failed, kindOf).values()]
  return markup`<section aria-labelledby="failures"><h2 id="failures">What went wrong</h2>
<ul class="failures">${groups.slice(0, mostFailures).map((files) => {
    const [first] = files
    const message = first === undefined ? "" : files.length === 1 ? (first.error?.message ?? "") : kindOf(first)
    const names = files.slice(0, mostNames).map((file) => shorten(nameOf(file), 90))
    const more = files.length - names.length
    return markup`<li><p class="said">${shorten(message, mostMessage)}</p><p class="sub">${names.join(", ")}${more === 0 ? null : ` and ${groupedCount(more, "more file")}`} <span class="tag">${files[0]?.error?.tag ?? null}</span></p></li>`
  })}</ul>
${groups.length <= mostFailures ? null : markup`<p>and ${groupedCount(groups.length - mostFailures, "other failure")}, in the table below.</p>`}
</section>`
}

/** The message without the name of the file, so that the same failure of many files is one. */
const kindOf = ({ error, fileName, path }: ReportedFile): string =>
  [path, fileName].reduce<string>(
    (message, name) => (name === null || name === "" ? message : message.replaceAll(name, "‹file›")),
    error?.message ?? ""
  )

/** What needs attention comes first. Rows beyond what a page can hold are counted, never left out in silence. */
export const fileSection = (report: ReportDocument): Markup => {
  const ordered = report.files
    .map((file) => ({ file, status: statusOf(file) }))
    .sort((a, b) => a.status.rank - b.status.rank)
  const rows: Array<Markup> = []
  let room = mostText
  for (const { file } of ordered) {
    const row = rowOf(file)
    room -= row.text.length
    if (room < 0) break
    rows.push(row)
  }
  const left = ordered.length - rows.length
  const hidden = markup`<p class="note">${groupedCount(left, "more file")} would make this page too large: write the report as JSON (--reportfile report.json) to have all of them.</p>`
  return markup`<section aria-labelledby="files"><h2 id="files">Files</h2>
${left === 0 ? null : hidden}
<div id="tools"></div>
<table id="table"><caption>${groupedCount(report.files.length, "entry", "entries")}; what needs attention comes first</caption>
<thead><tr><th scope="col">Status</th><th scope="col">File</th><th scope="col" class="number">Size</th><th scope="col">SHA-256</th><th scope="col">Regions</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Time</th></tr></thead>
<tbody>${rows}</tbody></table>
</section>`
}

const rowOf = (file: ReportedFile): Markup => {
  const { tone, word } = statusOf(file)
  return markup`<tr><td><span class="status ${tone}">${word}</span></td><th scope="row"><span class="name">${shorten(nameOf(file), 260)}</span>${placeOf(file)}${file.error === null ? null : markup`<span class="error">${shorten(file.error.message, mostMessage)}</span>`}</th><td class="number" data-v="${file.bytes ?? -1}">${file.bytes === null ? null : humanSize(file.bytes)}${notesOf(file)}</td><td>${hashes(file)}</td><td>${regions(file)}</td><td class="number" data-v="${file.attempts}">${file.attempts === 0 ? null : countText(file.attempts)}${file.renewals === 0 ? null : markup`<span class="sub">${groupedCount(file.renewals, "new link")}</span>`}</td><td class="number" data-v="${file.seconds}">${file.seconds === 0 && file.startedAt === null ? null : durationText(file.seconds * 1000)}</td></tr>
`
}

const placeOf = ({ analysisId, fileName, path }: ReportedFile) => {
  const where = [
    analysisId === null ? null : `analysis ${shorten(analysisId, 80)}`,
    path === null ? null : shorten(path, 160)
  ].filter((text) => text !== null)
  return fileName === null || where.length === 0 ? null : markup`<span class="sub">${where.join(" · ")}</span>`
}

const notesOf = ({ bytes, fetched, listedBytes, reason, records, resumedFrom, warnings }: ReportedFile) =>
  [
    reason === "differs"
      ? `${groupedCount(bytes ?? 0, "byte")}, ${groupedCount(listedBytes ?? 0, "byte")} listed`
      : null,
    resumedFrom > 0 ? `${humanSize(resumedFrom)} from an earlier run` : null,
    records === null ? null : groupedCount(records, "record"),
    fetched === null ? null : `${humanSize(fetched)} fetched`,
    ...warnings.map((warning) => shorten(warning, mostMessage))
  ]
    .filter((text) => text !== null)
    .map((text) => markup`<span class="sub">${text}</span>`)

const hashes = ({ index, sha256 }: ReportedFile) => [
  sha256 === null ? null : markup`<code>${shorten(sha256, 128)}</code>`,
  index === null
    ? null
    : markup`<span class="sub">index ${shorten(index.path.split("/").at(-1) ?? "", 120)}, ${humanSize(index.bytes)}</span><code>${shorten(index.sha256, 128)}</code>`
]

const regions = ({ regions }: ReportedFile) =>
  regions === null
    ? null
    : [
        ...regions.slice(0, mostRegions).map((region) => markup`<span class="region">${shorten(region, 120)}</span>`),
        regions.length <= mostRegions ? null : markup`<span class="sub">and ${regions.length - mostRegions} more</span>`
      ]
