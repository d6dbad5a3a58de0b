/** `--plan`: what a download with these settings would do. Touches nothing. */
import { Effect } from "effect"
import { diskNeed, shortage } from "../../core/src/download/DiskNeed.ts"
import { withSizes } from "../../core/src/download/SizeProbe.ts"
import { estimated } from "../../core/src/download/SliceTasks.ts"
import { mostSevere } from "../../core/src/Errors.ts"
import { planJson, planText } from "../../core/src/report/PlanView.ts"
import type { ListedAnalysis } from "../../core/src/selection/Listed.ts"
import { Scrubber } from "../../core/src/text/Scrubber.ts"
import { printDocument, printLines } from "../main/StandardOutput.ts"
import { wholeFailure } from "./Gather.ts"
import type { LinkSource } from "./LinkSource.ts"
import { planned } from "./Planning.ts"
import type { DownloadSettings } from "./Wish.ts"

/** Exits as the download would for all that can be known beforehand. */
export const showPlan = Effect.fn("download.plan")(function* <E, R>(
  settings: DownloadSettings,
  source: LinkSource<E, R>
) {
  const analyses: Array<ListedAnalysis> = []
  const gathered = yield* source.gather((entry) =>
    Effect.map(withSizes(entry), (analysis) => {
      analyses.push(analysis)
    })
  )
  const decided = yield* planned(settings, analyses)
  const plan = yield* estimated(decided.plan, yield* source.book(gathered.entries))
  const room = settings.wish === null ? decided.room : { ...decided.room, ...diskNeed(plan.files, () => 0) }
  const failures = [...gathered.failures, ...plan.failures]
  const whole = failures.map(wholeFailure)
  const { prose } = yield* Scrubber
  yield* settings.format === "json"
    ? printDocument(planJson(plan, whole, room))
    : printLines(planText(plan, whole, room, prose))
  const refused = plan.files.flatMap(({ decision }) => (decision._tag === "Fail" ? [decision.error] : []))
  const short = shortage(room, room.destination, room.free)
  return mostSevere([...failures.map(({ error }) => error), ...refused, ...(short === null ? [] : [short])])
})
