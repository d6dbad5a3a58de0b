/**
 * The links of a run, each fresh when it is used: with hundreds of analyses the first answers are hours old when their
 * files get their turn, so an analysis is asked again just before its files start.
 */
import { Clock, Duration, Effect, Redacted, Semaphore } from "effect"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { type LinkExpired, NotFound, ReplyMalformed, type ServiceError } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { isExpired } from "../transfer/LinkExpiry.ts"
import type { FreshLink } from "../transfer/TransferRequest.ts"
import { type CatalogEntry, entryOf } from "./Catalog.ts"

/** Links that do not tell their end are taken as good for this long. */
const trusted = Duration.toMillis("10 minutes")

export interface LinkBook {
  /** The link of a file that is about to start: the one known, or a new one when it is old or was given out before. */
  readonly current: (analysisId: string, fileName: string) => Effect.Effect<FreshLink, ServiceError | LinkExpired>
  /** A new link; always asks, as the answer that another file got may be old again. Null without a session. */
  readonly renew: ((analysisId: string, fileName: string) => Effect.Effect<FreshLink, ServiceError>) | null
}

/** The links of a run that has a session. */
export interface RenewableLinks extends LinkBook {
  readonly renew: NonNullable<LinkBook["renew"]>
}

/** The last answer for an analysis. */
interface Page {
  entry: CatalogEntry
  /** Made when the first of its files starts: most of thousands of analyses have not started, or are done. */
  gate: Semaphore.Semaphore | null
}

/** A book of the answers in `entries`; asks for newer ones through `ServiceClient`. */
export const makeLinkBook = Effect.fnUntraced(function* (
  entries: ReadonlyArray<CatalogEntry>
): Effect.fn.Return<RenewableLinks, never, ServiceClient> {
  const client = yield* ServiceClient
  const pages = new Map<string, Page>(entries.map((entry) => [entry.listed.id, { entry, gate: null }]))

  const link = Effect.fnUntraced(function* (analysisId: string, fileName: string, renew: boolean) {
    const page = pages.get(analysisId)
    if (page === undefined) return yield* new NotFound({ what: `analysis ${printable(analysisId)}` })
    page.gate ??= Semaphore.makeUnsafe(1)
    return yield* page.gate.withPermit(
      Effect.gen(function* () {
        if (renew || !isFresh(page.entry, fileName, yield* Clock.currentTimeMillis)) {
          const files = yield* client.getFileDownloadLinks(AnalysisId.make(analysisId))
          page.entry = entryOf(page.entry.listed, files, yield* Clock.currentTimeMillis)
        }
        const found = yield* linkIn(page.entry, fileName)
        page.entry = without(page.entry, fileName)
        return found
      })
    )
  })

  return {
    current: (analysisId, fileName) => link(analysisId, fileName, false),
    renew: (analysisId, fileName) => link(analysisId, fileName, true)
  }
})

const none: CatalogEntry["links"] = new Map()

/** A link is given out once, and not kept after that: ten thousand of them are 5 MB. Who needs another gets a new one. */
const without = ({ fetchedAt, links, listed }: CatalogEntry, fileName: string): CatalogEntry => ({
  listed: { ...listed, files: listed.files.filter((file) => file.fileName !== fileName) },
  links: links.size === 1 ? none : new Map([...links].filter(([name]) => name !== fileName)),
  fetchedAt
})

const isFresh = ({ links, fetchedAt }: CatalogEntry, fileName: string, now: number): boolean => {
  const link = links.get(fileName)
  return link !== undefined && now - fetchedAt < trusted && !isExpired(Redacted.value(link), now)
}

/** The link of exactly one file; anything else than one such file is an error of its own (fault L6). */
const linkIn = Effect.fnUntraced(function* (
  { listed, links }: CatalogEntry,
  fileName: string
): Effect.fn.Return<FreshLink, NotFound | ReplyMalformed> {
  const what = `download link of ${printable(fileName)} (analysis ${printable(listed.id)})`
  const [file, ...others] = listed.files.filter((file) => file.fileName === fileName)
  if (file === undefined) return yield* new NotFound({ what, detail: "the service does not list the file any more" })
  if (others.length > 0)
    return yield* new ReplyMalformed({ request: what, reason: "two files of this name are listed" })
  const link = links.get(fileName)
  if (file.archived) return yield* new NotFound({ what, detail: "the file has been archived meanwhile" })
  if (link === undefined) return yield* new NotFound({ what })
  return { link, size: file.size }
})
