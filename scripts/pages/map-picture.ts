/** The picture in `docs/README.md`: service, archive and link hosts, our steps, the reader's pipeline. One file for light pages, one for dark. */

interface Colours {
  readonly text: string
  readonly quiet: string
  readonly line: string
  readonly box: string
  readonly ours: string
}

const colours: Readonly<Record<"light" | "dark", Colours>> = {
  light: { text: "#1f2328", quiet: "#59636e", line: "#818b98", box: "#f6f8fa", ours: "#ddf4ff" },
  dark: { text: "#f0f6fc", quiet: "#9198a1", line: "#7d8590", box: "#151b23", ours: "#12283d" }
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly title: string
  readonly lines: ReadonlyArray<string>
  readonly ours?: boolean
}

const boxes: ReadonlyArray<Box> = [
  {
    x: 10,
    y: 10,
    width: 190,
    height: 78,
    title: "The service",
    lines: ["answers its API,", "gives out links to files"]
  },
  {
    x: 10,
    y: 150,
    width: 190,
    height: 78,
    title: "Link hosts",
    lines: ["BAM, VCF, indexes;", "each link soon expires"]
  },
  {
    x: 10,
    y: 290,
    width: 190,
    height: 78,
    title: "Archive",
    lines: ["old files: back minutes", "to hours after asking"]
  },
  {
    x: 315,
    y: 10,
    width: 205,
    height: 78,
    title: "svc-fetch-annotations",
    lines: ["svc-api", "rows and answers"],
    ours: true
  },
  {
    x: 315,
    y: 150,
    width: 205,
    height: 78,
    title: "svc-download",
    lines: ["svc-gateway", "checks what arrives"],
    ours: true
  },
  {
    x: 315,
    y: 290,
    width: 205,
    height: 78,
    title: "svc-request-restore",
    lines: ["svc-resume-restore", "asks, and comes again"],
    ours: true
  },
  {
    x: 610,
    y: 10,
    width: 180,
    height: 358,
    title: "Your pipeline",
    lines: [
      "",
      "Nextflow, Snakemake,",
      "CWL, WDL",
      "",
      "a nightly job",
      "",
      "your own program",
      "",
      "samtools and",
      "genome browsers",
      "",
      "",
      "svc-verify checks",
      "the files again"
    ]
  }
]

interface Arrow {
  readonly path: string
  readonly words?: readonly [x: number, y: number, ...lines: ReadonlyArray<string>]
}

const arrows: ReadonlyArray<Arrow> = [
  { path: "M200 49 H307", words: [256, 28, "one request", "at a time"] },
  { path: "M200 189 H307", words: [256, 168, "up to eight", "connections"] },
  { path: "M105 290 V236", words: [152, 264, "comes back"] },
  { path: "M315 329 H208", words: [262, 308, "asked for", "once"] },
  { path: "M520 49 H602", words: [562, 28, "JSON Lines,", "tables"] },
  { path: "M520 189 H602", words: [562, 168, "whole files,", "exit code"] },
  { path: "M520 329 H602", words: [562, 308, "75: try", "again later"] }
]

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const boxOf = ({ height, lines, ours, title, width, x, y }: Box, { box, line, ours: blue, quiet, text }: Colours) =>
  [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${ours === true ? blue : box}" stroke="${line}"/>`,
    `<text x="${x + 14}" y="${y + 27}" font-weight="600" fill="${text}">${escaped(title)}</text>`,
    ...lines.map(
      (words, at) =>
        `<text x="${x + 14}" y="${y + 48 + at * 19}" font-size="14" fill="${quiet}">${escaped(words)}</text>`
    )
  ].join("\n")

const arrowOf = ({ path, words }: Arrow, { line, quiet }: Colours) => {
  const [x, y, ...lines] = words ?? [0, 0]
  return [
    `<path d="${path}" fill="none" stroke="${line}" stroke-width="2" marker-end="url(#tip)"/>`,
    ...lines.map(
      (text, at) =>
        `<text x="${x}" y="${y + at * 36}" font-size="13" text-anchor="middle" fill="${quiet}">${escaped(text)}</text>`
    )
  ].join("\n")
}

export const mapPicture = (page: "light" | "dark"): string => {
  const chosen = colours[page]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 378" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="15">
<title>From the service, its archive and its link hosts through our steps into your pipeline</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="${chosen.line}"/></marker></defs>
${boxes.map((box) => boxOf(box, chosen)).join("\n")}
${arrows.map((arrow) => arrowOf(arrow, chosen)).join("\n")}
</svg>
`
}
