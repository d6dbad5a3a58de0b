/** Whether all replies are about the same version of a remote file, and what it means for a transfer when they are not. */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { mergeDigests } from "./Digests.ts"
import { difference, type ObjectVersion } from "./RangeReply.ts"

/** What was fetched cannot be completed: the transfer has to begin again at byte 0. */
export class Restart extends Data.TaggedError("Restart")<{
  /** `Changed`: the remote file is another one now. `NoRanges`: the link host sends the whole file or nothing. */
  readonly cause: "Changed" | "NoRanges"
  readonly reason: string
}> {}

export interface VersionWatch {
  /** What the replies stated so far; completes with the first. */
  readonly version: Deferred.Deferred<ObjectVersion>
  readonly known: Effect.Effect<ObjectVersion | null>
  /** Takes what a reply states; `Restart` when it contradicts an earlier one. */
  readonly learn: (version: ObjectVersion) => Effect.Effect<void, Restart>
}

/** Nothing is known yet. */
export const make: Effect.Effect<VersionWatch> = Effect.gen(function* () {
  const version = yield* Deferred.make<ObjectVersion>()
  const known = yield* Ref.make<ObjectVersion | null>(null)

  // One atomic step, since several connections receive replies at the same time.
  const merge = (next: ObjectVersion) =>
    Ref.modify(known, (old): readonly [ObjectVersion | Restart, ObjectVersion | null] => {
      const reason = old === null ? null : difference(old, next)
      if (reason !== null) return [new Restart({ cause: "Changed", reason }), old]
      const merged = {
        size: old?.size ?? next.size,
        etag: old?.etag ?? next.etag,
        lastModified: old?.lastModified ?? next.lastModified,
        digests: mergeDigests(old?.digests ?? [], next.digests)
      }
      return [merged, merged]
    })

  return {
    version,
    known: Ref.get(known),
    learn: Effect.fnUntraced(function* (next) {
      const merged = yield* merge(next)
      if (merged instanceof Restart) return yield* merged
      yield* Deferred.succeed(version, merged)
    })
  }
})
