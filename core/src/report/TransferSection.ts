/** When bytes came: how fast, and which files. */

import { durationText, humanSize } from "../text/Quantity.ts"
import {
  axis,
  byteScale,
  countInBins,
  countText,
  elapsedTicks,
  groupedCount,
  steps,
  type Tick,
  type Tone,
  track
} from "./Chart.ts"
import { type Markup, markup, shorten } from "./Markup.ts"
import { nameOf, type ReportDocument, type ReportedFile } from "./Report.ts"

/** At most this many files have a row: those that took the longest. Beyond that a column chart shows all of them. */
const mostRows = 40
const longest = 12
const columns = 120

interface Transfer {
  readonly file: ReportedFile
  /** Milliseconds since the start of the run. */
  readonly from: number
  readonly to: number
}

export const transferSection = (report: ReportDocument): Markup | null => {
  const start = Date.parse(report.startedAt)
  const span = Math.max(1, report.seconds * 1000)
  const transfers = report.files
    .flatMap((file): ReadonlyArray<Transfer> => {
      if (file.startedAt === null || file.action === "skipped") return []
      const from = Date.parse(file.startedAt) - start
      return [{ file, from, to: file.finishedAt === null ? span : Date.parse(file.finishedAt) - start }]
    })
    .sort((a, b) => a.from - b.from)
  const bytes = report.throughput.bytes.reduce((sum, count) => sum + count, 0)
  if (transfers.length === 0 && bytes === 0) return null
  const ticks = elapsedTicks(span, 6)
  const shown = transfers.length <= mostRows ? transfers : topOf(transfers)
  return markup`<section aria-labelledby="transfers"><h2 id="transfers">Transfers</h2>
${bytes === 0 ? null : throughput(report, bytes, span, ticks)}
${transfers.length <= mostRows ? null : endsChart(transfers, span, ticks)}
${transfers.length === 0 ? null : rows(shown, transfers.length, span, ticks)}
</section>`
}

const topOf = (transfers: ReadonlyArray<Transfer>) => {
  const least = transfers.map(({ from, to }) => to - from).sort((a, b) => b - a)[longest - 1] ?? 0
  return transfers.filter(({ from, to }) => to - from >= least).slice(0, longest)
}

const rateText = (bytesPerSecond: number) => `${humanSize(Math.round(bytesPerSecond))}/s`

const throughput = (report: ReportDocument, bytes: number, span: number, ticks: ReadonlyArray<Tick>) => {
  const { bytes: samples, intervalSeconds } = report.throughput
  const rates = samples.map((count) => count / intervalSeconds)
  const largest = rates.reduce((most, rate) => Math.max(most, rate), 0)
  const { step, top } = byteScale(largest, 4)
  const levels = Array.from({ length: Math.round(top / step) }, (_, index) => (index + 1) * step).map((level) => ({
    at: level / top,
    text: `${humanSize(Math.round(level))}/s`
  }))
  const mean = bytes / (span / 1000)
  const busy = samples.filter((count) => count > 0).length * intervalSeconds
  const description =
    `${humanSize(bytes)} came in ${durationText(span)}, ${rateText(mean)} on average over the run; ` +
    `the most in ${durationText(intervalSeconds * 1000)} was ${rateText(largest)}.`
  return markup`<div class="lane"><div class="what"><h3>Throughput</h3><p>${rateText(bytes / Math.min(busy, span / 1000))} while bytes came</p><p class="sub"><span class="key mean"></span> ${rateText(mean)} over the run</p></div>
<figure>${steps(
    { id: "throughput", title: "Throughput", description, height: 150 },
    [{ tone: "done", values: rates }],
    { columns: Math.max(span / 1000 / intervalSeconds, 0.001), top },
    levels,
    ticks,
    mean / top
  )}${axis(ticks)}<figcaption>${description}</figcaption></figure></div>`
}

const endsChart = (transfers: ReadonlyArray<Transfer>, span: number, ticks: ReadonlyArray<Tick>) => {
  const ends = (bad: boolean) => transfers.filter(({ file }) => (file.action === "failed") === bad).map(({ to }) => to)
  const series = [
    { tone: "done" as const, values: countInBins(ends(false), 0, span, columns) },
    { tone: "bad" as const, values: countInBins(ends(true), 0, span, columns) }
  ]
  const top =
    series[0]?.values.reduce((most, value, at) => Math.max(most, value + (series[1]?.values[at] ?? 0)), 1) ?? 1
  const failed = ends(true).length
  const description = `${groupedCount(transfers.length - failed, "file")} came and ${countText(failed)} failed; at most ${top} ended within ${durationText(span / columns)}.`
  return markup`<div class="lane"><div class="what"><h3>Files ended</h3><p class="sub"><span class="key done"></span> came</p><p class="sub"><span class="key bad"></span> failed</p></div>
<figure>${steps(
    { id: "ended", title: "Files that ended, over time", description, height: 110 },
    series,
    { columns, top },
    [{ at: 1, text: String(top) }],
    ticks
  )}${axis(ticks)}<figcaption>${description}</figcaption></figure></div>`
}

const toneOf = ({ action }: ReportedFile): Tone => (action === "failed" ? "bad" : "done")

const rows = (shown: ReadonlyArray<Transfer>, all: number, span: number, ticks: ReadonlyArray<Tick>) =>
  markup`<h3>${shown.length === all ? "Each file" : `The ${shown.length} longest of ${countText(all)} transfers`}</h3>
<ol class="rows">${shown.map(({ file, from, to }) => {
    const took = durationText(Math.max(0, to - from))
    const end = file.finishedAt === null ? "stopped" : file.action === "failed" ? "failed" : null
    const words =
      end === null ? `${file.bytes === null ? "" : `${humanSize(file.bytes)} in `}${took}` : `${end} after ${took}`
    return markup`<li class="lane"><div class="what"><span class="name">${shorten(nameOf(file), 90)}</span><span class="sub">${words}, from ${durationText(Math.max(0, from))}</span></div>${track(
      [{ from: from / span, to: to / span, tone: toneOf(file) }],
      ticks
    )}</li>`
  })}</ol>
<div class="lane"><div class="what"></div>${axis(ticks)}</div>`
