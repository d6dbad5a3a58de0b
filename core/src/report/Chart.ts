/**
 * The parts that charts are drawn from: SVG whose places are percentages, so that it fits any width without a script
 * while letters and lines keep their size; and where the ticks of their axes stand, and what is written at them.
 */

import { durationText } from "../text/Quantity.ts"
import { type Markup, markup } from "./Markup.ts"

/** A position limited to the axis, which goes from 0 to 1. */
const clamped = (share: number) => Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0))

/** A share from 0 to 1 as a percentage. */
export const percent = (share: number): string => `${Number((clamped(share) * 100).toFixed(3))}%`

/** What a bar stands for; decides its colour. */
export type Tone = "done" | "bad" | "open" | "past"

interface Bar {
  readonly from: number
  readonly to: number
  readonly tone: Tone
}

export const gridLines = (ticks: ReadonlyArray<Tick>) =>
  ticks.map(({ at }) => markup`<line class="grid" x1="${percent(at)}" x2="${percent(at)}" y1="0" y2="100%"/>`)

/** One row of a timeline: bars, and marks over them, at places from 0 to 1. What it says stands in the text beside it. */
export const track = (
  bars: ReadonlyArray<Bar>,
  ticks: ReadonlyArray<Tick>,
  marks: ReadonlyArray<{ readonly at: number; readonly kind: "mark" | "mean" }> = []
): Markup =>
  markup`<svg class="track" width="100%" height="20" aria-hidden="true">${gridLines(ticks)}${bars.map(
    ({ from, to, tone }) =>
      markup`<rect class="${tone}" x="${percent(from)}" y="4" width="${percent(clamped(to) - clamped(from))}" height="12" rx="2"/>`
  )}${marks.map(({ at, kind }) => markup`<line class="${kind}" x1="${percent(at)}" x2="${percent(at)}" y1="0" y2="20"/>`)}</svg>`

/** The axis under rows. Texts at the ends stay inside; where the axis is narrow, every other one is left out. */
export const axis = (ticks: ReadonlyArray<Tick>): Markup =>
  markup`<svg class="axis" width="100%" height="22" aria-hidden="true">${ticks.map(({ at, text }, index) => {
    const anchor = at < 0.04 ? "start" : at > 0.94 ? "end" : "middle"
    return markup`<g${index % 2 === 1 ? markup` class="odd"` : null}><line class="tick" x1="${percent(at)}" x2="${percent(at)}" y1="0" y2="5"/><text x="${percent(at)}" y="18" text-anchor="${anchor}">${text}</text></g>`
  })}</svg>`

/** A tick: how far along the axis, from 0 to 1, and its text. */
export interface Tick {
  readonly at: number
  readonly text: string
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const timeSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28, 90, 365].map((count) => count * day)
]

/** The smallest step of time, in ms, that divides `span` into at most `most` parts. */
const timeStep = (span: number, most: number): number =>
  timeSteps.find((step) => span / step <= most) ?? Math.ceil(span / most / (365 * day)) * 365 * day

const places = (from: number, to: number, step: number): ReadonlyArray<number> => {
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step)
}

/** `12,345` for a whole number. */
export const countText = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")

/** `1 file`, `12,345 files`. */
export const groupedCount = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const two = (value: number) => String(value).padStart(2, "0")

/** `21 Nov 2026, 14:05 UTC` for ms since 1970; with seconds where they matter. */
export const momentText = (time: number, withSeconds = false): string => {
  const date = new Date(time)
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${withSeconds ? `:${two(date.getUTCSeconds())}` : ""}`
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${clock} UTC`
}

/** Ticks of an axis from 0 to `span` ms. */
export const elapsedTicks = (span: number, most: number): ReadonlyArray<Tick> => {
  if (!(span > 0)) return [{ at: 0, text: "0 s" }]
  const step = timeStep(span, most)
  const fine = step < 100 ? (time: number) => `${time} ms` : durationText
  return places(0, span, step).map((time) => ({ at: time / span, text: time === 0 ? "0 s" : fine(time) }))
}

/** Ticks of an axis between two times in ms since 1970: `14:00`, and `21 Nov` at midnight. */
export const momentTicks = (from: number, to: number, most: number): ReadonlyArray<Tick> => {
  if (!(to > from)) return []
  return places(from, to, timeStep(to - from, most)).map((time) => {
    const date = new Date(time)
    const text =
      time % day === 0
        ? `${date.getUTCDate()} ${months[date.getUTCMonth()]}`
        : `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}${time % minute === 0 ? "" : `:${two(date.getUTCSeconds())}`}`
    return { at: (time - from) / (to - from), text }
  })
}

/** A round number of bytes above `largest`, and a round step that divides the axis up to it into at most `most` parts. */
export const byteScale = (largest: number, most: number): { readonly top: number; readonly step: number } => {
  const least = Math.max(1, largest) / most
  const unit = 1024 ** Math.floor(Math.log2(least) / 10)
  const step = ([1, 2, 5, 10, 20, 50, 100, 200, 512, 1024].find((count) => count * unit >= least) ?? 1024) * unit
  return { step: Math.max(1, step), top: Math.max(1, step) * Math.max(1, Math.ceil(largest / Math.max(1, step))) }
}
