/** The program of `svc-request-restore`: the archived files of the selection are asked for, and nothing is downloaded. */
import { Effect, Layer } from "effect"
import { TrackingFile } from "../../core/src/archive/TrackingFile.ts"
import { identity } from "../../core/src/download/DownloadRun.ts"
import { untouched } from "../../core/src/download/Outcome.ts"
import { makeRunRecord, type RunRecord } from "../../core/src/download/RunRecord.ts"
import { summaryLines } from "../../core/src/download/Summary.ts"
import { pathOf } from "../../core/src/selection/Place.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import type { Program } from "../main/Step.ts"
import { concluded } from "./Conclusion.ts"
import { filterProblems, gather } from "./Gather.ts"
import { serviceSource } from "./LinkSource.ts"
import { planned } from "./Planning.ts"
import { awaitedOf, restored, withRestoration } from "./Restorations.ts"
import { showPlan } from "./ShowPlan.ts"
import { trackingWiring, wiring } from "./Wiring.ts"
import { type DownloadSettings, readWish, wishProblems } from "./Wish.ts"

export const requestProgram: Program<Settings> = {
  check: (settings) => [...filterProblems(settings), ...wishProblems(settings)],
  run: Effect.fn("request-restore")(function* (given) {
    // Pending is what this step is for.
    const settings = { ...given, pendingOk: true, wish: yield* readWish(given) }
    const services = Layer.merge(wiring(settings), trackingWiring(settings))
    if (settings.plan) return yield* Effect.provide(showPlan(settings, serviceSource(settings)), services)
    const record = yield* makeRunRecord
    return yield* concluded(
      Effect.provide(requestFiles(settings, record), services),
      record,
      settings,
      "request-restore"
    )
  })
}

/** Files that are no longer archived are left to the download; the file exists afterwards, if only as an empty list. */
const requestFiles = Effect.fn("request-restore.request")(function* (
  settings: Settings & DownloadSettings,
  record: RunRecord
) {
  const tracking = yield* TrackingFile
  // Nothing is asked for that could not be written down.
  yield* tracking.ensure
  const { entries, failures } = yield* gather(settings, () => Effect.void)
  yield* Effect.forEach(failures, record.failed, { discard: true })
  const { plan } = yield* planned(
    settings,
    entries.map(({ listed }) => listed)
  )
  for (const failure of plan.failures) {
    yield* Effect.logError(failure.error.message)
    yield* record.failed(failure)
  }
  const wanted = plan.files.filter(({ decision }) => decision._tag !== "Fetch")
  yield* record.planned(wanted, settings.destination)
  for (const file of plan.files.filter(({ decision }) => decision._tag === "Fetch")) {
    yield* Effect.logInfo(printable(`${pathOf(file)} (analysis ${file.analysisId}): available, nothing to restore`))
  }
  const restorations = yield* restored(wanted, settings, "force")
  for (const file of wanted) {
    const restoration = restorations.get(file)
    const { decision } = file
    if (decision._tag === "Fail") {
      yield* Effect.logError(decision.error.message)
      yield* record.finished(
        file,
        untouched(identity(file, settings), { action: "failed", reason: null, error: decision.error })
      )
    } else if (decision._tag === "Skip") {
      const plain = untouched(identity(file, settings), { action: "skipped", reason: decision.reason, error: null })
      yield* record.finished(file, restoration === undefined ? plain : withRestoration(plain, restoration))
    }
  }
  yield* record.awaiting(awaitedOf(restorations))
  for (const { bad, text } of summaryLines(yield* record.results)) {
    yield* bad ? Effect.logError(text) : Effect.logInfo(text)
  }
})
