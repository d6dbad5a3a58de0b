/** The last lines of a download: what was done, and what to do next. */
import { Advice, type AdviceName } from "../Errors.ts"
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
  const differing = results.filter(({ reason }) => reason === "differs").length
  const why = reasons.length === 0 ? "" : ` (${reasons.map((reason) => `${because(reason)} ${reason}`).join(", ")})`
  const differs = differing === 0 ? "" : ` (${differing} differs)`
  const size = downloaded === 0 ? "" : ` (${humanSize(bytes)})`
  const bad = failed > 0
  const total = { text: `${downloaded} downloaded${size}, ${skipped} skipped${why}, ${failed} failed${differs}`, bad }
  return [total, ...adviceFor(results).map((text) => ({ text, bad }))]
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
