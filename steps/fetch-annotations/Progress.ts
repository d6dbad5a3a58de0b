/** What a person sees while a body comes: one line about it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Received } from "../../core/src/annotations/BodyReading.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { humanSize } from "../../core/src/text/Size.ts"
import { type StatusScreen, showStatus } from "../main/LiveStatus.ts"
import { firstThatFits, rateOf } from "../main/StatusText.ts"

export interface Progress {
  readonly received: (now: Received) => void
  /** Draws while `work` runs. */
  readonly during: <A, E, R>(analysis: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export const statusLine = (
  analysis: string,
  { bytes, rows }: Received,
  milliseconds: number,
  columns: number
): string => {
  const rate = rateOf(bytes, milliseconds)
  const name = printable(analysis)
  const speed = rate === null ? "" : `, ${humanSize(rate)}/s`
  return firstThatFits(
    [`Analysis ${name}: ${humanSize(bytes)}, ${rows} rows${speed}`, `${name}: ${humanSize(bytes)}${speed}`],
    columns
  )
}

export const makeProgress = (screen: StatusScreen): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.gen(function* () {
    let analysis: string | null = null
    let begun = 0
    let now: Received = { bytes: 0, rows: 0 }
    yield* showStatus(screen, (columns) =>
      Effect.map(Clock.currentTimeMillis, (time) =>
        analysis === null ? null : [statusLine(analysis, now, time - begun, columns)]
      )
    )
    return {
      received: (latest) => {
        now = latest
      },
      during: (id, work) =>
        Effect.gen(function* () {
          begun = yield* Clock.currentTimeMillis
          analysis = id
          now = { bytes: 0, rows: 0 }
          return yield* work
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              analysis = null
              screen.status([])
            })
          )
        )
    }
  })
