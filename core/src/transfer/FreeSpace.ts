/** Whether the disk can take what is about to come (fault K2). */
import * as Effect from "effect/Effect"
import { LocalIo } from "../Errors.ts"
import type { PartFiles, PartPlace } from "./PartFiles.ts"

/**
 * Fails with `LocalIo` `ENOSPC` when the disk of `place` is known to have less than `needed` bytes free.
 *
 * @param about - whether `needed` is an estimate, for the message
 */
export const enoughSpace = Effect.fnUntraced(function* (
  files: PartFiles["Service"],
  place: PartPlace,
  needed: number,
  about = false
) {
  const free = yield* files.free(place)
  if (free === null || needed <= free) return
  const operation = `write ${about ? "about " : ""}${needed} bytes (${free} are free) to`
  return yield* new LocalIo({ path: `${place.directory}/${place.name}`, operation, errno: "ENOSPC" })
})
