import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { Effect } from "effect"

/** Runs `body` while `seen` comes before each look at the file `path` by its name, with the number of the look, from 0. */
export const whileLookedAt = <A, E, R>(path: string, seen: (look: number) => void, body: Effect.Effect<A, E, R>) => {
  const { stat } = fs
  const put = (call: typeof stat) =>
    Effect.sync(() => {
      Object.assign(fs, { stat: call })
      syncBuiltinESMExports()
    })
  let looks = 0
  const looking = async (name: string) => {
    if (name === path) seen(looks++)
    return stat(name)
  }
  return Effect.acquireUseRelease(
    put(looking as typeof stat),
    () => body,
    () => put(stat)
  )
}
