/**
 * A report as one page for people: it needs no network, no script and no other file, and holds no link and no secret.
 *
 * Names and messages come from a service and from file systems, so all of them are escaped; a content security policy
 * that knows the page's own style and script by their digests keeps out whatever would get past that.
 */
import { ending, severityOrder } from "../Errors.ts"
import { dataFileOf } from "../selection/FileName.ts"
import { durationText, humanSize } from "../text/Quantity.ts"
import { countText, groupedCount, momentText } from "./Chart.ts"
import { Markup, markup, shorten } from "./Markup.ts"
import { pageScript, pageStyle } from "./PageAssets.ts"
import { nameOf, type ReportDocument, type ReportedFile, statusOf } from "./Report.ts"
import { restorationSection, transferSection } from "./Timelines.ts"

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
  const { advice } = report
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
<p class="badge ${toneOf(report)}">${stateOf(report)}</p>
<h1>${heading} from ${report.host}</h1>
${facts(report)}
</header>
<main>
${tiles(report)}
${advice.length === 0 ? null : markup`<div class="note"><p><b>What to do next</b></p>${advice.map((line) => markup`<p>${line}</p>`)}</div>`}
${failureSection(report)}
${transferSection(report)}
${restorationSection(report)}
${fileSection(report)}
</main>
<footer><p>Written by svc-steps ${report.version} on ${momentText(Date.parse(report.finishedAt), true)}. The same for programs: a reportfile that ends with .json (${report.schema}).</p></footer>
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

/** Files that are still in the archive: asked for, or left there. */
const awaited = ({ files }: ReportDocument) => files.filter(({ reason }) => reason === "pending").length
const left = ({ files }: ReportDocument) =>
  files.filter(({ action, reason }) => action === "skipped" && reason === "archived").length

const toneOf = (report: ReportDocument) => {
  const { exitCode } = report
  if (exitCode !== 0 && exitCode !== null && exitCode !== 75) return "bad"
  return exitCode === 0 && awaited(report) + left(report) === 0 ? "good" : "warn"
}

/** One sentence: what a reader has to know before anything else. */
const stateOf = (report: ReportDocument): string => {
  const { exitCode, exitMeaning, files, totals } = report
  const isAre = (count: number, one: string, many: string) =>
    `${groupedCount(count, "file")} ${count === 1 ? one : many}`
  if (exitCode === null) return capital(exitMeaning)
  if (totals.failed > 0) return `${countText(totals.failed)} of ${groupedCount(files.length, "file")} failed`
  const waiting = [
    ...(awaited(report) === 0 ? [] : [isAre(awaited(report), "is being restored", "are being restored")]),
    ...(left(report) === 0 ? [] : [isAre(left(report), "is still in the archive", "are still in the archive")])
  ]
  if (waiting.length > 0) return waiting.join(", ")
  if (exitCode !== 0) return capital(exitMeaning)
  return files.length === 0 ? "There was nothing to do" : "All files are there"
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const facts = (report: ReportDocument): Markup => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Started", momentText(Date.parse(report.startedAt), true)],
    ["Took", durationText(report.seconds * 1000)],
    ["Exit code", `${report.exitCode ?? "none"}: ${report.exitMeaning}`],
    ["Command", shorten(report.command, 2000)],
    ["On", `${report.machine}, as ${report.user}`]
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
    [because("no-reads"), "without reads"],
    [because("withheld"), "not without the others"]
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
const mostNames = 200
const mostFailures = 20
const mostFolded = 200

/** Causes, the most severe first: each once, with the files that it met folded. */
const failureSection = (report: ReportDocument): Markup | null => {
  const failed = withoutEchoes(report.files).filter(({ error }) => error !== null)
  if (failed.length === 0) return null
  const groups = [...Map.groupBy(failed, kindOf).values()].sort((a, b) => severityOf(a) - severityOf(b))
  const [shown, folded] = [groups.slice(0, mostFailures), groups.slice(mostFailures)]
  return markup`<section aria-labelledby="failures"><h2 id="failures">What went wrong</h2>
<ul class="failures">${shown.map(causeOf)}</ul>
${folded.length === 0 ? null : markup`<details><summary>${groupedCount(folded.length, "more cause")}</summary><ul class="failures">${folded.slice(0, mostFolded).map(causeOf)}</ul></details>`}
</section>`
}

const causeOf = (files: ReadonlyArray<ReportedFile>): Markup | null => {
  const [first] = files
  if (first === undefined) return null
  const tag = markup`<span class="tag">${first.error?.tag ?? null}</span>`
  if (files.length === 1)
    return markup`<li><p class="said">${shorten(saidBy(first), mostMessage)}</p><p class="sub">${shorten(nameOf(first), 90)} ${tag}</p></li>`
  const same = new Set(files.map(withoutName)).size === 1
  const each = files.slice(0, mostNames)
  const more = files.length - each.length
  return markup`<li><p class="said">${groupedCount(files.length, "file")}: ${shorten(same ? withoutName(first) : wordsOf(first), mostMessage)}</p>
<details><summary class="sub">which ${tag}</summary><ul>${each.map((file) => markup`<li>${shorten(nameOf(file), 90)}${same ? null : markup`<span class="sub">${shorten(saidBy(file), mostMessage)}</span>`}</li>`)}</ul>${more === 0 ? null : markup`<p class="sub">and ${groupedCount(more, "more file")}, in the table below</p>`}</details></li>`
}

/** The place of a group in the order in which failures decide about the exit code. */
const severityOf = ([first]: ReadonlyArray<ReportedFile>): number => {
  const exit = first?.error === null || first === undefined ? 0 : first.error.exit
  const rank = (severityOrder as ReadonlyArray<number>).indexOf(exit)
  return rank === -1 ? severityOrder.length : rank
}

/** Without indexes that failed only because their data file did. */
const withoutEchoes = (files: ReadonlyArray<ReportedFile>): ReadonlyArray<ReportedFile> => {
  const messages = new Map(files.map((file) => [placeKey(file, file.fileName), file.error?.message]))
  return files.filter((file) => {
    const data = file.fileName === null ? null : dataFileOf(file.fileName)
    return data === null || file.error === null || messages.get(placeKey(file, data)) !== file.error.message
  })
}

const placeKey = ({ analysisId }: ReportedFile, name: string | null) => JSON.stringify([analysisId, name])

const saidBy = ({ error }: Pick<ReportedFile, "error">): string =>
  error === null ? "" : ending(error.message, error.advice)

const withoutName = ({ error, fileName, path }: ReportedFile): string =>
  [path, fileName].reduce<string>(
    (message, name) => (name === null || name === "" ? message : message.replaceAll(name, "‹file›")),
    saidBy({ error })
  )

/** The message without names, checksums and numbers: the same for failures of one kind. */
const wordsOf = (file: ReportedFile): string =>
  withoutName(file)
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b/gi, "‹checksum›")
    .replaceAll(/(?<![\p{L}\d])\d[\d,.]*/gu, "‹number›")

const kindOf = (file: ReportedFile): string => JSON.stringify([file.error?.tag, wordsOf(file)])

/** What needs attention comes first. Rows beyond what a page can hold are counted, never left out in silence. */
const fileSection = (report: ReportDocument): Markup => {
  const ordered = families(report.files)
    .map((files) => ({ files, rank: Math.min(...files.map((file) => statusOf(file).rank)) }))
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ files }) => files)
  const rows: Array<Markup> = []
  let room = mostText
  for (const file of ordered) {
    const row = rowOf(file)
    room -= row.text.length
    if (room < 0) break
    rows.push(row)
  }
  const left = ordered.length - rows.length
  const hidden = markup`<p class="note">${groupedCount(left, "more file")} would make this page too large: write the report as JSON (a reportfile that ends with .json) to have all of them.</p>`
  return markup`<section aria-labelledby="files"><h2 id="files">Files</h2>
${left === 0 ? null : hidden}
<div id="tools"></div>
<table id="table"><caption>${groupedCount(report.files.length, "entry", "entries")}; what needs attention comes first</caption>
<thead><tr><th scope="col">Status</th><th scope="col">File</th><th scope="col" class="number">Size</th><th scope="col">SHA-256</th><th scope="col">Regions</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Time</th></tr></thead>
<tbody>${rows}</tbody></table>
</section>`
}

/** A data file and behind it its indexes, in the order of the run. */
const families = (files: ReadonlyArray<ReportedFile>): ReadonlyArray<ReadonlyArray<ReportedFile>> => {
  const known = new Map<string, Array<ReportedFile>>()
  for (const [at, file] of files.entries()) {
    const data = file.fileName === null ? null : (dataFileOf(file.fileName) ?? file.fileName)
    const key = data === null ? String(at) : placeKey(file, data)
    const family = known.get(key)
    if (family === undefined) known.set(key, [file])
    else if (file.fileName === data) family.unshift(file)
    else family.push(file)
  }
  return [...known.values()]
}

const rowOf = (file: ReportedFile): Markup => {
  const { tone, word } = statusOf(file)
  return markup`<tr${isIndex(file) ? markup` class="index"` : null}><td><span class="status ${tone}">${word}</span></td><th scope="row"><span class="name">${shorten(nameOf(file), 260)}</span>${placeOf(file)}${file.error === null ? null : markup`<span class="error">${shorten(saidBy(file), mostMessage)}</span>`}</th><td class="number" data-v="${file.bytes ?? -1}">${file.bytes === null ? null : humanSize(file.bytes)}${notesOf(file)}</td><td>${hashes(file)}</td><td>${regions(file)}</td><td class="number" data-v="${file.attempts}">${file.attempts === 0 ? null : countText(file.attempts)}${file.renewals === 0 ? null : markup`<span class="sub">${groupedCount(file.renewals, "new link")}</span>`}</td><td class="number" data-v="${file.seconds}">${file.seconds === 0 && file.startedAt === null ? null : durationText(file.seconds * 1000)}</td></tr>
`
}

const isIndex = ({ fileName }: ReportedFile) => fileName !== null && dataFileOf(fileName) !== null

const placeOf = ({ analysisId, fileName, path }: ReportedFile) => {
  if (fileName === null || (analysisId === null && path === null)) return null
  const analysis = analysisId === null ? "" : `analysis ${shorten(analysisId, 80)}`
  const between = analysisId === null || path === null ? "" : " · "
  return markup`<span class="sub place">${analysis}${path === null ? null : markup`<span class="path">${between}${shorten(path, 160)}</span>`}</span>`
}

const notesOf = (file: ReportedFile) => {
  const { bytes, fetched, listedBytes, reason, records, resumedFrom, warnings } = file
  const notes = [
    // Of an index that was refused with its data file the sizes say nothing.
    reason === "differs" && !isIndex(file)
      ? `${groupedCount(bytes ?? 0, "byte")}, ${groupedCount(listedBytes ?? 0, "byte")} listed`
      : null,
    resumedFrom > 0 ? `${humanSize(resumedFrom)} from an earlier run` : null,
    records === null ? null : groupedCount(records, "record"),
    fetched === null ? null : `${humanSize(fetched)} fetched`,
    ...warnings.map((warning) => shorten(warning, mostMessage))
  ]
  return notes.filter((text) => text !== null).map((text) => markup`<span class="sub">${text}</span>`)
}

const hashes = ({ index, sha256 }: ReportedFile) => [
  sha256 === null ? null : markup`<code>${shorten(sha256, 128)}</code>`,
  index === null
    ? null
    : markup`<span class="sub">index ${shorten(index.path.split("/").at(-1) ?? "", 120)}, ${humanSize(index.bytes)}</span>${index.sha256 === null ? null : markup`<code>${shorten(index.sha256, 128)}</code>`}`
]

const regions = ({ regions }: ReportedFile) =>
  regions === null
    ? null
    : [
        ...regions.slice(0, mostRegions).map((region) => markup`<span class="region">${shorten(region, 120)}</span>`),
        regions.length <= mostRegions ? null : markup`<span class="sub">and ${regions.length - mostRegions} more</span>`
      ]
