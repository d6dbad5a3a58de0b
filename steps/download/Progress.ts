/** What a person sees while files are fetched: a line per file in transfer and one for all. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { FileResult } from "../../core/src/download/FileResult.ts"
import { makeTraffic } from "../../core/src/download/RunRecord.ts"
import { pathOf } from "../../core/src/selection/OutputPath.ts"
import type { RunFile } from "../../core/src/selection/RunFile.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Quantity.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"
import { textWidth } from "../../platform/terminal/Screen.ts"
import {
  clockText,
  cutInFront,
  firstThatFits,
  pad,
  rateOf,
  type StatusScreen,
  secondsLeft,
  showStatus
} from "../main/Status.ts"

export interface Progress {
  readonly event: (file: RunFile, event: TransferProgress) => Effect.Effect<void>
  /** The file is no longer in transfer, if it was; gives how many are left. */
  readonly settled: (file: RunFile, result: FileResult) => Effect.Effect<number>
}

/** Bytes that came over the network, and how many there had been at times. */
interface Received {
  readonly received: number
  readonly samples: ReadonlyArray<Sample>
}

interface Active extends Received {
  readonly path: string
  /** Bytes on the disk. */
  readonly done: number
  readonly size: number | null
}

interface State extends Received {
  readonly active: ReadonlyMap<string, Active>
  readonly files: number
  /** Bytes of the files that are done. */
  readonly bytes: number
}

const addSample = <A extends Received>(some: A, at: number): A => ({
  ...some,
  samples: withSample(some.samples, { at, bytes: some.received })
})

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Shows how far it is until the scope closes.
 *
 * @param files - the files that are to be fetched
 */
export const makeProgress = Effect.fnUntraced(function* (
  screen: StatusScreen,
  files: ReadonlyArray<RunFile>
): Effect.fn.Return<Progress, never, Scope.Scope> {
  const traffic = makeTraffic<string>()
  const left = new Set(files)
  const begun: Received = { received: 0, samples: [{ at: yield* now, bytes: 0 }] }
  const state = yield* Ref.make<State>({ ...begun, active: new Map(), files: 0, bytes: 0 })
  const all = files.reduce<number | null>((sum, { size }) => (sum === null || size === null ? null : sum + size), 0)

  const overviewOf = ({ active, bytes, files: done, samples }: State): Overview => {
    const running = [...active.values()]
    return {
      active: running.map(({ samples, size, ...file }) => ({ ...file, all: size, rate: recentRate(samples) })),
      files: { done, all: files.length },
      done: running.reduce((sum, file) => sum + file.done, bytes),
      all,
      rate: recentRate(samples)
    }
  }
  yield* showStatus(
    screen,
    Effect.fnUntraced(function* (columns) {
      const at = yield* now
      const look = yield* Ref.updateAndGet(state, (old) => {
        const active = new Map([...old.active].map(([path, file]) => [path, addSample(file, at)] as const))
        return addSample({ ...old, active }, at)
      })
      return statusLines(overviewOf(look), columns)
    })
  )

  const addProgress = Effect.fnUntraced(function* (file: RunFile, done: number, size: number | null, more: number) {
    const path = pathOf(file)
    const fresh = [{ at: yield* now, bytes: 0 }]
    yield* Ref.update(state, (old) => {
      const { received, samples } = old.active.get(path) ?? { received: 0, samples: fresh }
      const active = new Map(old.active).set(path, { path, done, size, received: received + more, samples })
      return { ...old, received: old.received + more, active }
    })
  })

  return {
    event: (file, event) =>
      Effect.suspend(() => {
        const more = traffic.note(pathOf(file), event, 0)
        if (event._tag === "Started") return addProgress(file, event.resumedFrom, event.size, more)
        return event._tag === "Bytes" ? addProgress(file, event.done, event.size, more) : Effect.void
      }),
    settled: (file, result) =>
      Effect.suspend(() => {
        if (!left.delete(file)) return Effect.succeed(left.size)
        const path = pathOf(file)
        traffic.forget(path)
        const counted = Ref.update(state, (old) => {
          const active = new Map(old.active)
          active.delete(path)
          const bytes = old.bytes + (result._tag === "Failed" ? 0 : (result.bytes ?? 0))
          return { ...old, active, files: old.files + 1, bytes }
        })
        return Effect.as(counted, left.size)
      })
  }
})

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
  ...overview.active.map((file) => fileLine(file, columns, nameWidth(overview.active))),
  totalLine(overview, columns)
]

/** In a window of more than 80 columns the bars stand beside the longest name, not at the far end of the line. */
const nameWidth = (active: ReadonlyArray<ActiveFile>): number =>
  Math.max(...active.map(({ path }) => textWidth(printable(path))))

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

const fileLine = (file: ActiveFile, columns: number, longestName: number): string => {
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
  const width = Math.min(Math.max(longestName, widths.bar - 1 - right.length), columns - 1 - right.length)
  return pad(cutInFront(printable(path), width), width) + right
}

/** ASCII, as some terminals draw lines and blocks two columns wide. */
const bar = (share: number | null, width: number): string => {
  if (share === null) return " ".repeat(width + 2)
  const filled = Math.floor(share * width)
  const drawn = filled === width ? "=".repeat(width) : `${"=".repeat(filled)}>`
  return `[${drawn.padEnd(width)}]`
}

/** How many bytes had come at a time, in ms. */
export interface Sample {
  readonly at: number
  readonly bytes: number
}

/** In ms. */
const span = 10_000

/** The samples with a newer one, without those that the rate of the last seconds no longer needs. */
export const withSample = (samples: ReadonlyArray<Sample>, next: Sample): ReadonlyArray<Sample> => {
  const first = samples.findLastIndex(({ at }) => next.at - at >= span)
  return [...samples.slice(Math.max(0, first)), next]
}

/** Bytes per second; null before the samples span a second. */
export const recentRate = (samples: ReadonlyArray<Sample>): number | null => {
  const [first, last] = [samples[0], samples.at(-1)]
  return first === undefined || last === undefined ? null : rateOf(last.bytes - first.bytes, last.at - first.at)
}
