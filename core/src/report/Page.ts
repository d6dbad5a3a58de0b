/**
 * A report as one page for people: it needs no network, no script and no other file, and holds no link and no secret.
 *
 * Names and messages come from a service and from file systems, so all of them are escaped; a content security policy
 * that knows the page's own style and script by their digests keeps out whatever would get past that.
 */
import { ExitCodes } from "../Errors.ts"
import { humanSize } from "../text/Quantity.ts"
import { countText, durationText, groupedCount, momentText } from "./Axis.ts"
import { Markup, markup, shorten } from "./Markup.ts"
import { pageScript, pageStyle } from "./PageAssets.ts"
import { nameOf, type ReportDocument, type ReportedFile, statusOf } from "./Report.ts"
import { restorationSection } from "./RestorationSection.ts"
import { transferSection } from "./TransferSection.ts"

/** Content security policy: allows this page's own style and script, by their digests, and no request to anywhere. */
const policy = (sha256: Digest) =>
  `default-src 'none'; img-src data:; style-src 'sha256-${sha256(pageStyle)}'; script-src 'sha256-${sha256(pageScript)}'; base-uri 'none'; form-action 'none'`

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%230b62c4'/%3E%3Cpath d='M8 3v7m-3-3 3 3 3-3M4 13h8' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E"

/** SHA-256 of a text in UTF-8, in base64. */
export type Digest = (text: string) => string

/** The whole document. */
export const reportPage = (report: ReportDocument, sha256: Digest): string => {
  const heading = headings[report.step]
  return `<!doctype html>
${
  markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy(sha256))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${summary(report)}: ${heading} from ${report.host}</title>
<link rel="icon" href="${new Markup(icon)}">
<style>${new Markup(pageStyle)}</style>
</head>
<body>
<header>
<p class="badge ${toneOf(report)}">${capital(stateOf(report))}</p>
<h1>${heading} from ${report.host}</h1>
${facts(report)}
</header>
<main>
${tiles(report)}
${report.advice.length === 0 ? null : markup`<div class="note"><p><b>What to do next</b></p>${report.advice.map((line) => markup`<p>${line}</p>`)}</div>`}
${failureSection(report)}
${transferSection(report)}
${restorationSection(report)}
${fileSection(report)}
</main>
<footer><p>Written by svc-steps ${report.version} on ${momentText(Date.parse(report.finishedAt), true)}. The same for programs: --reportfile report.json (${report.schema}).</p></footer>
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text
}`
}

const headings: Readonly<Record<ReportDocument["step"], string>> = {
  download: "Download",
  "request-restore": "Restoration requests",
  "resume-restore": "Resumed restorations"
}

const summary = ({ files, totals }: ReportDocument) => {
  const pending = files.filter(({ reason }) => reason === "pending").length
  return [
    `${totals.downloaded} downloaded`,
    ...(totals.skipped - pending > 0 ? [`${totals.skipped - pending} skipped`] : []),
    ...(pending > 0 ? [`${pending} pending`] : []),
    ...(totals.failed > 0 ? [`${totals.failed} failed`] : [])
  ].join(", ")
}

const toneOf = ({ exitCode, files }: ReportDocument) =>
  exitCode === 0
    ? files.some(({ reason }) => reason === "pending")
      ? "warn"
      : "good"
    : exitCode === 75 || exitCode === null
      ? "warn"
      : "bad"

const stateOf = ({ exitCode, exitMeaning, files }: ReportDocument) => {
  if (exitCode !== 0) return exitMeaning
  return files.some(({ reason }) => reason === "pending") ? ExitCodes[75] : exitMeaning
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const facts = (report: ReportDocument): Markup => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Started", momentText(Date.parse(report.startedAt), true)],
    ["Took", durationText(report.seconds * 1000)],
    ["Exit code", report.exitCode === null ? "none, stopped" : String(report.exitCode)]
  ]
  return markup`<dl class="facts">${rows.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

const tiles = (report: ReportDocument): Markup => {
  const { files, totals } = report
  const because = (reason: string) => files.filter((file) => file.action === "skipped" && file.reason === reason).length
  const came = report.throughput.bytes.reduce((sum, count) => sum + count, 0)
  const requests = files.reduce((sum, { attempts }) => sum + attempts, 0)
  const pending = because("pending")
  const skipped = [
    [because("exists"), "there already"],
    [because("archived"), "left in the archive"],
    [because("no-reads"), "without reads"]
  ] as const
  const why = skipped.flatMap(([count, reason]) => (count === 0 ? [] : [`${count} ${reason}`])).join(", ")
  const shown: ReadonlyArray<readonly [string, string, string, string?]> = [
    [countText(totals.downloaded), "downloaded", humanSize(totals.bytes)],
    [
      countText(totals.failed),
      "failed",
      totals.failed === 0 ? "nothing went wrong" : "see below",
      totals.failed > 0 ? "bad" : ""
    ],
    ...(pending === 0 ? [] : [[countText(pending), "being restored", "from the archive", "warn"] as const]),
    ...(totals.skipped === pending ? [] : [[countText(totals.skipped - pending), "skipped", why] as const]),
    [humanSize(came), "came over the network", requests === 0 ? "" : `in ${groupedCount(requests, "request")}`]
  ]
  return markup`<ul class="tiles" aria-label="Totals">${shown.map(
    ([value, name, more, tone = ""]) =>
      markup`<li class="tile"><b class="${tone}">${value}</b>${name}${more === "" ? null : markup`<span>${more}</span>`}</li>`
  )}</ul>`
}

/** Limit for all rows together, in characters: browsers display this much at once, and mail servers accept it. */
const mostText = 6 * 1024 * 1024
const mostMessage = 1000
const mostRegions = 6
const mostNames = 5
const mostFailures = 20

/** One entry for each message, with the files it is about. */
const failureSection = (report: ReportDocument): Markup | null => {
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
const fileSection = (report: ReportDocument): Markup => {
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
