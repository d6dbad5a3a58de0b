/** What is said at the end of a run: how many files came to what. */
import {
  failReasons,
  type RunResult,
  type SkipReason,
  skipReasonOf,
  skipReasons,
  totalsOf
} from "../download/FileResult.ts"
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

type FailReason = (typeof failReasons)[number]

const failReasonOf = (result: RunResult) => (result._tag === "Failed" ? result.reason : null)

/** What is so of a file, of one and of several. */
const words: Readonly<Record<SkipReason | FailReason, readonly [one: string, several: string]>> = {
  exists: ["already there", "already there"],
  archived: ["in the archive", "in the archive"],
  pending: ["waits for the archive", "wait for the archive"],
  "no-reads": ["without reads", "without reads"],
  withheld: ["held back", "held back"],
  differs: ["of another size", "of another size"],
  missing: ["not listed", "not listed"]
}

/** How many there are of each reason, in parentheses; nothing when there are none. */
const why = <Reason extends SkipReason | FailReason>(
  results: ReadonlyArray<RunResult>,
  reasonOf: (result: RunResult) => Reason | null,
  reasons: ReadonlyArray<Reason>
): string => {
  const found = results.map(reasonOf)
  const counts = reasons.flatMap((reason) => {
    const count = found.filter((one) => one === reason).length
    return count === 0 ? [] : [`${count} ${words[reason][count === 1 ? 0 : 1]}`]
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
