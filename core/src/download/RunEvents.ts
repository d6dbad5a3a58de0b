/**
 * What happens in a run, as a stream that ends with its outcome: for the log, the screen, or a program that uses the library.
 *
 * A slow reader stops no byte: while many events wait to be read, those about the progress of a transfer are left out. All
 * others are kept, a few for each file. When the reader is interrupted, so is the run.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { AnalysisId } from "../contract/Ids.ts"
import type { CatalogEntry } from "./Catalog.ts"
import type { AnalysisOwner, RunEvent } from "./RunEvent.ts"

export const ownersOf = (entries: Iterable<CatalogEntry>): ReadonlyMap<AnalysisId, AnalysisOwner> =>
  new Map(Array.from(entries, ({ listed: { analysisId, limsId, sampleId } }) => [analysisId, { limsId, sampleId }]))

/**
 * The last event: what came of it all.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ended<A> {
  readonly _tag: "Ended"
  readonly outcome: A
}

/** Takes an event while it happens. */
export type RunListener = (event: RunEvent) => Effect.Effect<void>

/** Who listens to the run at once, while its events may wait to be read; nobody unless somebody is provided. */
export const Listener: Context.Reference<RunListener> = Context.Reference<RunListener>(
  "svc-steps/core/download/RunEvents/Listener",
  { defaultValue: () => () => Effect.void }
)

export const tell: RunListener = (event) => Effect.flatMap(Listener, (listener) => listener(event))

/** While this many events wait, progress is left out. */
const mostWaiting = 256

/** What `work` tells, which begins when the stream is read and is interrupted with its reader. The listener hears it first. */
export const eventsOf = <A, E, R>(work: Effect.Effect<A, E, R>): Stream.Stream<RunEvent | Ended<A>, E, R> =>
  Stream.callback<RunEvent | Ended<A>, E, R>((queue) => {
    const queued: RunListener = (event) =>
      Effect.suspend(() => {
        const isProgress = event._tag === "Progress"
        if (!isProgress || Queue.sizeUnsafe(queue) < mostWaiting) Queue.offerUnsafe(queue, event)
        // A reader who keeps up sees an event before the next thing happens: its log lines stand in order with those of the run.
        return isProgress ? Effect.void : Effect.yieldNow
      })
    const told = Effect.flatMap(Listener, (listener) =>
      Effect.provideService(work, Listener, (event) => Effect.andThen(listener(event), queued(event)))
    )
    return Effect.map(told, (outcome) => {
      Queue.offerUnsafe(queue, { _tag: "Ended", outcome })
      Queue.endUnsafe(queue)
    })
  })
