/** Where the stored requests stand, for `--list` together with `--resumeArchivedDownloads` (docs/dev/service.md 4.2). */

import type { TrackingEntry } from "../archive/TrackingEntry.ts"
import type { Look, RestorationStatus } from "../download/RestorationStatus.ts"
import { codeOf } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { failureJson } from "./Report.ts"

/** The document of schema `svc.restorations/1`. */
export const restorationsJson = ({ others, statuses, unusable }: Look) => {
  const failures = unusable.map((error) => failureJson({ analysisId: null, fileName: null, error }))
  const restorations = statuses.map(restorationJson)
  return { schema: "svc.restorations/1", restorations, others: others.map(otherJson), failures }
}

/**
 * The same as text for people.
 *
 * @param prose - what the messages of errors, and estimates as the service wrote them, go through
 */
export const restorationsText = ({ others, statuses, unusable }: Look, prose: (text: string) => string): string => {
  const cleanText = (text: string) => printable(prose(text))
  const groups = Map.groupBy(statuses, ({ entry }) => entry.analysisId)
  const lines = [...groups].flatMap(([id, group]) => [
    `Analysis ID: ${printable(id)}`,
    ...group.map((it) => lineOf(it, cleanText))
  ])
  const elsewhere = [...Map.groupBy(others, ({ target }) => target)].flatMap(([target, group]) => [
    `Of another target, not looked at: ${printable(String(target))}`,
    ...group.map(({ analysisId, fileName }) => `  ${printable(`${fileName} (analysis ${analysisId})`)}`)
  ])
  const broken = unusable.map(({ message }) => cleanText(message))
  const own = lines.length + broken.length === 0 ? ["No restorations"] : lines
  return [...own, ...elsewhere, ...broken].join("\n")
}

const lineOf = ({ entry, state }: RestorationStatus, said: (text: string) => string): string => {
  const name = `  ${printable(entry.fileName)}`
  switch (state._tag) {
    case "Done":
      return `${name}  [DOWNLOADED]`
    case "Available":
      return `${name}  [AVAILABLE]`
    case "Requested": {
      const expected = state.estimate === null ? "" : `, expected at ${said(state.estimate)}`
      return `${name}  [ARCHIVED]  requested${state.underWay ? expected : ", but no restoration is under way"}`
    }
    case "NotRequested":
      return `${name}  [ARCHIVED]  not requested: no restoration is under way`
    case "Failed":
      return `${name}  [FAILED]  ${said(state.error.message)}`
  }
}

const statuses = {
  Done: "available",
  Available: "available",
  Requested: "requested",
  NotRequested: "notRequested",
  Failed: "failed"
} as const satisfies Record<RestorationStatus["state"]["_tag"], string>

const restorationJson = ({ entry, results, state }: RestorationStatus) => ({
  analysisId: entry.analysisId,
  fileName: entry.fileName,
  path: results[0]?.path ?? null,
  status: statuses[state._tag],
  estimatedRestoreTime: state._tag === "Requested" ? state.estimate : null,
  error: state._tag === "Failed" ? { tag: codeOf(state.error), message: state.error.message } : null
})

const otherJson = ({ analysisId, fileName, target }: TrackingEntry) => ({ analysisId, fileName, target })
