/** An empty part with its journal, and the name of the run that writes it. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { PartFiles, PartPlace } from "./PartFiles.ts"
import * as PartJournal from "./PartJournal.ts"

/** A name for this run, that no other run has: 16 hex digits. */
export const makeWriter = Effect.fnUntraced(function* (files: PartFiles["Service"], identity: string) {
  const random = yield* Effect.map(Random.next, (number) => number.toString(16).slice(2, 14))
  return (yield* files.fingerprint(`${identity} ${random}`)).slice(0, 16)
})

/**
 * Makes both, in place of whatever was there. An interruption leaves neither, for nobody could go on with a part alone.
 *
 * @param size - of the file in bytes, null when it is not known
 */
export const makeFreshPart = Effect.fnUntraced(function* (
  files: PartFiles["Service"],
  place: PartPlace,
  identity: string,
  size: number | null
) {
  const journal = PartJournal.start(identity, yield* makeWriter(files, identity), size)
  const discard = Effect.ignore(files.discard(place))
  const part = yield* Effect.onInterrupt(files.create(place), () => discard)
  yield* Effect.onError(files.writeJournal(place, PartJournal.encode(journal)), () => discard)
  return { part, journal }
})
