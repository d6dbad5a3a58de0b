/** How much one reader may have under way: what is beyond waits until something of its own has ended, and holds up nobody else. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** @param most - readings of one reader at a time */
export const makeConnectionLimit = (most: number) => {
  const known = new Map<string, { readonly permits: Semaphore.Semaphore; users: number }>()
  return <A, E, R>(reader: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const own = known.get(reader) ?? { permits: Semaphore.makeUnsafe(most), users: 0 }
        own.users++
        known.set(reader, own)
        return own
      }),
      ({ permits }) => permits.withPermit(work),
      (own) =>
        Effect.sync(() => {
          own.users--
          if (own.users === 0) known.delete(reader)
        })
    )
}
