/** Archived files: when their restoration was asked for, when it is expected, and what has come back. */
import type { Restoration } from "../archive/Waiting.ts"
import { durationText } from "../text/Quantity.ts"
import { timeOf } from "../text/Timestamp.ts"
import { axis, countText, momentText, momentTicks, type Tick, track } from "./Chart.ts"
import { type Markup, markup, shorten } from "./Markup.ts"
import { nameOf, type ReportDocument, type ReportedFile } from "./Report.ts"

/** At most this many rows are drawn: those with the earliest estimates. */
const mostRows = 30
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
