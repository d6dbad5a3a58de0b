/**
 * The links of a run, each fresh when it is used: with hundreds of analyses the first answers are hours old when their
 * files get their turn, so an analysis is asked again just before its files start.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { ServiceClient } from "../client/ServiceClient.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { type LinkExpired, NotFound, ReplyMalformed, type ServiceError } from "../Errors.ts"
import type { ListedFile } from "../selection/ListedFiles.ts"
import { printable } from "../text/Printable.ts"
import { isExpired } from "../transfer/LinkExpiry.ts"
import type { FreshLink } from "../transfer/TransferRequest.ts"
import { type CatalogEntry, entryOf } from "./Catalog.ts"
import type { PlannedFile } from "./DownloadPlan.ts"

/** How long a link is used that does not state its end, in ms. */
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
  /** How many analyses have a link that was not given out yet. */
  readonly analysesLeft: () => number
}

/** What the last answer said of a file. */
interface ListedLink {
  readonly fileName: string | null
  readonly size: number | null
  readonly archived: boolean
  readonly link: Redacted.Redacted | null
}

/** An analysis of which a link is left to give out; of ten thousand files nothing else is kept. */
interface Page {
  files: ReadonlyArray<ListedLink>
  /** Milliseconds since 1970. */
  fetchedAt: number
  /** Made when the first of its files starts: most of thousands of analyses have not started, or are done. */
  gate: Semaphore.Semaphore | null
}

/**
 * A book of the answers in `entries`; asks for newer ones through `ServiceClient`.
 *
 * @param files - the files that will be fetched: no other links are kept; absent for all
 */
export const makeLinkBook = Effect.fnUntraced(function* (
  entries: ReadonlyArray<CatalogEntry>,
  files?: ReadonlyArray<PlannedFile>
): Effect.fn.Return<RenewableLinks, never, ServiceClient> {
  const client = yield* ServiceClient
  const pages = files === undefined ? allPages(entries) : pagesFor(files, entries)

  const link = Effect.fnUntraced(function* (analysisId: string, fileName: string, renew: boolean) {
    const page = pages.get(analysisId) ?? { files: [], fetchedAt: 0, gate: null }
    pages.set(analysisId, page)
    page.gate ??= Semaphore.makeUnsafe(1)
    return yield* page.gate.withPermit(
      Effect.gen(function* () {
        if (renew || !isFresh(page, fileName, yield* Clock.currentTimeMillis)) {
          const answer = yield* client.getFileDownloadLinks(AnalysisId.make(analysisId))
          const entry = entryOf({ id: analysisId, named: true }, answer, yield* Clock.currentTimeMillis)
          Object.assign(page, { ...pageOf(entry), gate: page.gate })
        }
        const found = yield* linkIn(page, analysisId, fileName)
        // Given out once, and not kept after that. Who needs another gets a new one.
        page.files = page.files.filter((file) => file.fileName !== fileName)
        return found
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            if (page.files.every(({ link }) => link === null)) pages.delete(analysisId)
          })
        )
      )
    )
  })

  return {
    current: (analysisId, fileName) => link(analysisId, fileName, false),
    renew: (analysisId, fileName) => link(analysisId, fileName, true),
    analysesLeft: () => pages.size
  }
})

const allPages = (entries: ReadonlyArray<CatalogEntry>): Map<string, Page> =>
  new Map(entries.map((entry) => [entry.listed.id, pageOf(entry)]))

/** What the answers say of `files`, and of the indexes that their slices need. */
const pagesFor = (files: ReadonlyArray<PlannedFile>, entries: ReadonlyArray<CatalogEntry>): Map<string, Page> => {
  const answers = new Map(entries.map((entry) => [entry.listed.id, entry]))
  const pages = new Map<string, Page>()
  for (const { analysisId, fileName, slice } of files) {
    const answer = answers.get(analysisId)
    if (answer === undefined) continue
    const page = pages.get(analysisId) ?? { files: [], fetchedAt: answer.fetchedAt, gate: null }
    const index = slice?.indexFile ?? fileName
    // An index may serve two data files, and counts once.
    const isNew = (file: ListedFile) => !page.files.some((known) => known.fileName === file.fileName)
    const listed = answer.listed.files.filter((file) => file.fileName === fileName || file.fileName === index)
    page.files = page.files.concat(listed.filter(isNew).map((file) => listedLink(file, answer)))
    pages.set(analysisId, page)
  }
  return pages
}

const pageOf = (answer: CatalogEntry): Page => ({
  files: answer.listed.files.map((file) => listedLink(file, answer)),
  fetchedAt: answer.fetchedAt,
  gate: null
})

const listedLink = ({ archived, fileName, size }: ListedFile, { links }: CatalogEntry): ListedLink => ({
  fileName,
  size,
  archived,
  link: (fileName === null ? null : links.get(fileName)) ?? null
})

const isFresh = ({ fetchedAt, files }: Page, fileName: string, now: number): boolean => {
  const link = files.find((file) => file.fileName === fileName)?.link ?? null
  return link !== null && now - fetchedAt < trusted && !isExpired(Redacted.value(link), now)
}

/** The link of exactly one file; anything else than one such file is an error of its own (fault L6). */
const linkIn = Effect.fnUntraced(function* (
  { files }: Page,
  analysisId: string,
  fileName: string
): Effect.fn.Return<FreshLink, NotFound | ReplyMalformed> {
  const what = `download link of ${printable(fileName)} (analysis ${printable(analysisId)})`
  const [file, ...others] = files.filter((file) => file.fileName === fileName)
  if (file === undefined) return yield* new NotFound({ what, detail: "the service does not list the file any more" })
  if (others.length > 0)
    return yield* new ReplyMalformed({ request: what, reason: "two files of this name are listed" })
  const { archived, link, size } = file
  if (archived) return yield* new NotFound({ what, detail: "the file has been archived meanwhile" })
  if (link === null) return yield* new NotFound({ what })
  return { link, size }
})
