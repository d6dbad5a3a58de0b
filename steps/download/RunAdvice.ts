/** What to do next after a run that delivers files. */
import * as Runtime from "effect/Runtime"
import { errorsOf, isWhole, type RunResult } from "../../core/src/download/FileResult.ts"
import { type AdviceName, type ExitCode, runAdvice, severityOrder } from "../../core/src/Errors.ts"
import { counted } from "../../core/src/text/Quantity.ts"
import { wordsOf } from "../main/Advice.ts"

/** What to do about what failed, each advice once; a run goes on with what an earlier one left whole. */
export const adviceFor = (results: ReadonlyArray<RunResult>): ReadonlyArray<string> => {
  const named = new Set<AdviceName>(errorsOf(results).flatMap(({ advice }) => advice ?? []))
  // What has to be mended comes before the next run.
  if (named.has("afterMending")) named.delete("again")
  const keeps = results.some(isWhole)
  return [
    ...runAdvice
      .filter((name) => named.has(name))
      .map((name) => `${wordsOf(name, {})}${keeps && name !== "mendEntry" ? ": what is there is kept" : ""}`),
    ...hiddenCodes(results)
  ]
}

/** The exit code is that of one kind of failure: where a login fault stands for damaged files too, these are named. */
const hiddenCodes = (results: ReadonlyArray<RunResult>): ReadonlyArray<string> => {
  const kinds = Map.groupBy(errorsOf(results), (error) => Runtime.getErrorExitCode(error))
  const textOf = (code: ExitCode) => `${code} of ${counted(kinds.get(code)?.length ?? 0, "failure")}`
  const [worst, ...others] = severityOrder.filter((code) => kinds.has(code))
  return worst === undefined || others.length === 0
    ? []
    : [`Look at each failure: exit code ${textOf(worst)} hides ${others.map(textOf).join(", ")}`]
}

/** How to have what a run left in the archive. */
export const adviceOnArchived = (results: ReadonlyArray<RunResult>): ReadonlyArray<string> => {
  const left = results.filter((result) => result._tag === "Skipped" && result.reason === "archived").length
  if (left === 0) return []
  const [were, them] = left === 1 ? ["was", "it"] : ["were", "them"]
  return [
    `${counted(left, "file")} ${were} left in the archive: svc-request-restore asks for ${them}, or the same command with --restoreArchived`
  ]
}
