/** A links file in place of the service: its analyses with their files, and its links as they are. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { LinkExpired, NotFound } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import type { CatalogEntry } from "./Catalog.ts"
import type { PlanFailure } from "./DownloadPlan.ts"
import type { LinkBook } from "./LinkBook.ts"
import type { LinkEntry, LinkManifest } from "./LinkManifest.ts"

/**
 * The chosen analyses in the order asked for, else in that of the file; one that it does not have fails, the rest goes on.
 * A type that it has no link of is missing as one that the service does not list is: the plan judges it.
 *
 * @param analysisIds - empty for all
 */
export const manifestCatalog = (
  { entries }: LinkManifest,
  analysisIds: ReadonlyArray<string>
): { readonly entries: ReadonlyArray<CatalogEntry>; readonly failures: ReadonlyArray<PlanFailure> } => {
  const byAnalysis = Map.groupBy(entries, ({ analysisId }) => analysisId)
  const named = analysisIds.length > 0
  const ids = named ? [...new Set(analysisIds)] : [...byAnalysis.keys()]
  const failures: Array<PlanFailure> = []
  const found = ids.flatMap((id) => {
    const files = byAnalysis.get(id)
    if (files !== undefined) return [entryOfLinks(id, named, files)]
    const error = new NotFound({ what: `analysis ${printable(id)}`, detail: "the links file does not have it" })
    failures.push({ analysisId: id, error })
    return []
  })
  return { entries: found, failures }
}

const entryOfLinks = (id: string, named: boolean, files: ReadonlyArray<LinkEntry>): CatalogEntry => ({
  listed: {
    id,
    named,
    sampleId: null,
    limsId: null,
    files: files.map(({ archived, estimatedRestoreTime, fileName, link, size }) => ({
      fileName,
      size,
      archived,
      estimatedRestoreTime,
      hasLink: link !== null
    }))
  },
  links: { get: (name) => files.find(({ fileName }) => fileName === name)?.link ?? undefined },
  fetchedAt: 0
})

/** The links of the file, each as long as it says it lasts; none can be renewed. */
export const manifestBook = ({ entries }: LinkManifest): LinkBook => {
  const byAnalysis = Map.groupBy(entries, ({ analysisId }) => analysisId)
  return {
    current: Effect.fnUntraced(function* (analysisId, fileName) {
      const what = `link of ${printable(fileName)} (analysis ${printable(analysisId)})`
      const [entry, ...others] = byAnalysis.get(analysisId)?.filter((file) => file.fileName === fileName) ?? []
      // Nobody can say which of them is meant.
      if (others.length > 0) return yield* new NotFound({ what, detail: "the links file has two files of this name" })
      const { expiresAt = null, link = null, size = null } = entry ?? {}
      if (link === null) return yield* new NotFound({ what })
      if (expiresAt !== null && expiresAt.getTime() <= (yield* Clock.currentTimeMillis)) {
        return yield* new LinkExpired({ file: printable(fileName), reason: `it ended at ${expiresAt.toISOString()}` })
      }
      return { link, size }
    }),
    renew: null
  }
}
