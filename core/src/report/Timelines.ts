/** When things happened, as pictures: bytes that came and their files, and restorations of archived files. */

import type { Restoration } from "../archive/Waiting.ts"
import { durationText, humanSize } from "../text/Quantity.ts"
import { timeOf } from "../text/Timestamp.ts"
import {
  axis,
  byteScale,
  countText,
  elapsedTicks,
  gridLines,
  momentText,
  momentTicks,
  percent,
  type Tick,
  type Tone,
  track
} from "./Chart.ts"
import { type Markup, markup, shorten } from "./Markup.ts"
import { nameOf, type ReportDocument, type ReportedFile } from "./Report.ts"

/** At most this many rows are drawn: the transfers that took the longest, and the restorations with the earliest estimates. */
const mostRows = 40

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
  const shown = longestOf(transfers)
  return markup`<section aria-labelledby="transfers"><h2 id="transfers">Transfers</h2>
${bytes === 0 ? null : throughput(report, bytes, span, ticks)}
${transfers.length === 0 ? null : rows(shown, transfers.length, span, ticks)}
</section>`
}

const longestOf = (transfers: ReadonlyArray<Transfer>) => {
  const least = transfers.map(({ from, to }) => to - from).sort((a, b) => b - a)[mostRows - 1] ?? 0
  return transfers.filter(({ from, to }) => to - from >= least).slice(0, mostRows)
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
<figure>${plot(rates, { columns: Math.max(span / 1000 / intervalSeconds, 0.001), top }, mean / top, description, levels, ticks)}${axis(ticks)}<figcaption>${description}</figcaption></figure></div>`
}

/** Rates side by side as steps, each from 0 to `top` high, and a line at their mean. */
const plot = (
  rates: ReadonlyArray<number>,
  { columns, top }: { readonly columns: number; readonly top: number },
  mean: number,
  description: string,
  levels: ReadonlyArray<Tick>,
  ticks: ReadonlyArray<Tick>
): Markup => {
  const x = (place: number) => Number(Math.min(place, columns).toFixed(3))
  const path = rates.map((rate, at) => {
    const height = Number((1000 - (rate / top) * 1000).toFixed(1))
    return rate <= 0 ? "" : `M${x(at)} 1000V${height}H${x(at + 1)}V1000Z`
  })
  const y = (share: number) => percent(1 - share)
  return markup`<svg class="plot" role="img" aria-labelledby="throughput-t throughput-d" width="100%" height="150"><title id="throughput-t">Throughput</title><desc id="throughput-d">${description}</desc>${gridLines(ticks)}${levels.map(
    ({ at }) => markup`<line class="grid" x1="0" x2="100%" y1="${y(at)}" y2="${y(at)}"/>`
  )}<svg width="100%" height="100%" viewBox="0 0 ${x(columns)} 1000" preserveAspectRatio="none"><path class="done" d="${path.join("")}"/></svg><line class="mean" x1="0" x2="100%" y1="${y(mean)}" y2="${y(mean)}"/>${levels.map(
    ({ at, text }) => markup`<text class="level" x="4" y="${y(at)}" dy="${at > 0.9 ? 12 : -3}">${text}</text>`
  )}</svg>`
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

/** An estimate further ahead than this (ms) is written but not drawn, as it would squeeze everything else. */
const horizon = 14 * 24 * 60 * 60 * 1000

/** Files of one analysis that were asked for together. */
interface Request {
  readonly files: ReadonlyArray<ReportedFile>
  readonly requestedAt: number | null
  readonly estimate: number | null
  /** As the service wrote it. */
  readonly written: string | null
  /** When the first of them was found restored. */
  readonly back: number | null
}

export const restorationSection = (report: ReportDocument): Markup | null => {
  const requests = requestsOf(report.files)
  if (requests.length === 0) return null
  const now = Date.parse(report.finishedAt)
  const isDrawn = (time: number | null) => time !== null && Math.abs(time - now) <= horizon
  const times = [
    ...[Date.parse(report.startedAt), now],
    ...requests.flatMap(({ estimate, requestedAt }) => [estimate, requestedAt]).filter(isDrawn)
  ].map(Number)
  const from = Math.min(...bestOfChunks(times, Math.min))
  const last = Math.max(...bestOfChunks(times, Math.max))
  const to = last + (last - from) * 0.03 + 1
  const place = (time: number) => (time - from) / (to - from)
  const ticks = momentTicks(from, to, 6)
  const pending = requests.filter(({ back }) => back === null).length
  const more = requests.length - mostRows
  return markup`<section aria-labelledby="restorations"><h2 id="restorations">Restorations</h2>
<p>${countText(pending)} pending, ${countText(requests.length - pending)} came back. Times are UTC; an estimate is the service's, and no promise.</p>
<p class="sub"><span class="key past"></span> waited <span class="key open"></span> still to wait <span class="key done"></span> came back <span class="key mark"></span> estimate <span class="key mean"></span> this report, ${momentText(now)}</p>
<ol class="rows">${requests.slice(0, mostRows).map((request) => row(request, now, place, ticks))}</ol>
<div class="lane"><div class="what">${more <= 0 ? null : markup`<span class="sub">and ${countText(more)} more, in the table below</span>`}</div>${axis(ticks)}</div>
</section>`
}

/** The best number of each chunk of 1,000: JavaScript engines fail with a hundred thousand arguments. */
const bestOfChunks = (numbers: ReadonlyArray<number>, best: (...some: ReadonlyArray<number>) => number) =>
  Array.from({ length: Math.ceil(numbers.length / 1000) }, (_, at) =>
    best(...numbers.slice(at * 1000, at * 1000 + 1000))
  )

const requestsOf = (files: ReadonlyArray<ReportedFile>): ReadonlyArray<Request> => {
  const restored = files.flatMap((file) => (file.restoration === null ? [] : [{ file, ...file.restoration }]))
  const key = ({ estimate, file, requestedAt }: { readonly file: ReportedFile } & Restoration) =>
    JSON.stringify([file.analysisId, requestedAt, estimate, file.reason === "pending"])
  const requests = [...Map.groupBy(restored, key).values()].flatMap((group): ReadonlyArray<Request> => {
    const [first] = group
    if (first === undefined) return []
    const starts = group.flatMap(({ file }) => (file.startedAt === null ? [] : [Date.parse(file.startedAt)]))
    return [
      {
        files: group.map(({ file }) => file),
        requestedAt: timeOf(first.requestedAt),
        estimate: timeOf(first.estimate),
        written: first.estimate,
        back: starts.length === 0 ? null : Math.min(...bestOfChunks(starts, Math.min))
      }
    ]
  })
  const order = ({ back, estimate }: Request) => estimate ?? back ?? Number.MAX_SAFE_INTEGER
  return requests.sort((a, b) => order(a) - order(b))
}

const estimateText = ({ back, estimate, written }: Request, now: number): string => {
  if (back !== null) {
    const lateness = estimate === null ? "" : `, ${difference(back - estimate, "the estimate")}`
    return `seen to be back on ${momentText(back)}${lateness}`
  }
  if (estimate === null) return written === null ? "no estimate" : `estimate “${shorten(written, 40)}”`
  return `expected ${momentText(estimate)}, ${difference(estimate - now, "this report")}`
}

const difference = (milliseconds: number, what: string) =>
  `${durationText(Math.abs(milliseconds))} ${milliseconds < 0 ? "before" : "after"} ${what}`

const row = (request: Request, now: number, place: (time: number) => number, ticks: ReadonlyArray<Tick>) => {
  const { back, estimate, files, requestedAt } = request
  const [first] = files
  const name = first === undefined ? "" : files.length === 1 ? nameOf(first) : `${files.length} files`
  const begun = requestedAt ?? now
  const bars =
    back !== null
      ? [{ from: place(requestedAt ?? back), to: place(back), tone: "done" as const }]
      : [
          { from: place(Math.min(begun, now)), to: place(now), tone: "past" as const },
          ...(estimate === null || estimate <= now
            ? []
            : [{ from: place(now), to: place(estimate), tone: "open" as const }])
        ]
  return markup`<li class="lane"><div class="what"><span class="name">${shorten(name, 90)}</span><span class="sub">analysis ${shorten(first?.analysisId ?? "", 60)}; ${estimateText(request, now)}</span></div>${track(
    bars,
    ticks,
    [
      { at: place(now), kind: "mean" },
      ...(estimate === null || place(estimate) > 1 ? [] : [{ at: place(estimate), kind: "mark" as const }])
    ]
  )}</li>`
}
