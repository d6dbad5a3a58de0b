/**
 * Connections to link hosts are few and take memory, so a reader that takes nothing does not keep one: not for long, and hardly at
 * all while others wait for one.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { monotonicMillis } from "../MonotonicTime.ts"

export interface IdleReaders {
  /**
   * Runs work that holds a connection; interrupts it, and gives `idle`, when its reader must give the connection away.
   *
   * @param waitingSince - when the reader was given bytes that it has not taken (monotonic ms); null when there are none
   */
  readonly lend: <A, E>(work: Effect.Effect<A, E>, waitingSince: () => number | null) => Effect.Effect<A | "idle", E>
}

/** Tools pause for seconds while they work on what they read. */
const longestPause = Duration.toMillis("29 seconds")
/** A reader that has taken nothing for this long gives its connection to one who waits. */
const shortestPause = Duration.toMillis("1 second")
/** How often it is looked at. */
const idleLook = Schedule.spaced("1 second")

/** @param connections - so many there are at a time */
export const makeIdleReaders = (connections: number): IdleReaders => {
  let wanted = 0
  return {
    lend: (work, waitingSince) =>
      Effect.suspend(() => {
        let counted = true
        wanted++
        const leave = () => {
          if (counted) wanted--
          counted = false
        }
        const mustLeave = Effect.map(monotonicMillis, (now) => {
          const pause = now - (waitingSince() ?? now)
          const must = pause >= longestPause || (pause >= shortestPause && wanted > connections)
          // At once, so that no more readers leave than there are others who wait.
          if (must) leave()
          return must
        })
        const idle = Effect.as(Effect.repeat(mustLeave, { schedule: idleLook, until: (must) => must }), "idle" as const)
        return Effect.raceFirst(work, idle).pipe(Effect.ensuring(Effect.sync(leave)))
      })
  }
}
