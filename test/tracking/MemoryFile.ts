/** A restoration file in memory, over which runs of one test take their turns. */
import { Effect, Result, Semaphore } from "effect"
import {
  empty,
  parse,
  render,
  type TrackingDocument,
  type TrackingFile,
  type Turn
} from "../../core/src/archive/TrackingFile.ts"
import type { TrackingError } from "../../core/src/Errors.ts"

export interface MemoryFile {
  readonly service: TrackingFile["Service"]
  readonly stored: () => TrackingDocument
  /** Puts a document in its place, as somebody else would. */
  readonly store: (document: TrackingDocument) => void
}

/** The document with these entries. */
export const documentOf = (entries: ReadonlyArray<object>): TrackingDocument =>
  Result.getOrThrow(parse(JSON.stringify(entries)))

export const memoryFile = ({
  changed = () => {},
  changing = Effect.void,
  document = empty,
  path = "r.json",
  stillOurs = () => Effect.succeed(true)
}: {
  readonly path?: string
  readonly document?: TrackingDocument
  /** Fails a change before it is made. */
  readonly changing?: Effect.Effect<void, TrackingError>
  readonly changed?: (after: TrackingDocument, before: TrackingDocument) => void
  /** What the looks at the own turn see, from the first one, 0. */
  readonly stillOurs?: (look: number) => Turn["stillOurs"]
}): MemoryFile => {
  let stored = document
  let looks = 0
  const turn = Semaphore.makeUnsafe(1)
  const mine = { stillOurs: Effect.suspend(() => stillOurs(looks++)) }
  return {
    service: {
      path,
      ensure: Effect.void,
      inTurn: (self) => turn.withPermits(1)(Effect.suspend(() => self({ document: stored, ...mine }))),
      read: Effect.sync(() => stored),
      change: (edit) =>
        Effect.map(changing, () => {
          const before = stored
          // What is not in the text is lost.
          stored = Result.getOrThrow(parse(render(edit(before))))
          changed(stored, before)
          return stored
        })
    },
    stored: () => stored,
    store: (document) => {
      stored = document
    }
  }
}
