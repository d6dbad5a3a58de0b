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
    ...severalKinds(results)
  ]
}

/**
 * A run has one exit code, so that a login fault stands for damaged files too: each kind is named. Which code it ends with is not known
 * here: a signal, or a report that cannot be written, comes later. What a stopped run had not finished is no failure of its own.
 */
const severalKinds = (results: ReadonlyArray<RunResult>): ReadonlyArray<string> => {
  const failures = errorsOf(results).filter(({ _tag }) => _tag !== "SvcStopped")
  const kinds = Map.groupBy(failures, (error) => Runtime.getErrorExitCode(error))
  const found = severityOrder.filter((code) => kinds.has(code))
  const textOf = (code: ExitCode) => `${code} (${counted(kinds.get(code)?.length ?? 0, "failure")})`
  return found.length < 2 ? [] : [`Look at each failure: their exit codes are ${found.map(textOf).join(", ")}`]
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
