import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Behaviour } from "./Behaviour.ts"
import { Counters } from "./Counters.ts"
import type { StoredFile } from "./StoredFile.ts"

/** Where a file is: readable, in the archive, or on its way back until `readyAt` (milliseconds since the epoch). */
type StorageState =
  | { readonly _tag: "Online" }
  | { readonly _tag: "Archived" }
  | { readonly _tag: "Thawing"; readonly readyAt: number }

const online: StorageState = { _tag: "Online" }
const archived: StorageState = { _tag: "Archived" }

/** The cold storage: a restore request starts a thaw, which ends by itself after `restoreDelay`. */
export class Archive extends Context.Service<Archive>()("svc-steps/sandbox/Archive", {
  make: Effect.gen(function* () {
    const behaviour = yield* Behaviour
    const { stats } = yield* Counters
    // Per key: when the thaw ends, or `null` for "frozen by hand". Without an entry a file is where it started.
    const thaws = new Map<string, number | null>()
    const rearchiveAfter = behaviour.rearchiveAfter === null ? null : Duration.toMillis(behaviour.rearchiveAfter)

    const stateAt = (file: StoredFile, now: number): StorageState => {
      const readyAt = thaws.get(file.key)
      if (readyAt === undefined) return file.startsArchived ? archived : online
      if (readyAt === null) return archived
      if (now < readyAt) return { _tag: "Thawing", readyAt }
      return rearchiveAfter !== null && now >= readyAt + rearchiveAfter ? archived : online
    }

    return {
      state: (file: StoredFile) => Effect.map(Clock.currentTimeMillis, (now) => stateAt(file, now)),
      /** Starts to restore an archived file; returns when the file can be read, in ms since 1970. */
      restore: (file: StoredFile) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const state = stateAt(file, now)
          if (state._tag === "Online") return now
          if (state._tag === "Thawing" && behaviour.restoreAgain === "same") return state.readyAt
          const readyAt = now + Duration.toMillis(behaviour.restoreDelay)
          thaws.set(file.key, readyAt)
          if (state._tag === "Archived") stats.restores++
          return readyAt
        }),
      /** Every restoration under way ends now. */
      thaw: Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [key, readyAt] of thaws) if (readyAt !== null && readyAt > now) thaws.set(key, now)
      }),
      freeze: (file: StoredFile) => void thaws.set(file.key, null),
      reset: () => thaws.clear()
    }
  })
}) {
  static readonly layer = Layer.effect(Archive, Archive.make)
}
