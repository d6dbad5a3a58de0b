/** The program of `svc-request-restore`: the archived files of the selection are asked for, and nothing is downloaded. */
import * as Effect from "effect/Effect"
import type { ParsedRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { makeProgram, withProblems } from "../main/Step.ts"
import { conclude } from "./Conclusion.ts"
import { completeRequest, idleOptions, requestOf } from "./Request.ts"
import { showPlan } from "./ShowPlan.ts"
import { summarise, watch } from "./Watching.ts"
import { downloadsWiring } from "./Wiring.ts"

export const requestProgram = makeProgram(
  // Whoever starts it has agreed.
  (settings) => withProblems(requestOf({ ...settings, restoreArchived: "force" }), idleOptions(settings)),
  Effect.fnUntraced(function* (given: Settings, parsed: ParsedRequest) {
    // Pending is what this step is for.
    const settings = { ...given, pendingOk: true }
    const request = yield* completeRequest(parsed)
    const services = downloadsWiring(settings)
    if (settings.plan) return yield* Effect.provide(showPlan(request, settings.format, "restore"), services)
    const record = yield* makeRunRecord
    const how = { record, subject: "restore" } as const
    const asked = Downloads.use(({ events }) => watch(events(request, how), "download"))
    const work = Effect.andThen(asked, Effect.flatMap(record.results, summarise))
    return yield* conclude(Effect.provide(work, services), record, settings, "request-restore")
  })
)
