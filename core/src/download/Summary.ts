/** The last lines of a download: what was done, and what to do next. */
import { mostSevere } from "../Errors.ts"
import { humanSize } from "../text/Size.ts"
import { type FileResult, type SkipReason, totalsOf } from "./FileResult.ts"

export interface SummaryLine {
  readonly text: string
  /** Something failed, so it must be seen at every log level. */
  readonly bad: boolean
}

export const summaryLines = (results: ReadonlyArray<FileResult>): ReadonlyArray<SummaryLine> => {
  const { bytes, downloaded, failed, skipped } = totalsOf(results)
  const because = (reason: SkipReason) => results.filter((result) => result.reason === reason).length
  const reasons = (["exists", "archived", "pending", "no-reads"] as const).filter((reason) => because(reason) > 0)
  const why = reasons.length === 0 ? "" : ` (${reasons.map((reason) => `${because(reason)} ${reason}`).join(", ")})`
  const size = downloaded === 0 ? "" : ` (${humanSize(bytes)})`
  const bad = failed > 0
  const total = { text: `${downloaded} downloaded${size}, ${skipped} skipped${why}, ${failed} failed`, bad }
  return [total, ...adviceFor(results).map((text) => ({ text, bad }))]
}

/** What to do about what failed, if that can help: another run with the same names, ids and options fails again. */
export const adviceFor = (results: ReadonlyArray<FileResult>): ReadonlyArray<string> => {
  const errors = results.flatMap(({ error }) => error ?? [])
  const broken = errors.filter(({ needsMending }) => needsMending === true)
  // The message about a file that another run is writing says itself when to try again.
  const codes = errors
    .filter((error) => !broken.includes(error) && error._tag !== "Busy")
    .map((error) => mostSevere([error]))
  const again = codes.some((code) => code === 65 || code === 69)
    ? ["Run the same command again to go on: what is there is kept"]
    : codes.includes(74)
      ? ["When that is mended, run the same command again: what is there is kept"]
      : []
  const mend = "Mend the entry of the restoration file, or take it out: see svc-steps restorations"
  // A file that is unusable as a whole says what to do in its own message.
  return broken.some(({ scope }) => scope === "file") ? [...again, mend] : again
}
