/** Axes: where ticks stand, and what is written at them. */
import { durationText } from "../text/Quantity.ts"

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
