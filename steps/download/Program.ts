/** The program of `svc-download`: one of its forms, over services that are wired once. */
import { Effect, Layer } from "effect"
import { makeRunRecord } from "../../core/src/download/RunRecord.ts"
import type { LocalSettings, Settings } from "../../core/src/settings/Settings.ts"
import { keepHeapSmall } from "../../platform/SmallHeap.ts"
import type { Program } from "../main/Step.ts"
import { concluded } from "./Conclusion.ts"
import { fetchFiles } from "./FetchFiles.ts"
import { filterProblems } from "./Gather.ts"
import { serviceSource } from "./LinkSource.ts"
import { listFiles } from "./ListFiles.ts"
import { awaited, resumed } from "./ResumeFiles.ts"
import { showPlan } from "./ShowPlan.ts"
import { trackingWiring, wiring } from "./Wiring.ts"
import { readWish, wishProblems } from "./Wish.ts"
import { openLinksFile, writeLinks } from "./WriteLinks.ts"

const waitProblems = ({ links, list, plan, resumeArchivedDownloads, wait }: LocalSettings) =>
  wait !== null && !resumeArchivedDownloads && (links || list || plan)
    ? ["--wait waits for files to download: it does not go with --list, --plan or --links"]
    : []

export const program: Program<Settings> = {
  check: (settings) => [...filterProblems(settings), ...wishProblems(settings), ...waitProblems(settings)],
  run: Effect.fn("download")(function* (given) {
    yield* Effect.sync(keepHeapSmall)
    const settings = { ...given, wish: yield* readWish(given) }
    const tracking = trackingWiring(settings)
    const source = serviceSource(settings)
    const services = Layer.merge(wiring(settings), tracking)
    if (settings.resumeArchivedDownloads) return yield* Effect.provide(resumed(settings), tracking)
    if (settings.list) return yield* Effect.provide(listFiles(settings, source), services)
    if (settings.plan) return yield* Effect.provide(showPlan(settings, source), services)
    if (settings.links) {
      const file = yield* openLinksFile(settings)
      return yield* Effect.provide(writeLinks(settings, file), services)
    }
    const record = yield* makeRunRecord
    const work = Effect.gen(function* () {
      const pending = yield* Effect.provide(fetchFiles(settings, source, record), wiring(settings))
      if (settings.wait !== null && pending.length > 0) yield* awaited(pending, settings, record)
    })
    return yield* concluded(Effect.provide(work, tracking), record, settings, "download")
  }, Effect.scoped)
}
