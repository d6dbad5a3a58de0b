/** What a person sees while files are fetched: a line per active file and one for all. */
import { Clock, Effect, Ref, type Scope } from "effect"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import type { FileResult } from "../../core/src/download/Outcome.ts"
import { makeTraffic } from "../../core/src/download/Traffic.ts"
import { pathOf } from "../../core/src/selection/OutputPath.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Size.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"
import { type StatusScreen, showStatus } from "../main/LiveStatus.ts"
import { clockText, cut, fitting, padded, rateOf, secondsLeft } from "../main/StatusText.ts"

/** One file in transfer. */
export interface Active {
  readonly path: string
  /** Bytes on the disk. */
  readonly done: number
  readonly size: number | null
}

export interface Overview {
  readonly active: ReadonlyArray<Active>
  readonly files: { readonly done: number; readonly all: number }
  /** `all` is null when the size of a file is unknown. */
  readonly bytes: { readonly done: number; readonly all: number | null }
  /** Bytes that came over the network since the start. */
  readonly received: number
  readonly milliseconds: number
}

/** The lines of the status, each shorter than `columns`. */
export const statusLines = (overview: Overview, columns: number): ReadonlyArray<string> => [
  ...overview.active.map((file) => fileLine(file, columns)),
  totalLine(overview, columns)
]

const totalLine = ({ bytes, files, milliseconds, received }: Overview, columns: number): string => {
  const rate = rateOf(received, milliseconds)
  const left = secondsLeft(bytes.all === null ? null : bytes.all - bytes.done, rate)
  const done = humanSize(bytes.done)
  const speed = rate === null ? [] : [`${humanSize(rate)}/s`]
  const time = left === null ? [] : [`${clockText(left)} left`]
  const amount = bytes.all === null ? done : `${done} of ${humanSize(bytes.all)}`
  return fitting(
    [
      [`${files.done} of ${files.all} files`, amount, ...speed, ...time].join(", "),
      [`${files.done}/${files.all}`, amount, ...speed, ...time].join(", "),
      [`${files.done}/${files.all}`, done, ...speed, ...time].join(", "),
      [`${files.done}/${files.all}`, done, ...time].join(", ")
    ],
    columns
  )
}

/** In less than so many columns the name has the room, and not the sizes. */
const narrow = 60

const fileLine = ({ done, path, size }: Active, columns: number): string => {
  const percent = size === null || size === 0 ? null : `${Math.floor((done * 100) / size)}%`
  const amount = size === null ? humanSize(done) : `${humanSize(done)} of ${humanSize(size)}`
  const right =
    columns < narrow
      ? ` ${(percent ?? humanSize(done)).padStart(4)}`
      : ` ${(percent ?? "").padStart(4)}  ${amount.padStart(22)}`
  const width = columns - 1 - right.length
  return padded(cut(printable(path), width), width) + right
}

export interface Progress {
  readonly event: (file: PlannedFile, event: TransferProgress) => Effect.Effect<void>
  /** The file is no longer active. */
  readonly settled: (file: PlannedFile, result: FileResult) => Effect.Effect<void>
}

interface State {
  readonly active: ReadonlyMap<string, Active>
  readonly files: number
  /** Of the files that are done. */
  readonly bytes: number
  readonly received: number
}

/**
 * Shows how far it is until the scope closes.
 *
 * @param files - the files that are to be fetched
 */
export const makeProgress = Effect.fnUntraced(function* (
  screen: StatusScreen,
  files: ReadonlyArray<PlannedFile>
): Effect.fn.Return<Progress, never, Scope.Scope> {
  const traffic = makeTraffic<string>()
  const state = yield* Ref.make<State>({ active: new Map(), files: 0, bytes: 0, received: 0 })
  const started = yield* Clock.currentTimeMillis
  const all = files.reduce<number | null>((sum, { size }) => (sum === null || size === null ? null : sum + size), 0)

  yield* showStatus(
    screen,
    Effect.fnUntraced(function* (columns) {
      const now = yield* Ref.get(state)
      const active = [...now.active.values()]
      const done = active.reduce((sum, file) => sum + file.done, now.bytes)
      const overview = {
        active,
        files: { done: now.files, all: files.length },
        bytes: { done, all },
        received: now.received,
        milliseconds: (yield* Clock.currentTimeMillis) - started
      }
      return statusLines(overview, columns)
    })
  )

  const at = (file: PlannedFile, done: number, size: number | null, more: number) =>
    Ref.update(state, (old) => {
      const path = pathOf(file)
      return { ...old, received: old.received + more, active: new Map(old.active).set(path, { path, done, size }) }
    })

  return {
    event: (file, event) =>
      Effect.suspend(() => {
        const more = traffic.note(pathOf(file), event, 0)
        if (event._tag === "Started") return at(file, event.resumedFrom, event.size, more)
        return event._tag === "Bytes" ? at(file, event.done, event.size, more) : Effect.void
      }),
    settled: (file, result) =>
      Ref.update(state, (old) => {
        if (file.decision._tag !== "Fetch") return old
        const active = new Map(old.active)
        active.delete(pathOf(file))
        return {
          ...old,
          active,
          files: old.files + 1,
          bytes: old.bytes + (result.error === null ? (result.bytes ?? 0) : 0)
        }
      })
  }
})
