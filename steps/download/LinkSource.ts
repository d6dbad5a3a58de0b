/** Where a run learns its files and their links from: the service, through a session, or a links file, without one. */
import { Effect } from "effect"
import type { RestoreResult } from "../../core/src/archive/Requests.ts"
import type { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import type { CatalogEntry } from "../../core/src/download/Catalog.ts"
import type { PlannedFile } from "../../core/src/download/DownloadPlan.ts"
import { type LinkBook, makeLinkBook } from "../../core/src/download/LinkBook.ts"
import type { LinkManifest } from "../../core/src/download/LinkManifest.ts"
import { manifestBook, manifestCatalog } from "../../core/src/download/ManifestCatalog.ts"
import type { ServiceError, UsageError } from "../../core/src/Errors.ts"
import { pathOf } from "../../core/src/selection/Place.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { printable } from "../../core/src/text/Printable.ts"
import { type Gathered, gather } from "./Gather.ts"
import { archivedOf, restored } from "./Restorations.ts"
import type { DownloadSettings } from "./Wish.ts"

export interface LinkSource<E, R> {
  /** The selected analyses; each failure has been said. `seen` is told of every analysis as soon as it is known. */
  readonly gather: <E2, R2>(
    seen: (entry: CatalogEntry) => Effect.Effect<void, E2, R2>
  ) => Effect.Effect<Gathered, E | E2, R | R2>
  /** The links of what was gathered. */
  readonly book: (entries: ReadonlyArray<CatalogEntry>) => Effect.Effect<LinkBook, never, R>
  /** What becomes of the archived files of a plan; each decision has been said. */
  readonly restore: (files: ReadonlyArray<PlannedFile>) => Effect.Effect<ReadonlyMap<PlannedFile, RestoreResult>, E, R>
}

/** What the session and the restoration of archived files can fail with, and what they need. */
type Restoring = ReturnType<typeof restored>
type ServiceSource = LinkSource<
  ServiceError | UsageError | Effect.Error<Restoring>,
  ServiceClient | Effect.Services<Restoring>
>

export const serviceSource = (settings: Settings): ServiceSource => ({
  gather: (seen) => gather(settings, seen),
  book: makeLinkBook,
  restore: (files) => restored(files, settings, settings.restoreArchived)
})

/** Nothing is asked of the service: what is archived is left. */
export const manifestSource = (manifest: LinkManifest, settings: DownloadSettings): LinkSource<never, never> => ({
  gather: Effect.fnUntraced(function* (seen) {
    const gathered = manifestCatalog(manifest, settings)
    for (const { error } of gathered.failures) yield* Effect.logError(error.message)
    yield* Effect.forEach(gathered.entries, seen, { discard: true })
    return gathered
  }),
  book: () => Effect.succeed(manifestBook(manifest)),
  restore: Effect.fnUntraced(function* (files) {
    for (const file of archivedOf(files)) {
      const where = printable(`${pathOf(file)} (analysis ${file.analysisId})`)
      yield* Effect.logInfo(`${where}: archived, skipped: a links file restores nothing, see svc-request-restore`)
    }
    return new Map()
  })
})
