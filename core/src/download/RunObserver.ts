/** Whoever watches a run: the log, the screen, the record for the report, or a program that uses the library. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TransferProgress } from "../transfer/TransferRequest.ts"
import type { PlanFailure, PlannedFile } from "./DownloadPlan.ts"
import type { FileResult } from "./FileResult.ts"

/** A restoration that was asked for. */
export interface Awaited {
  /** When it is expected, as written; null when unknown. */
  readonly estimate: string | null
  /** Whether the service reports it. */
  readonly underWay: boolean
}

/** Hears of everything while it happens; each member may be left out. */
export interface RunObserver {
  /** An analysis, or the selection, failed as a whole. */
  readonly failed?: (failure: PlanFailure) => Effect.Effect<void>
  /** The files the run is about, before anything becomes of them. */
  readonly planned?: (files: ReadonlyArray<PlannedFile>, destination: string) => Effect.Effect<void>
  /** The restorations that are awaited now; replaces those of the call before. */
  readonly awaiting?: (restorations: ReadonlyArray<Awaited>) => Effect.Effect<void>
  /** Transfers begin; `bytes` is the sum of the sizes that are known. The scope closes when they have ended. */
  readonly begin?: (files: ReadonlyArray<PlannedFile>, bytes: number) => Effect.Effect<void, never, Scope.Scope>
  readonly progress?: (file: PlannedFile, event: TransferProgress) => Effect.Effect<void>
  /** Once per file of the plan, skipped and refused ones too. */
  readonly finished?: (file: PlannedFile, result: FileResult) => Effect.Effect<void>
}

const nothing = () => Effect.void
const silent: Required<RunObserver> = {
  failed: nothing,
  planned: nothing,
  awaiting: nothing,
  begin: nothing,
  progress: nothing,
  finished: nothing
}

/** An observer with all its members. */
export const completeObserver = (observer: RunObserver): Required<RunObserver> => ({ ...silent, ...observer })

/** An observer that calls both, `first` first. */
export const bothObservers = (first: RunObserver, second: RunObserver): RunObserver => {
  const [one, other] = [completeObserver(first), completeObserver(second)]
  return {
    failed: (failure) => Effect.andThen(one.failed(failure), other.failed(failure)),
    planned: (files, destination) => Effect.andThen(one.planned(files, destination), other.planned(files, destination)),
    awaiting: (restorations) => Effect.andThen(one.awaiting(restorations), other.awaiting(restorations)),
    begin: (files, bytes) => Effect.andThen(one.begin(files, bytes), other.begin(files, bytes)),
    progress: (file, event) => Effect.andThen(one.progress(file, event), other.progress(file, event)),
    finished: (file, result) => Effect.andThen(one.finished(file, result), other.finished(file, result))
  }
}
