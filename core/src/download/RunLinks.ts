/**
 * The links of a run. With hundreds of analyses the first answers are hours old when their files get their turn, so a file is lent
 * its link just before it starts, and its analysis is asked again where that is old.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { InArchive, NotFound, ReplyMalformed, type ServiceError } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { makeLinks } from "../transfer/Links.ts"
import type { SliceSourceFile } from "../transfer/SliceRequest.ts"
import { type CatalogEntry, entryOf } from "./Catalog.ts"
import type { PlannedFile } from "./DownloadPlan.ts"

export interface RunLinks {
  /** The link of a file that is about to start, and how it gets the next one. */
  readonly lend: (file: {
    readonly analysisId: string
    readonly fileName: string
  }) => Effect.Effect<Omit<SliceSourceFile, "analysisId" | "fileName">, ServiceError | InArchive>
}

/**
 * The links in `entries`; asks for newer ones through `ServiceClient`.
 *
 * @param files - the files that will be fetched: no other links are kept; absent for all
 */
export const runLinks = Effect.fnUntraced(function* (
  entries: ReadonlyArray<CatalogEntry>,
  files?: ReadonlyArray<PlannedFile>
): Effect.fn.Return<RunLinks, never, ServiceClient> {
  const client = yield* ServiceClient
  return yield* makeLinks({
    ask: Effect.fnUntraced(function* (id: string) {
      const askedAt = yield* Clock.currentTimeMillis
      const analysisId = AnalysisId.make(id)
      return entryOf({ analysisId, named: true }, yield* client.getFileDownloadLinks(analysisId), askedAt)
    }),
    known: files === undefined ? entries : entriesFor(files, entries),
    noLink: (why, file, { listed }) => {
      if (why === "Archived") {
        const cold = listed.files.find(({ fileName }) => fileName === file.fileName)
        return InArchive.of(
          { analysisId: listed.analysisId, fileName: file.fileName },
          cold?.estimatedRestoreTime ?? null
        )
      }
      const what = `download link of ${printable(file.fileName)} (analysis ${printable(file.analysisId)})`
      if (why === "Several") return new ReplyMalformed({ request: what, reason: "two files of this name are listed" })
      const detail = why === "Missing" ? { detail: "the service does not list the file any more" } : {}
      return new NotFound({ what, ...detail })
    },
    once: true
  })
})

/** What the answers say of `files`, and of the indexes that their slices need. */
const entriesFor = (
  files: ReadonlyArray<PlannedFile>,
  entries: ReadonlyArray<CatalogEntry>
): ReadonlyArray<CatalogEntry> => {
  const wanted = Map.groupBy(files, ({ analysisId }) => analysisId)
  return entries.flatMap(({ links, listed, ...entry }) => {
    const planned = wanted.get(listed.analysisId) ?? []
    const names = new Set(planned.flatMap(({ fileName, slice }) => [fileName, slice?.indexFile ?? fileName]))
    const kept = [...links].filter(([name]) => names.has(name))
    const listedFiles = listed.files.filter(({ fileName }) => fileName !== null && names.has(fileName))
    return names.size === 0 ? [] : [{ ...entry, listed: { ...listed, files: listedFiles }, links: new Map(kept) }]
  })
}
