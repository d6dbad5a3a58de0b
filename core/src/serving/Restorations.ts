/**
 * Restorations that readers of a server ask for. The service restores all archived files of an analysis and is paid for it: so
 * the service is asked once, and later readers get the state of that restoration.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisId } from "../contract/Ids.ts"
import type { OutcomeUnknown } from "../Errors.ts"
import { LinkStore, type ServedFile, type StoreError } from "./LinkStore.ts"
import { ServiceAccess } from "./ServiceAccess.ts"

/** What is known of a restoration. */
export interface Restoring {
  /** ISO 8601 UTC; null when it was not asked for through this server. */
  readonly since: string | null
  /** As the service wrote it. */
  readonly estimation: string | null
}

export interface RequestedRestoration extends Restoring {
  /** It was under way already: nothing was asked for, and nothing is paid for. */
  readonly joined: boolean
}

export class Restorations extends Context.Service<
  Restorations,
  {
    /** The restoration that is under way for an archived file, null when none is known. */
    readonly of: (file: ServedFile) => Effect.Effect<Restoring | null>
    /** Asks for one, or joins the one that is under way. */
    readonly request: (file: ServedFile) => Effect.Effect<RequestedRestoration, StoreError | OutcomeUnknown>
  }
>()("svc-steps/core/serving/Restorations") {
  static readonly layer: Layer.Layer<Restorations, never, ServiceAccess | LinkStore> = Layer.effect(
    Restorations,
    Effect.gen(function* () {
      const access = yield* ServiceAccess
      const store = yield* LinkStore
      const scope = yield* Effect.scope
      const one = yield* Semaphore.make(1)
      const asked = new Map<string, Restoring & { readonly at: number }>()

      const restorationUnderWay = Effect.fnUntraced(function* ({ analysisId, restoreEstimation }: ServedFile) {
        const ours = asked.get(analysisId)
        const current = ours !== undefined && (yield* Clock.currentTimeMillis) - ours.at < longest ? ours : null
        if (current === null && restoreEstimation === null) return null
        return { since: current?.since ?? null, estimation: restoreEstimation ?? current?.estimation ?? null }
      })

      const ask = Effect.fnUntraced(function* (client: ServiceClient["Service"], file: ServedFile) {
        const now = yield* DateTime.now
        const answers = yield* client.requestRestore([AnalysisId.make(file.analysisId)]).pipe(
          // A lost answer makes the listing old as well: only a new one shows whether the restoration began.
          Effect.ensuring(store.forget(file.analysisId))
        )
        const answer = answers.find(({ analysisId }) => analysisId === file.analysisId) ?? answers[0]
        const restoring = { since: DateTime.formatIso(now), estimation: answer?.restoreEstimation ?? null }
        asked.set(file.analysisId, { ...restoring, at: DateTime.toEpochMillis(now) })
        return { ...restoring, joined: false }
      })

      const request = Effect.fn("svc.serving.requestRestoration")(function* (file: ServedFile) {
        const underWay = yield* restorationUnderWay(file)
        if (underWay !== null) return { ...underWay, joined: true }
        return yield* access.ask(({ client }) => ask(client, file))
      })

      return Restorations.of({
        of: restorationUnderWay,
        // In the scope of the server: the answer is remembered although its reader may have gone, and the next one does not pay again.
        request: (file) => one.withPermit(request(file)).pipe(Effect.forkIn(scope), Effect.flatMap(Fiber.join))
      })
    })
  )
}

/** Restorations take up to half a day (docs/dev/service.md 15); one that has not ended by then may be asked for again. */
const longest = Duration.toMillis("12 hours")
