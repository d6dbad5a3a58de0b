/** What a download shows in place of the files: `--list` and `--plan`. Restores nothing. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { PlanOutcome } from "../../core/src/download/DownloadForms.ts"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import type { FileFailure } from "../../core/src/download/FileResult.ts"
import { shortage } from "../../core/src/download/Planning.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { listingJson, listingText } from "../../core/src/report/Listing.ts"
import { planJson, planText } from "../../core/src/report/PlanView.ts"
import type { ListedAnalysis } from "../../core/src/selection/WantedFiles.ts"
import { logFailure } from "../../core/src/telemetry/FailureLog.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { adviceOf } from "../main/Advice.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"

/** What the selected analyses have, printed as soon as it is known. */
export const listFiles = Effect.fn("svc.step.listFiles")(function* (request: DownloadRequest, format: "text" | "json") {
  const { list } = yield* Downloads
  const shown: Array<ListedAnalysis> = []
  const failures: Array<FileFailure> = []
  const recordFailure = (failure: FileFailure) => {
    failures.push(failure)
    return logFailure(failure.error, printable)
  }
  yield* Stream.runForEach(
    list(request),
    Effect.fnUntraced(function* (item) {
      if (item._tag === "Failed") return yield* recordFailure({ ...item.failure, fileName: null })
      yield* Effect.forEach(item.refused, recordFailure, { discard: true })
      if (format === "text") yield* printLines(listingText(item.analysis))
      else shown.push(item.analysis)
    })
  )
  if (format === "json") yield* printDocument(listingJson(shown, failures, adviceOf))
  return mostSevere(failures.map(({ error }) => error))
})

/** What a step with these settings would do. Exits as the step would for all failures that can be known beforehand. */
export const showPlan = Effect.fn("svc.step.showPlan")(function* (
  request: DownloadRequest,
  format: "text" | "json",
  subject: PlanOutcome["subject"] = "run"
) {
  const outcome = yield* Downloads.use(({ plan }) => plan(request, { subject }))
  const { failures, plan, disk } = outcome
  const { prose } = yield* Scrubber
  yield* format === "json" ? printDocument(planJson(outcome, adviceOf)) : printLines(planText(outcome, prose, adviceOf))
  const refused = plan.files.flatMap(({ decision }) => (decision._tag === "Fail" ? [decision.error] : []))
  const short = shortage(disk, disk.destination, disk.free)
  return mostSevere([...failures.map(({ error }) => error), ...refused, ...(short === null ? [] : [short])])
})
