/** What is said at the end of a run: how many files came to what. */
import { failReasons, type RunResult, skipReasonOf, skipReasons, totalsOf } from "../download/FileResult.ts"
import { humanSize } from "../text/Quantity.ts"

/** A line about what was done. */
export interface SummaryLine {
  readonly text: string
  /** Something failed, so it must be seen at every log level. */
  readonly bad: boolean
}

/** What became of all files of a download. */
export const summaryLine = (results: ReadonlyArray<RunResult>): SummaryLine => {
  const { bytes, downloaded, failed, skipped } = totalsOf(results)
  const size = downloaded === 0 ? "" : ` (${humanSize(bytes)})`
  const bad = failed > 0
  const left = `${skipped} skipped${why(results, skipReasonOf, skipReasons)}`
  const lost = `${failed} failed${why(results, failReasonOf, failReasons)}`
  return { text: `${downloaded} downloaded${size}, ${left}, ${lost}`, bad }
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

/** The same of a run that asked for restorations and fetched nothing. */
export const restorationLine = (results: ReadonlyArray<RunResult>): SummaryLine => {
  const { failed } = totalsOf(results)
  const pending = results.filter(({ _tag }) => _tag === "Pending").length
  const others = results.length - pending - failed
  const parts = [
    `${pending === 1 ? "1 restoration is" : `${pending} restorations are`} under way`,
    ...(others === 0 ? [] : [`${others} skipped`]),
    `${failed} failed`
  ]
  return { text: parts.join(", "), bad: failed > 0 }
}
