/** `PartClaim` by a lock file beside the part. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Busy } from "../../core/src/Errors.ts"
import { PartClaim } from "../../core/src/transfer/PartClaim.ts"
import type { PartPlace } from "../../core/src/transfer/PartFiles.ts"
import { makeFileLocks } from "./FileLock.ts"

/** Claims on part files by lock files beside them. */
export const layer = Layer.effect(
  PartClaim,
  Effect.map(makeFileLocks, ({ acquire }) => ({
    claim: (place) =>
      acquire(pathOf(place), { wait: 0 }).pipe(
        Effect.asVoid,
        Effect.catchTag("SvcBusy", ({ owner }) => new Busy({ file: place.name, owner }))
      ),
    // Taking over the lock of a run that ended, and giving it back, removes it.
    clear: (place) =>
      Effect.sync(() => existsSync(pathOf(place))).pipe(
        Effect.flatMap((there) => (there ? Effect.scoped(acquire(pathOf(place), { wait: 0 })) : Effect.void)),
        Effect.ignore
      )
  }))
)

const pathOf = ({ directory, lock }: PartPlace) => join(directory, lock)
