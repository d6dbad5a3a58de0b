/**
 * The files of analyses and their links, shared by all readers of a server: one request to the service for all who ask at
 * the same time, and a link is given out until shortly before it ends.
 */
import { Clock, Context, Data, Deferred, Duration, Effect, Layer, Metric, Redacted, type Scope } from "effect"
import { AnalysisId } from "../contract/Ids.ts"
import { type CatalogEntry, entryOf } from "../download/Catalog.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { lifetimeOf } from "../transfer/LinkExpiry.ts"
import type { LeasedLink } from "../transfer/LinkLease.ts"
import { listedName } from "./GuessedNames.ts"
import { type AccessLost, ServiceAccess } from "./ServiceAccess.ts"

/** A file as the service lists it. */
export interface ServedFile {
  readonly analysisId: string
  readonly fileName: string
  /** Bytes. */
  readonly size: number | null
  readonly archived: boolean
  /** When a restoration is expected to end, as the service wrote it. */
  readonly restoreEstimation: string | null
}

/** The service has not answered in time; it goes on being asked, so whoever comes back later may find the answer. */
export class ServiceAway extends Data.TaggedError("ServiceAway")<{ readonly reason: string }> {}

/** The file is in the archive: there is no link. */
export class FileArchived extends Data.TaggedError("FileArchived")<{ readonly file: ServedFile }> {}

/** A link of the store. */
export interface StoredLink extends LeasedLink {
  /**
   * Until then (ms since 1970) it is given out, and cannot have ended: a link that was refused later may have ended on its way to
   * the link host, one that was refused before is refused for another reason.
   */
  readonly goodUntil: number
}

export type StoreError = AccessLost | ServiceError | ServiceAway

export class LinkStore extends Context.Service<
  LinkStore,
  {
    /** The files of an analysis, in the order of the service. */
    readonly files: (analysisId: string) => Effect.Effect<ReadonlyArray<ServedFile>, StoreError>
    /** A file by its name, or by one that tools guess for it. */
    readonly file: (analysisId: string, fileName: string) => Effect.Effect<ServedFile, StoreError>
    /** A link that is good for a while. */
    readonly link: (file: ServedFile) => Effect.Effect<StoredLink, StoreError | FileArchived>
    /** The same after the link host refused the link of `generation`; asks unless that link is not the newest. */
    readonly renewed: (file: ServedFile, generation: number) => Effect.Effect<StoredLink, StoreError | FileArchived>
    /** Makes the next question about this analysis a request to the service. */
    readonly forget: (analysisId: string) => Effect.Effect<void>
  }
>()("svc-steps/core/serving/LinkStore") {
  static readonly layer: Layer.Layer<LinkStore, never, ServiceAccess> = Layer.effect(
    LinkStore,
    Effect.suspend(() => makeStore())
  )
}

const serviceRequests = Metric.counter("svc_gateway_service_requests_total", {
  description: "Requests to the service for the files and links of an analysis",
  incremental: true
})

const linkRenewals = Metric.counter("svc_gateway_link_renewals_total", {
  description: "Links that a link host refused before their time",
  incremental: true
})

/** The longest time that a reader waits for the service. */
const patience = Duration.seconds(8)

/** Links are kept no longer than this, so that a clock that is wrong does no harm for long. */
const longest = Duration.toMillis("10 minutes")
/** How long links are kept that do not say when they end, in ms. */
const untold = Duration.toMillis("1 minute")
/**
 * A link is given out only while this much of its life is left: 30 s, or three quarters of a shorter life, and at least a second.
 * Signers count in whole seconds, so that a link made at the end of a second lives almost a second less than it says.
 */
const reserve = { most: Duration.toMillis("30 seconds"), part: 0.75, least: Duration.toMillis("1 second") }
/** An archived file may be back at any time, so what is known of it is kept only for readers that ask at the same time. */
const archivedFor = Duration.toMillis("5 seconds")
/** Tools look for indexes under names that are not listed, each time they open a file. */
const missingFor = Duration.toMillis("30 seconds")

/** Most analyses that are remembered; the one asked for longest ago is forgotten first. */
const mostPages = 1000

/** One answer of the service. */
interface Page {
  /**
   * When the service was asked, in ms since 1970. The age of links counts from here, as an answer may take longer than its links
   * live: counted from the end of the answer, links of 2 s were given out after they had ended, and 35 of 10,000 ranges failed.
   */
  readonly askedAt: number
  readonly entry: CatalogEntry
  readonly files: ReadonlyArray<ServedFile>
  readonly generation: number
}

const makeStore = Effect.fnUntraced(function* (): Effect.fn.Return<
  LinkStore["Service"],
  never,
  ServiceAccess | Scope.Scope
> {
  const access = yield* ServiceAccess
  const scope = yield* Effect.scope
  const pages = new Map<string, Page>()
  const asking = new Map<string, Deferred.Deferred<Page, StoreError>>()
  let generation = 0

  const fetchLinks = Effect.fn("svc.serving.fetchLinks")(function* (
    analysisId: string
  ): Effect.fn.Return<Page, StoreError> {
    if (!isId(analysisId)) return yield* new NotFound({ what: `analysis ${printable(analysisId)}` })
    const client = yield* access.client
    yield* Metric.update(serviceRequests, 1)
    const askedAt = yield* Clock.currentTimeMillis
    const files = yield* client
      .getFileDownloadLinks(AnalysisId.make(analysisId))
      .pipe(Effect.tapErrorTag("LoginRefused", access.loginRefused))
    const entry = entryOf({ id: analysisId, named: true }, files, yield* Clock.currentTimeMillis)
    generation++
    const page = { askedAt, entry, files: servedFilesOf(entry), generation }
    pages.delete(analysisId)
    pages.set(analysisId, page)
    for (const oldest of pages.keys()) {
      if (pages.size <= mostPages) break
      pages.delete(oldest)
    }
    return page
  })

  /** The answer that is under way, or a new one; it arrives even when nobody waits for it any more. */
  const ask = (analysisId: string): Effect.Effect<Page, StoreError> =>
    Effect.suspend(() => {
      const known = asking.get(analysisId)
      if (known !== undefined) return Deferred.await(known)
      const answer = Deferred.makeUnsafe<Page, StoreError>()
      asking.set(analysisId, answer)
      return fetchLinks(analysisId).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            asking.delete(analysisId)
            Deferred.doneUnsafe(answer, exit)
          })
        ),
        Effect.forkIn(scope),
        Effect.uninterruptible,
        Effect.andThen(Deferred.await(answer))
      )
    }).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => new ServiceAway({ reason: "the service has not answered yet" })
      })
    )

  /** The last answer about an analysis while it is `good`; a new one otherwise. */
  const page = Effect.fnUntraced(function* (analysisId: string, good: (page: Page, now: number) => boolean) {
    const known = pages.get(analysisId)
    return known !== undefined && good(known, yield* Clock.currentTimeMillis) ? known : yield* ask(analysisId)
  })

  const link = Effect.fnUntraced(function* (file: ServedFile, newerThan: number) {
    const { askedAt, entry, files, generation } = yield* page(
      file.analysisId,
      (page, now) => page.generation > newerThan && isGood(page, file.fileName, now)
    )
    const found = files.find(({ fileName }) => fileName === file.fileName)
    if (found?.archived === true) return yield* new FileArchived({ file: found })
    const link = entry.links.get(file.fileName)
    if (found === undefined || link === undefined) return yield* notFound(file)
    return { link, generation, goodUntil: askedAt + storageTime(link, askedAt) }
  })

  return {
    files: (analysisId) => Effect.map(page(analysisId, allGood), ({ files }) => files),
    file: Effect.fnUntraced(function* (analysisId, fileName) {
      const { files } = yield* page(analysisId, (page, now) => {
        return isGood(page, listedName(fileName, page.files), now)
      })
      const name = listedName(fileName, files)
      const found = files.find((file) => file.fileName === name)
      return found ?? (yield* notFound({ analysisId, fileName }))
    }),
    link: (file) => link(file, 0),
    renewed: (file, generation) => Effect.andThen(Metric.update(linkRenewals, 1), link(file, generation)),
    forget: (analysisId) => Effect.sync(() => void pages.delete(analysisId))
  }
})

/** Whether a text can be an analysis id: not empty, without control characters, and without what would change the path of a request. */
const isId = (text: string): boolean => text.length <= 200 && !/^\.*$|[\p{C}/\\?#%]/u.test(text)

const notFound = ({ analysisId, fileName }: Pick<ServedFile, "analysisId" | "fileName">) =>
  new NotFound({ what: `${printable(fileName)} of analysis ${printable(analysisId)}` })

/** The files of an analysis that have a name of their own; files that share a name are left out, as a request could mean either. */
const servedFilesOf = ({ listed: { files, id } }: CatalogEntry): ReadonlyArray<ServedFile> =>
  files.flatMap(({ archived, estimatedRestoreTime, fileName, size }) =>
    fileName === null || files.filter((other) => other.fileName === fileName).length > 1
      ? []
      : [{ analysisId: id, fileName, size, archived, restoreEstimation: estimatedRestoreTime }]
  )

/** Whether what the page says of the file may still be given out. */
const isGood = ({ askedAt, entry, files }: Page, fileName: string | null, now: number): boolean => {
  // The clock went back.
  if (now < askedAt) return false
  const file = files.find((file) => file.fileName === fileName)
  if (file === undefined) return now - entry.fetchedAt < missingFor
  const link = entry.links.get(file.fileName)
  return link === undefined || file.archived
    ? now - entry.fetchedAt < archivedFor
    : now - askedAt < storageTime(link, askedAt)
}

const allGood = (page: Page, now: number): boolean =>
  page.files.length > 0 && page.files.every(({ fileName }) => isGood(page, fileName, now))

/** Milliseconds that a link is given out, from when it was asked for. */
const storageTime = (link: Redacted.Redacted, askedAt: number): number => {
  const lifetime = lifetimeOf(Redacted.value(link), askedAt)
  // A link that ended before it was asked for shows that a clock is wrong.
  if (lifetime === null || lifetime <= 0) return untold
  const kept = lifetime - Math.max(reserve.least, Math.min(reserve.most, lifetime * reserve.part))
  return Math.max(0, Math.min(longest, kept))
}
