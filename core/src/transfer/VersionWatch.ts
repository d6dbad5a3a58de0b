/** What the replies tell of a remote file, and whether they all speak of the same bytes. */
import { Deferred, Effect, Ref } from "effect"
import { difference, type ObjectVersion } from "./RangeReply.ts"
import { Restart } from "./Restart.ts"

export interface VersionWatch {
  /** What the replies told so far; completes with the first. */
  readonly version: Deferred.Deferred<ObjectVersion>
  readonly known: Effect.Effect<ObjectVersion | null>
  /** Takes up what a reply tells; `Restart` when it contradicts an earlier one. */
  readonly learn: (version: ObjectVersion) => Effect.Effect<void, Restart>
}

export const make = Effect.gen(function* () {
  const version = yield* Deferred.make<ObjectVersion>()
  const known = yield* Ref.make<ObjectVersion | null>(null)

  const learn = Effect.fnUntraced(function* (next: ObjectVersion) {
    const old = yield* Ref.get(known)
    const reason = old === null ? null : difference(old, next)
    if (reason !== null) return yield* new Restart({ cause: "Changed", reason })
    const merged = {
      size: old?.size ?? next.size,
      etag: old?.etag ?? next.etag,
      lastModified: old?.lastModified ?? next.lastModified
    }
    yield* Ref.set(known, merged)
    yield* Deferred.succeed(version, merged)
  })

  return { version, known: Ref.get(known), learn } satisfies VersionWatch as VersionWatch
})
