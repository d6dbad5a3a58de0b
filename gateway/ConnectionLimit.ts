/** How much one reader may have under way: what is beyond waits until something of its own has ended, and holds up nobody else. */
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Semaphore from "effect/Semaphore"
import { Reader } from "../core/src/serving/Questions.ts"

/** @param most - works of one reader at a time */
export const makeConnectionLimit = (most: number) =>
  Effect.map(
    RcMap.make({ lookup: (_reader: string) => Semaphore.make(most) }),
    (permits) =>
      <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.scoped(
          Effect.flatMap(
            Effect.flatMap(Reader, ({ key }) => RcMap.get(permits, key)),
            (own) => own.withPermit(work)
          )
        )
  )
