/** What a long job shows of itself: on a terminal lines that are redrawn in place, elsewhere a line a minute in the log. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { statusDraw, statusLog } from "../../core/src/Schedules.ts"
import type { Screen } from "../../platform/terminal/Screen.ts"

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
