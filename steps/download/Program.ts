/** The program of `svc-download`: one of its forms, over services that are wired once. */
import * as Effect from "effect/Effect"
import type { ParsedRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { makeProgram, withProblems } from "../main/Step.ts"
import { conclude } from "./Conclusion.ts"
import { listFiles } from "./ListFiles.ts"
import { completeRequest, idleOptions, requestOf } from "./Request.ts"
import { awaitRestored, resumeRun } from "./ResumeFiles.ts"
import { showPlan } from "./ShowPlan.ts"
import { summarise, watch } from "./Watching.ts"
import { downloadsWiring, trackingWiring } from "./Wiring.ts"
import { openLinksFile, writeLinks } from "./WriteLinks.ts"

export const program = makeProgram(
  (settings) => withProblems(requestOf(settings), idleOptions(settings)),
  Effect.fnUntraced(function* (settings: Settings, parsed: ParsedRequest) {
    const request = yield* completeRequest(parsed)
    const { format } = settings
    const services = downloadsWiring(settings)
    if (settings.resumeArchivedDownloads) return yield* resumeRun(request, settings)
    if (settings.list) return yield* Effect.provide(listFiles(request, format), services)
    if (settings.plan) return yield* Effect.provide(showPlan(request, format), services)
    if (settings.links || settings.writeLinks !== null) {
      const file = yield* openLinksFile(settings)
      return yield* Effect.provide(writeLinks(request, settings, file), services)
    }
    const record = yield* makeRunRecord
    const work = Effect.gen(function* () {
      const events = Downloads.use((downloads) => watch(downloads.events(request, { record }), "download"))
      yield* Effect.provide(events, services)
      const results = yield* record.results
      yield* summarise(results)
      const pending = results.filter(({ reason }) => reason === "pending")
      if (settings.wait !== null && pending.length > 0) yield* awaitRestored(pending, request, settings, record)
    })
    return yield* conclude(Effect.provide(work, trackingWiring(settings)), record, settings, "download")
  }, Effect.scoped)
)
