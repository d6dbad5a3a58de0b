/** Where the stored requests stand, for `--list` together with `--resumeArchivedDownloads` (docs/service.md 4.2). */

import { failureJson } from "../selection/Report.ts"
import { printable, printableJson } from "../text/Printable.ts"
import type { Look, Standing } from "./Resume.ts"

/** As text for people, or as one JSON document of schema `svc.restorations/1`; null stands for an empty file. */
export const standingsText = (look: Look | null, format: "text" | "json"): string => {
  const { standings, unusable } = look ?? { standings: [], unusable: [] }
  if (format === "json") {
    const failures = unusable.map((error) => failureJson({ analysisId: null, fileName: null, error }))
    return printableJson({ schema: "svc.restorations/1", restorations: standings.map(standingJson), failures })
  }
  const groups = Map.groupBy(standings, ({ entry }) => entry.analysisId)
  const lines = [...groups].flatMap(([id, group]) => [`Analysis ID: ${printable(id)}`, ...group.map(lineOf)])
  const broken = unusable.map(({ message }) => printable(message))
  return lines.length + broken.length === 0 ? "No restorations" : [...lines, ...broken].join("\n")
}

const lineOf = ({ entry, state }: Standing): string => {
  const name = `  ${printable(entry.fileName)}`
  switch (state._tag) {
    case "Done":
      return `${name}  [DOWNLOADED]`
    case "Available":
      return `${name}  [AVAILABLE]`
    case "Pending": {
      const expected = state.estimate === null ? "" : `  expected at ${printable(state.estimate)}`
      return `${name}  [ARCHIVED]${expected}`
    }
    case "Failed":
      return `${name}  [FAILED]  ${printable(state.error.message)}`
  }
}

const standingJson = ({ entry, results, state }: Standing) => ({
  analysisId: entry.analysisId,
  fileName: entry.fileName,
  path: results[0]?.path ?? null,
  status: state._tag.toLowerCase(),
  estimatedRestoreTime: state._tag === "Pending" ? state.estimate : null,
  error: state._tag === "Failed" ? { tag: state.error._tag, message: state.error.message } : null
})
