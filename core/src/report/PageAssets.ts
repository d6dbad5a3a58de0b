/**
 * The style of a page, light, dark, on a phone and on paper, and its optional script, which sorts rows by a column and filters them;
 * the page is complete without it. Neither has an address in it, so nothing is ever loaded.
 *
 * Text and signs have the contrast of WCAG AA on their ground (tested); colours only repeat what words say.
 */

/** Colours by their names in the style sheet. */
export const palettes = {
  light: {
    ground: "#ffffff",
    plane: "#f5f7fa",
    text: "#1b1f24",
    muted: "#57606a",
    line: "#d5dbe2",
    accent: "#0b62c4",
    fill: "#4c8fdd",
    good: "#1a7435",
    warn: "#8a5d00",
    open: "#c98a00",
    bad: "#c5202c"
  },
  dark: {
    ground: "#0f141a",
    plane: "#171d25",
    text: "#e6edf3",
    muted: "#9aa5b1",
    line: "#2f3842",
    accent: "#62a8f8",
    fill: "#3d80d0",
    good: "#4cc266",
    warn: "#dca63a",
    open: "#c38a1c",
    bad: "#ff7b72"
  }
} as const

const variables = (palette: Readonly<Record<string, string>>) =>
  Object.entries(palette)
    .map(([name, value]) => `--${name}:${value};`)
    .join("")

/** What the page of the gateway has too: colours, light on paper, and the type. */
export const baseStyle = `
:root{color-scheme:light dark;${variables(palettes.light)}--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{${variables(palettes.dark)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}`

/** The content of the one `<style>` element. */
export const pageStyle = `${baseStyle}
header,main,footer{max-width:80rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:2rem}
h1{margin:0;font-size:1.65rem;line-height:1.25;letter-spacing:-.01em}
h2{margin:0 0 .75rem;font-size:1.2rem}
h3{margin:0;font-size:.95rem}
p{margin:0 0 .5rem}
.badge{display:inline-block;margin-bottom:.75rem;padding:.15rem .7rem;border:1.5px solid currentColor;border-radius:1rem;font-weight:600;font-size:.85rem}
.good{color:var(--good)}.bad{color:var(--bad)}.warn,.status.open{color:var(--warn)}.calm{color:var(--muted)}
.facts dt{white-space:nowrap;flex:none}
.sub,figcaption,caption,.facts dt,.tile span{color:var(--muted);font-size:.85rem}
.facts{display:flex;flex-wrap:wrap;gap:.25rem 2rem;margin:.9rem 0 0}
.facts div{display:flex;gap:.4rem;align-items:baseline}
.facts dd{margin:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.5rem 0 0;padding:0;list-style:none}
.tile{padding:.8rem 1rem;border:1px solid var(--line);border-radius:.6rem;background:var(--plane)}
.tile b{display:block;font-size:1.6rem;line-height:1.25;font-weight:650}
.tile span{display:block}
.note{margin:1.25rem 0 0;padding:.75rem 1rem;border-left:4px solid var(--warn);border-radius:.25rem;background:var(--plane)}
.note p:last-child{margin:0}
section{margin:2.25rem 0 0}
figure{margin:0;min-width:0}
figcaption{margin-top:.15rem}
.lane{display:grid;grid-template-columns:18rem minmax(0,1fr);gap:.25rem 1.25rem;align-items:center}
div.lane{align-items:start;margin-bottom:1rem}
div.lane:last-child{margin:0}
.lane .what{min-width:0}
.lane>:last-child{grid-column:-2}
.what p{margin:0}
.rows{margin:.5rem 0 0;padding:0;list-style:none}
.rows .lane{padding:.3rem 0;border-top:1px solid var(--line)}
.rows .name,.rows .sub{display:block;line-height:1.35}
.rows .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-weight:500}
svg{display:block;overflow:visible}
svg text{fill:var(--muted);font-size:12px}
.plot{background:var(--plane);border-radius:.25rem}
.plot>svg{overflow:hidden}
.plot .level{fill:var(--text);paint-order:stroke;stroke:var(--plane);stroke-width:4px;stroke-linejoin:round}
.track{background:var(--plane);border-radius:.25rem}
.grid{stroke:var(--line);stroke-width:1}
.tick{stroke:var(--muted);stroke-width:1}
rect{stroke-width:1.5}
.done{fill:var(--fill);stroke:var(--fill)}rect.bad,path.bad{fill:var(--bad);stroke:var(--bad)}.past{fill:var(--muted);stroke:var(--muted)}rect.open,path.open{fill:var(--open);stroke:var(--open)}
path{stroke:none!important}
line.mark{stroke:var(--text);stroke-width:3}
line.mean{stroke:var(--text);stroke-width:1.5;stroke-dasharray:4 3}
.key{display:inline-block;width:.8em;height:.8em;margin:0 .15em 0 .6em;border-radius:2px;vertical-align:-.05em}
.key:first-child{margin-left:0}
.key.done{background:var(--fill)}.key.bad{background:var(--bad)}.key.past{background:var(--muted)}.key.open{background:var(--open)}
.key.mark{width:3px;background:var(--text)}
.key.mean{width:1.2em;height:0;border-top:1.5px dashed var(--text);border-radius:0;vertical-align:.25em}
.failures{margin:0;padding:0;list-style:none}
.failures li{margin:0 0 .6rem;padding:.6rem 1rem;border-left:4px solid var(--bad);border-radius:.25rem;background:var(--plane)}
.failures p{margin:0}
.said{font-weight:500}
details summary{cursor:pointer}
details ul{margin:.4rem 0 0;padding:0 0 0 1.2rem}
.failures details li{margin:.15rem 0;padding:0;border:0}
.failures details li .sub{display:block}
tbody tr.index th{padding-left:1.25rem}
.tag{margin-left:.4rem;font-family:var(--mono);font-size:.8rem}
#tools{display:flex;flex-wrap:wrap;gap:.5rem;margin:0 0 .75rem}
#tools:empty{display:none}
#tools input{flex:1 1 14rem;min-width:0}
#tools input,#tools select,th button{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--muted);border-radius:.35rem;padding:.35rem .6rem}
th button{border:0;padding:0;background:none;cursor:pointer;font-weight:inherit;text-align:inherit}
th button::after{content:" \\2195";color:var(--muted)}
[aria-sort=ascending] button::after{content:" \\2191"}
[aria-sort=descending] button::after{content:" \\2193"}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.paper{display:none}
table{width:100%;border-collapse:collapse}
caption{text-align:left;padding-bottom:.4rem}
th,td{padding:.5rem .75rem .5rem 0;text-align:left;vertical-align:top;border-top:1px solid var(--line);font-weight:400}
thead th{position:sticky;top:0;background:var(--ground);border:0;box-shadow:inset 0 -2px var(--line);font-weight:600;white-space:nowrap}
td:last-child,th:last-child{padding-right:0}
.number{text-align:right;white-space:nowrap;padding-left:1rem}
tbody th{min-width:12rem}
tbody .name{font-weight:500}
tbody .sub,.error,.region{display:block}
.status{font-weight:600;font-size:.85rem;white-space:nowrap}
.status::before{content:"";display:inline-block;width:.55em;height:.55em;margin-right:.45em;border-radius:50%;background:currentColor}
.status.bad::before{border-radius:1px;transform:rotate(45deg)}
.status.open::before{background:none;border:2px solid currentColor;width:.65em;height:.65em;vertical-align:-.05em}
.error{color:var(--bad);margin-top:.15rem}
code{display:block;width:32ch;max-width:100%;font-family:var(--mono);font-size:.75rem;line-height:1.45;overflow-wrap:anywhere}
.region{font-family:var(--mono);font-size:.8rem}
footer{margin-top:2.5rem;padding-top:1rem;padding-bottom:2rem;color:var(--muted);font-size:.85rem}
footer p{border-top:1px solid var(--line);padding-top:1rem}
@media (max-width:60rem){
.lane{grid-template-columns:minmax(0,1fr)}
div.lane>.what:empty{display:none}
}
@media screen and (max-width:60rem){
table,tbody,tbody tr,tbody th,tbody td,caption{display:block}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr{padding:.7rem 0;border-top:1px solid var(--line)}
tbody th,tbody td{padding:.1rem 0;border:0}
tbody .number{display:inline-block;margin-right:1.25rem;padding:.1rem 0;text-align:left;white-space:normal}
tbody td:empty,tbody .number:empty{display:none}
tbody td:nth-child(n+3)::before{color:var(--muted);font-size:.85rem}
tbody td:nth-child(3)::before{content:"Size "}
tbody td:nth-child(4)::before{content:"SHA-256"}
tbody td:nth-child(5)::before{content:"Regions"}
tbody td:nth-child(6)::before{content:"Requests "}
tbody td:nth-child(7)::before{content:"Time "}
code{width:auto}
}
@media (max-width:34rem){
header,main,footer{padding-left:1rem;padding-right:1rem}
h1{font-size:1.35rem}
.axis .odd text{display:none}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}
}
@media print{
@page{margin:14mm}
body{font-size:10pt}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
#tools,th button{display:none}
thead{display:table-header-group}
thead th{position:static}
tr,li,figure,.tile{break-inside:avoid}
h2,h3{break-after:avoid}
.lane{grid-template-columns:12rem minmax(0,1fr)}
table{table-layout:fixed;font-size:7.5pt;line-height:1.2}
table .sub,table .status{font-size:7pt}
th,td{padding:.06rem .4rem .06rem 0}
.paper{display:inline}
tbody .name,tbody .place{display:inline}
tbody .place::before{content:" "}
thead th,.status{white-space:normal}
.number{padding-left:.2rem}
tbody th{min-width:0}
th:nth-child(1){width:13%}th:nth-child(2){width:41%}th:nth-child(3){width:24%}th:nth-child(4){width:11%}th:nth-child(5){width:11%}
tr>:nth-child(n+6),tbody .error,.path,details summary{display:none}
tbody th{width:auto}
.number .sub{display:inline;white-space:nowrap}.number .sub::before{content:" "}
code{width:12ch;overflow:hidden;white-space:nowrap;font-size:7pt}
.region{font-size:7pt}
}
`

/** The content of the one `<script>` element; it makes nothing out of text, and loads nothing. */
export const pageScript = `
(() => {
  const table = document.getElementById("table")
  const tools = document.getElementById("tools")
  const body = table.tBodies[0]
  const rows = [...body.rows]
  if (rows.length < 2) return
  const valueOf = (row, column) => {
    const cell = row.cells[column]
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v)
  }
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }))
  const heads = [...table.tHead.rows[0].cells]
  heads.forEach((head, column) => {
    const button = document.createElement("button")
    button.type = "button"
    button.textContent = head.textContent
    const paper = document.createElement("span")
    paper.className = "paper"
    paper.textContent = head.textContent
    head.replaceChildren(paper, button)
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending"
      for (const other of heads) other.removeAttribute("aria-sort")
      head.setAttribute("aria-sort", down ? "descending" : "ascending")
      const keyed = rows.map((row) => [valueOf(row, column), row])
      keyed.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)))
      body.append(...keyed.map(([, row]) => row))
    })
  })
  const statuses = [...new Set(rows.map((row) => row.cells[0].textContent))]
  const search = document.createElement("input")
  search.type = "search"
  search.placeholder = "Name, analysis, checksum, error"
  search.setAttribute("aria-label", "Show only files with this text")
  const select = document.createElement("select")
  select.setAttribute("aria-label", "Show only files with this status")
  for (const status of ["Every status", ...statuses]) select.append(new Option(status, status === "Every status" ? "" : status))
  const count = document.createElement("output")
  count.className = "sub"
  const show = () => {
    const text = search.value.trim().toLowerCase()
    let shown = 0
    for (const row of rows) {
      const fits = (select.value === "" || row.cells[0].textContent === select.value) && row.textContent.toLowerCase().includes(text)
      row.hidden = !fits
      if (fits) shown++
    }
    count.textContent = shown === rows.length ? "" : shown + " of " + rows.length
  }
  search.addEventListener("input", show)
  select.addEventListener("change", show)
  tools.append(search, select, count)
})()
`
