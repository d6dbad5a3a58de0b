/**
 * What a person sees while files are fetched: on a terminal a line per active file and one for all, redrawn in place;
 * elsewhere only the log.
 */
import { Clock, Effect, Ref, Schedule, type Scope } from "effect"
import { type PlannedFile, pathOf } from "../../core/src/selection/DownloadPlan.ts"
import { printable } from "../../core/src/selection/Printable.ts"
import type { FileResult } from "../../core/src/selection/Report.ts"
import { humanSize } from "../../core/src/selection/Size.ts"
import type { TransferProgress } from "../../core/src/transfer/TransferRequest.ts"

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
export const statusLines = (overview: Overview, columns: number): ReadonlyArray<string> => {
  const { bytes, files, milliseconds, received } = overview
  const perSecond = milliseconds < 1000 ? null : Math.round((received * 1000) / milliseconds)
  const left =
    perSecond === null || perSecond === 0 || bytes.all === null ? null : Math.ceil((bytes.all - bytes.done) / perSecond)
  const total = [
    `${files.done} of ${files.all} files`,
    bytes.all === null ? humanSize(bytes.done) : `${humanSize(bytes.done)} of ${humanSize(bytes.all)}`,
    ...(perSecond === null ? [] : [`${humanSize(perSecond)}/s`]),
    ...(left === null ? [] : [`${clockText(left)} left`])
  ].join(", ")
  return [...overview.active.map((file) => fileLine(file, columns)), total].map((line) => cut(line, columns - 1))
}

const fileLine = ({ done, path, size }: Active, columns: number): string => {
  const percent = size === null || size === 0 ? "   " : `${Math.floor((done * 100) / size)}%`.padStart(4)
  const amount = size === null ? humanSize(done) : `${humanSize(done)} of ${humanSize(size)}`
  const right = ` ${percent}  ${amount.padStart(22)}`
  const width = columns - 1 - right.length
  return padded(cut(printable(path), width), width) + right
}

// Ideographs, syllables, full-width forms and emoji take two columns.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

const columnsOf = (character: string) => (wide.test(character) ? 2 : 1)

/** Cut in front to `width` columns, because file names differ at their ends. */
const cut = (text: string, width: number): string => {
  const characters = [...text]
  let room = width
  let first = characters.length
  while (first > 0 && room >= columnsOf(characters[first - 1] ?? "")) room -= columnsOf(characters[--first] ?? "")
  if (first === 0) return text
  // The mark needs a column of its own.
  while (first < characters.length && room < 1) room += columnsOf(characters[first++] ?? "")
  return width < 1 ? "" : `…${characters.slice(first).join("")}`
}

/** Filled up with spaces to `width` columns. */
const padded = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - [...text].reduce((sum, character) => sum + columnsOf(character), 0)))

/** `1:02:03` or `2:03` for seconds. */
const clockText = (seconds: number): string => {
  const two = (value: number) => String(value).padStart(2, "0")
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** Where the status is drawn. */
export interface StatusScreen {
  readonly live: boolean
  readonly columns: () => number
  readonly status: (lines: ReadonlyArray<string>) => void
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

const redraw = Schedule.spaced("200 millis")

/**
 * Draws until the scope closes, then removes what it drew.
 *
 * @param files - the files that are to be fetched
 */
export const makeProgress = Effect.fnUntraced(function* (
  screen: StatusScreen,
  files: ReadonlyArray<PlannedFile>
): Effect.fn.Return<Progress, never, Scope.Scope> {
  const state = yield* Ref.make<State>({ active: new Map(), files: 0, bytes: 0, received: 0 })
  const started = yield* Clock.currentTimeMillis
  const all = files.reduce<number | null>((sum, { size }) => (sum === null || size === null ? null : sum + size), 0)

  const draw = Effect.gen(function* () {
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
    screen.status(statusLines(overview, screen.columns()))
  })
  if (screen.live) {
    yield* Effect.addFinalizer(() => Effect.sync(() => screen.status([])))
    yield* Effect.forkScoped(Effect.repeat(draw, redraw))
  }

  const at = (file: PlannedFile, done: number, size: number | null, counts: boolean) =>
    Ref.update(state, (old) => {
      const path = pathOf(file)
      // A file that starts anew loses bytes that did come over the network.
      const more = counts ? Math.max(0, done - (old.active.get(path)?.done ?? 0)) : 0
      return { ...old, received: old.received + more, active: new Map(old.active).set(path, { path, done, size }) }
    })

  return {
    event: (file, event) =>
      event._tag === "Started"
        ? at(file, event.resumedFrom, event.size, false)
        : event._tag === "Bytes"
          ? at(file, event.done, event.size, true)
          : Effect.void,
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
