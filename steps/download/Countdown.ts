/** What a person sees while restorations are awaited: how many, when the next look is, and how long it goes on. */

import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { counted } from "../../core/src/text/Counted.ts"
import { drawStatus, type StatusScreen } from "../main/LiveStatus.ts"
import { clockText, firstThatFits } from "../main/StatusText.ts"

export interface Countdown {
  /** A pause begins: its length, and the longest time that the waiting may still take. */
  readonly begin: (pending: number, sleep: Duration.Duration, left: Duration.Duration) => Effect.Effect<void>
  /** It is over: the status is left to what comes next. */
  readonly end: Effect.Effect<void>
}

/** Times in ms. */
export const countdownLine = (
  { deadline, pending, wake }: { readonly pending: number; readonly wake: number; readonly deadline: number },
  columns: number
): string => {
  const what = `${counted(pending, "restoration")} pending`
  const until = (time: number) => clockText(Math.max(0, Math.ceil(time / 1000)))
  return firstThatFits(
    [
      `${what}, looking again in ${until(wake)}, for another ${until(deadline)} at most; Ctrl-C keeps them for a later run`,
      `${what}, looking again in ${until(wake)}, for ${until(deadline)} at most`,
      `${pending} pending, next look ${until(wake)}, end ${until(deadline)}`,
      `${pending} pending, next look ${until(wake)}`
    ],
    columns
  )
}

/** Drawn on a terminal until the scope closes; elsewhere the log says it once for each pause. */
export const makeCountdown = Effect.fnUntraced(function* (
  screen: StatusScreen
): Effect.fn.Return<Countdown, never, Scope.Scope> {
  let now: { readonly pending: number; readonly wake: number; readonly deadline: number } | null = null
  const time = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
  yield* drawStatus(screen, (columns) =>
    Effect.map(time, (at) =>
      now === null ? null : [countdownLine({ ...now, wake: now.wake - at, deadline: now.deadline - at }, columns)]
    )
  )
  return {
    begin: (pending, sleep, left) =>
      Effect.map(time, (at) => {
        now = { pending, wake: at + Duration.toMillis(sleep), deadline: at + Duration.toMillis(left) }
      }),
    end: Effect.sync(() => {
      now = null
      screen.status([])
    })
  }
})
