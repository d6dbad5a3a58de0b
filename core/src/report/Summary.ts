/** What is said at the end of a run: how many files came to what, and what to do next. */
import {
  errorsOf,
  failReasons,
  isWhole,
  type RunResult,
  skipReasonOf,
  skipReasons,
  totalsOf
} from "../download/FileResult.ts"
import { Advice, type AdviceName } from "../Errors.ts"
import { humanSize } from "../text/Quantity.ts"

/** A line about what was done, or what to do next. */
export interface SummaryLine {
  readonly text: string
  /** Something failed, so it must be seen at every log level. */
  readonly bad: boolean
}

/** The last lines of a download. */
export const summaryLines = (results: ReadonlyArray<RunResult>): ReadonlyArray<SummaryLine> => {
  const { bytes, downloaded, failed, skipped } = totalsOf(results)
  const size = downloaded === 0 ? "" : ` (${humanSize(bytes)})`
  const bad = failed > 0
  const left = `${skipped} skipped${why(results, skipReasonOf, skipReasons)}`
  const lost = `${failed} failed${why(results, failReasonOf, failReasons)}`
  return [
    { text: `${downloaded} downloaded${size}, ${left}, ${lost}`, bad },
    ...adviceFor(results).map((text) => ({ text, bad }))
  ]
}

const failReasonOf = (result: RunResult) => (result._tag === "Failed" ? result.reason : null)

/** How many there are of each reason, in parentheses; nothing when there are none. */
const why = <Reason extends string>(
  results: ReadonlyArray<RunResult>,
  reasonOf: (result: RunResult) => Reason | null,
  reasons: ReadonlyArray<Reason>
): string => {
  const found = results.map(reasonOf)
  const counts = reasons.flatMap((reason) => {
    const count = found.filter((one) => one === reason).length
    return count === 0 ? [] : [`${count} ${reason}`]
  })
  return counts.length === 0 ? "" : ` (${counts.join(", ")})`
}

/** The last line of a run that asked for restorations and fetched nothing. */
export const restorationLines = (results: ReadonlyArray<RunResult>): ReadonlyArray<SummaryLine> => {
  const { failed } = totalsOf(results)
  const pending = results.filter(({ _tag }) => _tag === "Pending").length
  const others = results.length - pending - failed
  const parts = [
    `${pending === 1 ? "1 restoration is" : `${pending} restorations are`} under way`,
    ...(others === 0 ? [] : [`${others} skipped`]),
    `${failed} failed`
  ]
  return [{ text: parts.join(", "), bad: failed > 0 }, ...adviceFor(results).map((text) => ({ text, bad: failed > 0 }))]
}

/** What to do about what failed, each advice once; a run goes on with what an earlier one left whole. */
export const adviceFor = (results: ReadonlyArray<RunResult>): ReadonlyArray<string> => {
  const named = new Set(errorsOf(results).flatMap(({ advice }) => advice ?? []))
  // What has to be mended comes before the next run.
  if (named.has("afterMending")) named.delete("again")
  const keeps = results.some(isWhole)
  const kept = (name: AdviceName) => (keeps && name !== "mendEntry" ? ": what is there is kept" : "")
  return adviceNames.filter((name) => named.has(name)).map((name) => `${Advice[name]}${kept(name)}`)
}

const adviceNames: ReadonlyArray<AdviceName> = ["again", "afterMending", "mendEntry"]
