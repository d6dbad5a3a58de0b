/** What a long job shows of itself: on a terminal lines that are redrawn in place, elsewhere a line a minute in the log; and their text. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { statusDraw, statusLog } from "../../core/src/Schedules.ts"
import { columnsOfCharacter, type Screen, textWidth } from "../../platform/terminal/Screen.ts"

export type StatusScreen = Pick<Screen["Service"], "live" | "columns" | "status">

/** The lines for a width, the one about the whole job last; null when there is nothing to show now. */
export type StatusView = (columns: number) => Effect.Effect<ReadonlyArray<string> | null>

/** Width of a status line that goes to the log instead of a terminal, in columns. */
const logColumns = 200

/** On a terminal only: draws until the scope closes, however it closes, and then removes what it drew. */
export const drawStatus = Effect.fnUntraced(function* (
  screen: StatusScreen,
  view: StatusView
): Effect.fn.Return<void, never, Scope.Scope> {
  if (!screen.live) return
  const draw = Effect.suspend(() =>
    Effect.map(view(screen.columns()), (lines) => {
      // A status without lines does not erase what another status shows.
      if (lines !== null) screen.status(lines)
    })
  )
  yield* Effect.addFinalizer(() => Effect.sync(() => screen.status([])))
  yield* Effect.forkScoped(Effect.repeat(draw, statusDraw))
})

/** The same, and where nothing can be redrawn the last line goes to the log, for the first time after a minute. */
export const showStatus = Effect.fnUntraced(function* (
  screen: StatusScreen,
  view: StatusView
): Effect.fn.Return<void, never, Scope.Scope> {
  if (screen.live) return yield* drawStatus(screen, view)
  const say = Effect.flatMap(view(logColumns), (lines) => {
    const last = lines?.at(-1)
    return last === undefined ? Effect.void : Effect.logInfo(last)
  })
  yield* Effect.forkScoped(Effect.delay(Effect.repeat(say, statusLog), "1 minute"))
})

/** Cut in front to `width` columns, because file names differ at their ends. */
export const cutInFront = (text: string, width: number): string => {
  const characters = [...text]
  let room = width
  let first = characters.length
  while (first > 0 && room >= columnsOfCharacter(characters[first - 1] ?? ""))
    room -= columnsOfCharacter(characters[--first] ?? "")
  if (first === 0) return text
  // The mark needs a column of its own.
  while (first < characters.length && room < 1) room += columnsOfCharacter(characters[first++] ?? "")
  return width < 1 ? "" : `…${characters.slice(first).join("")}`
}

/** Filled up with spaces to `width` columns. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - textWidth(text)))

/** The first of `texts`, the most telling first, that leaves the last column free; the last one is cut if it must be. */
export const firstThatFits = (texts: ReadonlyArray<string>, columns: number): string =>
  texts.find((text) => textWidth(text) < columns) ?? cutInFront(texts.at(-1) ?? "", columns - 1)

/** `1:02:03` or `2:03` for seconds. */
export const clockText = (seconds: number): string => {
  const two = (value: number) => String(value).padStart(2, "0")
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** Bytes per second of what came in `milliseconds`; null before a second has passed, when it would only jump. */
export const rateOf = (bytes: number, milliseconds: number): number | null =>
  milliseconds < 1000 ? null : Math.round((bytes * 1000) / milliseconds)

/** Seconds until `left` bytes have come; null when unknown. */
export const secondsLeft = (left: number | null, rate: number | null): number | null =>
  left === null || rate === null || rate === 0 ? null : Math.ceil(Math.max(0, left) / rate)
