/** `svc-download --linksFile`: a download by the links of a file. No login, no API request. */
import { Effect } from "effect"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import { InputMalformed } from "../../core/src/Errors.ts"
import type { LocalSettings } from "../../core/src/settings/Settings.ts"
import { located } from "../../core/src/settings/Validation.ts"
import { readLinksFile } from "../../platform/LinksFile.ts"
import type { Program } from "../main/Step.ts"
import { concluded } from "./Conclusion.ts"
import { fetchFiles } from "./FetchFiles.ts"
import { manifestSource } from "./LinkSource.ts"
import { listFiles } from "./ListFiles.ts"
import { showPlan } from "./ShowPlan.ts"
import { transferWiring } from "./Wiring.ts"
import { readWish, wishProblems } from "./Wish.ts"

export const linksProgram: Program<LocalSettings> = {
  check: (settings) => [
    ...wishProblems(settings),
    ...(settings.wait === null ? [] : ["--wait waits for restorations, and a links file knows none"])
  ],
  run: Effect.fn("download.byLinks")(function* (given) {
    const wish = yield* readWish(given)
    const path = given.linksFile ?? "-"
    const manifest = yield* readLinksFile(path)
    const target = given.target ?? manifest.target.href
    const filetypes = given.given("filetypes") ? given.filetypes : manifest.filetypes
    const settings = { ...(yield* located({ ...given, target })), filetypes, wish }
    if (settings.baseUrl.href !== manifest.target.href) {
      const reason = `it was written for ${manifest.target.href}, and the target is ${settings.baseUrl.href}`
      return yield* new InputMalformed({ input: path, reason })
    }
    const source = manifestSource(manifest, settings)
    const services = transferWiring(settings)
    if (settings.list) return yield* Effect.provide(listFiles(settings, source), services)
    if (settings.plan) return yield* Effect.provide(showPlan(settings, source), services)
    const record = yield* makeRunRecord
    const work = Effect.provide(fetchFiles(settings, source, record), services)
    return yield* concluded(work, record, settings, "download")
  })
}
