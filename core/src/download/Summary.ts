/** The last lines of a download: what was done, and what to do next. */
import { Advice, type AdviceName } from "../Errors.ts"
import { humanSize } from "../text/Size.ts"
import { type FileReason, type FileResult, totalsOf } from "./FileResult.ts"

export interface SummaryLine {
  readonly text: string
  /** Something failed, so it must be seen at every log level. */
  readonly bad: boolean
}

export const summaryLines = (results: ReadonlyArray<FileResult>): ReadonlyArray<SummaryLine> => {
  const { bytes, downloaded, failed, skipped } = totalsOf(results)
  const why = (ends: FileResult["action"], ...reasons: ReadonlyArray<FileReason>) => {
    const count = (wanted: FileReason) =>
      results.filter(({ action, reason }) => action === ends && reason === wanted).length
    const counts = reasons.flatMap((reason) => (count(reason) === 0 ? [] : [`${count(reason)} ${reason}`]))
    return counts.length === 0 ? "" : ` (${counts.join(", ")})`
  }
  const size = downloaded === 0 ? "" : ` (${humanSize(bytes)})`
  const bad = failed > 0
  const left = `${skipped} skipped${why("skipped", "exists", "archived", "pending", "no-reads")}`
  const lost = `${failed} failed${why("failed", "differs", "archived", "missing")}`
  return [
    { text: `${downloaded} downloaded${size}, ${left}, ${lost}`, bad },
    ...adviceFor(results).map((text) => ({ text, bad }))
  ]
}

/** What to do about what failed, each advice once; a run goes on with what an earlier one left whole. */
export const adviceFor = (results: ReadonlyArray<FileResult>): ReadonlyArray<string> => {
  const named = new Set(results.flatMap(({ error }) => error?.advice ?? []))
  // What has to be mended comes before the next run.
  if (named.has("afterMending")) named.delete("again")
  const keeps = results.some(({ action, reason }) => action === "downloaded" || reason === "exists")
  const kept = (name: AdviceName) => (keeps && name !== "mendEntry" ? ": what is there is kept" : "")
  return adviceNames.filter((name) => named.has(name)).map((name) => `${Advice[name]}${kept(name)}`)
}

const adviceNames: ReadonlyArray<AdviceName> = ["again", "afterMending", "mendEntry"]
