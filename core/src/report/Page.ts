/**
 * A report as one page for people: it needs no network, no script and no other file, and holds no link and no secret.
 *
 * Names and messages come from a service and from file systems, so all of them are escaped; a content security policy
 * that knows the page's own style and script by their digests keeps out whatever would get past that.
 */
import { ExitCodes } from "../Errors.ts"
import { humanSize } from "../text/Size.ts"
import { countText, durationText, groupedCount, momentText } from "./Axis.ts"
import { failureSection, fileSection } from "./FileTable.ts"
import { Markup, markup } from "./Markup.ts"
import { pageScript } from "./PageScript.ts"
import { pageStyle } from "./PageStyle.ts"
import type { ReportDocument } from "./Report.ts"
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
