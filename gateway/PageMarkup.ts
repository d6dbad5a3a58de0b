/**
 * The page as HTML: complete without its script, as plain links for `wget -r` and rclone. Pure.
 *
 * Names come from a service, so every value is escaped, and a content security policy lets in nothing but the page's own files.
 */

import { indexNamesOf, kindOfName } from "../core/src/genome/formats/FileNames.ts"
import { Markup, markup } from "../core/src/report/Markup.ts"
import type { ServedAnalysis, ServedFile } from "../core/src/serving/LinkStore.ts"
import type { Restoring } from "../core/src/serving/Restorations.ts"
import { counted, humanSize } from "../core/src/text/Quantity.ts"
import type { Genome } from "./Genome.ts"
import { asSentence, minutes } from "./page/Wording.ts"

/**
 * Digests of the two style sheets that igv.js 3.8.10 puts into the page when it is loaded, for its picker of colours and a view that
 * is never opened: nothing else is allowed that stands in the page itself. A new version of igv.js has others, which the browser
 * tells (test/e2e/gateway/Page.test.ts).
 */
const igvStyles = [
  "sha256-ITHmamcImsZ/Je1xrdtDLZVvRSpj1Zokb6uHXORB824=",
  "sha256-NTwDUA6nIvRRpI2lIBtHJqkV0TlTj4HVmI6vI81fIfM="
]

/** What is typed, read or drawn here is of patients: the page talks to its own gateway alone, whatever igv.js would ask elsewhere. */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${igvStyles.map((digest) => `'${digest}'`).join(" ")}`,
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%230b62c4'/%3E%3Cpath d='M3 5h10M3 8h6M5 11h8' fill='none' stroke='%23fff' stroke-width='1.6'/%3E%3C/svg%3E"

/** What every page has. */
interface Frame {
  readonly title: string
  /** From here to `/`, such as `../../`: the gateway may stand below a path. */
  readonly root: string
  readonly main: Markup
}

const frame = ({ main, root, title }: Frame): string =>
  markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${new Markup(icon)}">
<link rel="stylesheet" href="${root}page/page.css">
<script type="module" src="${root}page/page.js"></script>
</head>
<body>
<header><a href="${root === "" ? "./" : root}">svc-gateway</a><div class="row" id="who"></div></header>
${main}
</body>
</html>
`.text

/** Given to everybody who shows no good token: it tells nothing, and its script asks for the token. */
export const lockedPage = (root: string, message: string): string =>
  frame({
    title: "svc-gateway",
    root,
    main: markup`<main id="main" data-locked="${message}"><h1>This gateway wants a token</h1>
<noscript><p class="say">This browser runs no script. Send the token as a header instead, such as with <code>curl -H "Authorization: Bearer $TOKEN"</code>.</p></noscript></main>`
  })

/** A sentence in place of what was asked for. */
export const failurePage = (root: string, message: string): string =>
  frame({
    title: "svc-gateway",
    root,
    main: markup`<main id="main"><h1>This cannot be shown</h1><p class="say" role="alert">${asSentence(message)}</p>
<p><a href="${root === "" ? "./" : root}">Another analysis</a></p></main>`
  })

/** Most analyses in a list: 500 kB of a page. */
const mostListed = 5000

/** Where an analysis is chosen. */
export interface Choice {
  /** From here to `/`. */
  readonly root: string
  /** From here to the folder of all analyses: `files/`, or nothing when this is it. */
  readonly folder: string
  /** Ids and prefixes with a star that the reader is limited to; null for none. */
  readonly scopes: ReadonlyArray<string> | null
  /** What the service has of these; null where it was not asked, or told nothing. */
  readonly listed: ReadonlyArray<ServedAnalysis> | null
  /** Why it told nothing. */
  readonly failure: string | null
}

export const analysesPage = ({ failure, folder, listed, root, scopes }: Choice): string => {
  const own = (scopes ?? []).flatMap((id) => (id.endsWith("*") ? [] : [{ id, sampleId: null, personLimsId: null }]))
  const known = new Set(listed?.map(({ id }) => id))
  // The service may leave out of its list what it has all the same.
  const shown = [...(listed ?? []), ...own.filter(({ id }) => !known.has(id))]
  const prefixes = (scopes ?? []).filter((scope) => scope.endsWith("*"))
  const others = scopes === null || prefixes.length > 0
  return frame({
    title: "Analyses · svc-gateway",
    root,
    main: markup`<main id="main">
<h1>Analyses</h1>
${failure === null ? null : markup`<p class="say" role="alert">${asSentence(failure)}</p>`}
<form method="get" id="choose"><label>Id of an analysis<input name="analysis" required autocomplete="off" spellcheck="false"></label><button class="main">Show its files</button></form>
${
  shown.length === 0
    ? null
    : markup`<h2>${scopes === null ? "All" : "Yours"}</h2>${
        shown.length > mostListed
          ? markup`<p class="sub">The first ${mostListed} of ${shown.length}; the others open by their ids.</p>`
          : null
      }<ul class="ids">${shown
        .slice(0, mostListed)
        .map(
          ({ id, sampleId }) =>
            markup`<li><a href="${folder}${addressOf(id)}/">${id}</a>${sampleId === null ? null : markup` <span class="sub">${sampleId}</span>`}</li>`
        )}</ul>`
}${
  prefixes.length === 0
    ? null
    : markup`<p class="sub">Your token is for analyses that begin with ${prefixes.map((prefix) => prefix.slice(0, -1)).join(" or ")}${own.length > 0 ? ", too" : ""}.</p>`
}${listed === null && failure === null && others ? markup`<p><a href="${folder}">List them</a></p>` : null}
</main>`
  })
}

/** The files of an analysis as its page shows them. */
export interface Folder {
  readonly analysisId: string
  /** Null where the service tells nothing of it. */
  readonly about: ServedAnalysis | null
  readonly files: ReadonlyArray<ServedFile & { readonly restoring: Restoring | null }>
  readonly mayRestore: boolean
  /** A token was shown. */
  readonly closed: boolean
  readonly genome: Genome | null
  readonly hasGenes: boolean
}

export const folderPage = ({ about, analysisId, closed, files, genome, hasGenes, mayRestore }: Folder): string => {
  const names = new Map(files.map(({ fileName }) => [fileName.toLowerCase(), fileName]))
  const indexFor = (name: string) =>
    indexNamesOf(name).flatMap((index) => names.get(index.toLowerCase()) ?? [])[0] ?? null
  const subject = [
    ...(about?.sampleId == null ? [] : [`sample ${about.sampleId}`]),
    ...(about?.personLimsId == null ? [] : [`person ${about.personLimsId}`])
  ]
  const archived = files.filter((file) => file.archived).length
  const bytes = files.reduce((sum, { size }) => sum + (size ?? 0), 0)
  const told = [
    counted(files.length, "file"),
    ...(bytes > 0 ? [humanSize(bytes)] : []),
    ...(archived > 0 ? [`${archived} in the archive`] : [])
  ]
  return frame({
    title: `${analysisId} · svc-gateway`,
    root: "../../",
    main: markup`<main id="main" data-analysis="${analysisId}"${flag("restore", mayRestore)}${flag("closed", closed)}${flag("genes", hasGenes)}${
      genome === null ? null : markup` data-genome="${JSON.stringify(genome.reference)}"`
    }>
<h1>${analysisId}${subject.length === 0 ? null : markup` <span class="sub">${subject.join(", ")}</span>`}</h1>
${
  files.length === 0
    ? markup`<p class="say">This analysis has no files.</p>`
    : markup`<div id="view"></div>
<table>
<caption>${told.join(", ")}</caption>
<thead><tr><th scope="col">File</th><th scope="col" class="number">Size</th><th scope="col" class="state">State</th><td></td></tr></thead>
<tbody>
${files.map((file) => row(file, indexFor(file.fileName)))}</tbody>
</table>`
}
</main>`
  })
}

const flag = (name: string, on: boolean) => (on ? new Markup(` data-${name}`) : null)

/** With nothing in it that HTML has to escape: programs that follow links do not all know `&#39;`. */
const addressOf = (name: string) => encodeURIComponent(name).replaceAll("'", "%27")

/** An archived file is a link too: who follows all links is refused that one (409), and so does not take what came for all there is. */
const row = ({ archived, fileName, restoring, size }: Folder["files"][number], index: string | null) =>
  markup`<tr data-kind="${kindOfName(fileName)?.kind ?? ""}"${index === null ? null : markup` data-index="${index}"`}${flag("archived", archived)}${flag("restoring", archived && restoring !== null)}><th scope="row">${
    /^\.*$/.test(fileName) ? fileName : markup`<a href="${addressOf(fileName)}">${fileName}</a>`
  }</th><td class="number">${size === null ? "" : humanSize(size)}</td><td class="away">${archived ? stateOf(restoring) : ""}</td><td class="act"></td></tr>
`

const stateOf = (restoring: Restoring | null): string => {
  if (restoring === null) return "In the archive"
  const { estimation, since } = restoring
  return `Being restored${since === null ? "" : `, asked for ${minutes(since)}`}${estimation === null ? "" : `, expected ${minutes(estimation)}`}`
}
