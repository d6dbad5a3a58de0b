/** What a person sees while a body comes: on a terminal one line, redrawn in place; elsewhere nothing. */
import { Effect, Schedule, type Scope } from "effect"
import type { Received } from "../../core/src/annotations/AnnotationsFetch.ts"
import { printable } from "../../core/src/selection/Printable.ts"
import { humanSize } from "../../core/src/selection/Size.ts"

/** Where the line is drawn. */
export interface StatusScreen {
  readonly live: boolean
  readonly columns: () => number
  readonly status: (lines: ReadonlyArray<string>) => void
}

export interface Progress {
  readonly received: (now: Received) => void
  /** Draws while `work` runs. */
  readonly during: <A, E, R>(analysis: string, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const redraw = Schedule.spaced("200 millis")

export const statusLine = (analysis: string, { bytes, rows }: Received, columns: number): string =>
  `Analysis ${printable(analysis)}: ${humanSize(bytes)}, ${rows} rows`.slice(0, columns - 1)

export const makeProgress = (screen: StatusScreen): Effect.Effect<Progress, never, Scope.Scope> =>
  Effect.gen(function* () {
    let analysis: string | null = null
    let now: Received = { bytes: 0, rows: 0 }
    const draw = Effect.sync(() => {
      screen.status(analysis === null ? [] : [statusLine(analysis, now, screen.columns())])
    })
    if (screen.live) {
      yield* Effect.addFinalizer(() => Effect.sync(() => screen.status([])))
      yield* Effect.forkScoped(Effect.repeat(draw, redraw))
    }
    return {
      received: (latest) => {
        now = latest
      },
      during: (id, work) =>
        Effect.suspend(() => {
          analysis = id
          now = { bytes: 0, rows: 0 }
          return Effect.ensuring(
            work,
            Effect.suspend(() => {
              analysis = null
              return draw
            })
          )
        })
    }
  })
