/** `--plan`: what a download with these settings would do. Touches nothing. */
import { Effect } from "effect"
import { shortage } from "../../core/src/download/DiskNeed.ts"
import type { DownloadRequest } from "../../core/src/download/DownloadRequest.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { planJson, planText } from "../../core/src/report/PlanView.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"

/** Exits as the download would for all that can be known beforehand. */
export const showPlan = Effect.fn("svc.step.showPlan")(function* (request: DownloadRequest, format: "text" | "json") {
  const { plan: planOf } = yield* Downloads
  const { failures, plan, disk } = yield* planOf(request)
  const whole = failures.map((failure) => ({ ...failure, fileName: null }))
  const { prose } = yield* Scrubber
  yield* format === "json" ? printDocument(planJson(plan, whole, disk)) : printLines(planText(plan, whole, disk, prose))
  const refused = plan.files.flatMap(({ decision }) => (decision._tag === "Fail" ? [decision.error] : []))
  const short = shortage(disk, disk.destination, disk.free)
  return mostSevere([...failures.map(({ error }) => error), ...refused, ...(short === null ? [] : [short])])
})
