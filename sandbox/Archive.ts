import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Behaviour } from "./Behaviour.ts"
import { Counters } from "./Counters.ts"
import type { StoredFile } from "./StoredFile.ts"

/** Where a file is: readable, in the archive, or on its way back until `readyAt` (milliseconds since the epoch). */
export type StorageState =
  | { readonly _tag: "Online" }
  | { readonly _tag: "Archived" }
  | { readonly _tag: "Thawing"; readonly readyAt: number }

const online: StorageState = { _tag: "Online" }
const archived: StorageState = { _tag: "Archived" }

/** The cold storage: a restore request starts a thaw, which ends by itself after `restoreDelay`. */
export class Archive extends Context.Service<
  Archive,
  {
    readonly state: (file: StoredFile) => Effect.Effect<StorageState>
    /** Starts to restore an archived file; returns when the file can be read, in ms since 1970. */
    readonly restore: (file: StoredFile) => Effect.Effect<number>
    /** Every restoration under way ends now. */
    readonly thaw: Effect.Effect<void>
    readonly freeze: (file: StoredFile) => Effect.Effect<void>
    readonly reset: Effect.Effect<void>
  }
>()("svc-steps/sandbox/Archive") {
  static readonly layer = Layer.effect(
    Archive,
    Effect.gen(function* () {
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

      return Archive.of({
        state: (file) => Effect.map(Clock.currentTimeMillis, (now) => stateAt(file, now)),
        restore: (file) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const state = stateAt(file, now)
            if (state._tag === "Online") return now
            if (state._tag === "Thawing" && behaviour.restoreAgain === "same") return state.readyAt
            const readyAt = now + Duration.toMillis(behaviour.restoreDelay)
            thaws.set(file.key, readyAt)
            if (state._tag === "Archived") stats.restores++
            return readyAt
          }),
        thaw: Effect.map(Clock.currentTimeMillis, (now) => {
          for (const [key, readyAt] of thaws) if (readyAt !== null && readyAt > now) thaws.set(key, now)
        }),
        freeze: (file) => Effect.sync(() => void thaws.set(file.key, null)),
        reset: Effect.sync(() => thaws.clear())
      })
    })
  )
}
