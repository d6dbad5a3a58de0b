/** `svc-download --fromLinks`: a download by the links of a file. No login, no API request. */
import * as Effect from "effect/Effect"
import type { ParsedRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import { InputMalformed } from "../../core/src/Errors.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { locateTarget } from "../../core/src/settings/Validation.ts"
import { readLinksFile } from "../../platform/inputs/LinksFile.ts"
import { makeProgram, withProblems } from "../main/Step.ts"
import { conclude } from "./Conclusion.ts"
import { listFiles } from "./ListFiles.ts"
import { completeRequest, idleOptions, requestOf } from "./Request.ts"
import { showPlan } from "./ShowPlan.ts"
import { summarise, watch } from "./Watching.ts"
import { linksWiring } from "./Wiring.ts"

export const linksProgram = makeProgram(
  (settings) =>
    withProblems(requestOf(settings), [
      ...(settings.wait === null ? [] : ["--wait waits for restorations, and a links file knows none"]),
      ...idleOptions({ ...settings, wait: null })
    ]),
  Effect.fn("svc.step.downloadByLinks")(function* (given: LocalSettings, parsed: ParsedRequest) {
    const path = given.fromLinks ?? "-"
    const manifest = yield* readLinksFile(path)
    const settings = yield* locateTarget({ ...given, target: given.target ?? manifest.target.href })
    const filetypes = given.given("filetypes") ? parsed.filetypes : manifest.filetypes
    const request = yield* completeRequest({ ...parsed, filetypes })
    if (settings.baseUrl.href !== manifest.target.href) {
      const reason = `it was written for ${manifest.target.href}, and the target is ${settings.baseUrl.href}`
      return yield* new InputMalformed({ input: path, reason })
    }
    const services = linksWiring(manifest, settings)
    if (settings.list) return yield* Effect.provide(listFiles(request, settings.format), services)
    if (settings.plan) return yield* Effect.provide(showPlan(request, settings.format), services)
    const record = yield* makeRunRecord
    const fetched = Downloads.use(({ events }) => watch(events(request, { record }), "download"))
    const work = Effect.andThen(fetched, Effect.flatMap(record.results, summarise))
    return yield* conclude(Effect.provide(work, services), record, settings, "download")
  })
)
