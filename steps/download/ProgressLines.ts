/** The lines of a download's status: one per file in transfer and one for all, each shorter than the window is wide. */
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Size.ts"
import { clockText, cutInFront, firstThatFits, pad, secondsLeft } from "../main/StatusText.ts"

/** How far something is. Sizes in bytes, rates in bytes per second; null when unknown. */
interface Standing {
  readonly done: number
  readonly all: number | null
  readonly rate: number | null
}

/** A file in transfer. */
export interface ActiveFile extends Standing {
  readonly path: string
}

export interface Overview extends Standing {
  readonly active: ReadonlyArray<ActiveFile>
  readonly files: { readonly done: number; readonly all: number }
}

export const statusLines = (overview: Overview, columns: number): ReadonlyArray<string> => [
  ...overview.active.map((file) => fileLine(file, columns)),
  totalLine(overview, columns)
]

const rateText = (rate: number | null): string => (rate === null ? "" : `${humanSize(rate)}/s`)

/** Only while bytes come: the end of a transfer without bytes cannot be estimated. */
const timeLeft = ({ all, done, rate }: Standing): string => {
  const left = secondsLeft(all === null ? null : all - done, rate)
  return left === null ? "" : clockText(left)
}

const totalLine = (overview: Overview, columns: number): string => {
  const { all, done, files, rate } = overview
  const left = timeLeft(overview)
  const speed = rate === null ? [] : [rateText(rate)]
  const time = left === "" ? [] : [`${left} left`]
  const some = humanSize(done)
  const amount = all === null ? some : `${some} of ${humanSize(all)}`
  return firstThatFits(
    [
      [`${files.done} of ${files.all} files`, amount, ...speed, ...time],
      [`${files.done}/${files.all}`, amount, ...speed, ...time],
      [`${files.done}/${files.all}`, some, ...speed, ...time],
      [`${files.done}/${files.all}`, some, ...time]
    ].map((parts) => parts.join(", ")),
    columns
  )
}

/** Columns from which on the line of a file has sizes and a rate beside its name and percentage, and from which on it has a bar too. */
const widths = { figures: 60, bar: 80 }

const fileLine = (file: ActiveFile, columns: number): string => {
  const { all, done, path } = file
  const share = all === null || all === 0 ? null : Math.min(1, done / all)
  const percent = share === null ? "" : `${Math.floor(share * 100)}%`
  const amount = humanSize(all ?? done)
  const figures =
    columns < widths.figures
      ? [(percent === "" ? amount : percent).padStart(4)]
      : [
          ...(columns < widths.bar ? [] : [bar(share, Math.floor(columns / 8))]),
          percent.padStart(4),
          amount.padStart(10),
          rateText(file.rate).padStart(12),
          timeLeft(file).padStart(7)
        ]
  const right = ` ${figures.join(" ")}`
  const width = columns - 1 - right.length
  return pad(cutInFront(printable(path), width), width) + right
}

/** ASCII, as some terminals draw lines and blocks two columns wide. */
const bar = (share: number | null, width: number): string => {
  if (share === null) return " ".repeat(width + 2)
  const filled = Math.floor(share * width)
  const drawn = filled === width ? "=".repeat(width) : `${"=".repeat(filled)}>`
  return `[${drawn.padEnd(width)}]`
}
