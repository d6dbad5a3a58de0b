/** `--plan`: what a step with these settings would do. Touches nothing. */
import * as Effect from "effect/Effect"
import { shortage } from "../../core/src/download/DiskNeed.ts"
import type { PlanSubject } from "../../core/src/download/DownloadForms.ts"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { planJson, planText } from "../../core/src/report/PlanView.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"

/** Exits as the step would for all failures that can be known beforehand. */
export const showPlan = Effect.fn("svc.step.showPlan")(function* (
  request: DownloadRequest,
  format: "text" | "json",
  subject: PlanSubject = "run"
) {
  const outcome = yield* Downloads.use(({ plan }) => plan(request, subject))
  const { failures, plan, disk } = outcome
  const { prose } = yield* Scrubber
  yield* format === "json" ? printDocument(planJson(outcome)) : printLines(planText(outcome, prose))
  const refused = plan.files.flatMap(({ decision }) => (decision._tag === "Fail" ? [decision.error] : []))
  const short = shortage(disk, disk.destination, disk.free)
  return mostSevere([...failures.map(({ error }) => error), ...refused, ...(short === null ? [] : [short])])
})
