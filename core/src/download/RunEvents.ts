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
import type { AnalysisId, LimsId, SampleId } from "../contract/Ids.ts"
import type { TransferProgress } from "../transfer/TransferRequest.ts"
import type { CatalogEntry } from "./Catalog.ts"
import type { PlannedFile } from "./DownloadPlan.ts"
import type { FailedResult, FileResult } from "./FileResult.ts"

/**
 * A restoration that was asked for.
 *
 * @category models
 * @since 0.1.0
 */
export interface Awaited {
  /** When it is expected, as written; null when unknown. */
  readonly estimate: string | null
  /** Whether the service reports it. */
  readonly underWay: boolean
}

/**
 * Whose analysis it is, as the service says with its files.
 *
 * @category models
 * @since 0.1.0
 */
export interface AnalysisOwner {
  readonly sampleId: SampleId | null
  readonly limsId: LimsId | null
}

/** By analysis. */
export const ownersOf = (entries: Iterable<CatalogEntry>): ReadonlyMap<AnalysisId, AnalysisOwner> =>
  new Map(Array.from(entries, ({ listed: { id, limsId, sampleId } }) => [id, { limsId, sampleId }]))

/**
 * What happens in a run.
 *
 * @category models
 * @since 0.1.0
 */
export type RunEvent =
  /** The service has told of these analyses. */
  | { readonly _tag: "Listed"; readonly owners: ReadonlyMap<AnalysisId, AnalysisOwner> }
  /** An analysis, or the selection, failed as a whole. */
  | { readonly _tag: "Failed"; readonly result: FailedResult }
  /** The files the run is about, before anything becomes of them. */
  | { readonly _tag: "Planned"; readonly files: ReadonlyArray<PlannedFile>; readonly destination: string }
  /** The restorations that are awaited now; replaces those of the event before. */
  | { readonly _tag: "Awaiting"; readonly restorations: ReadonlyArray<Awaited> }
  /** Transfers begin; `bytes` is the sum of the sizes that are known. Each of `files` will have a result. */
  | { readonly _tag: "Begun"; readonly files: ReadonlyArray<PlannedFile>; readonly bytes: number }
  /** A transfer goes on; left out while many events wait. */
  | { readonly _tag: "Progress"; readonly file: PlannedFile; readonly progress: TransferProgress }
  /** Once per file of the plan, skipped and refused ones too. */
  | { readonly _tag: "Finished"; readonly file: PlannedFile; readonly result: FileResult }

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

/** Tells the listener of the run. */
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
