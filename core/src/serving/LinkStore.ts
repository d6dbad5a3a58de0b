/**
 * The files of analyses and their links, shared by all readers of a server: one request to the service for all who ask at
 * the same time, and a link is given out until shortly before it ends.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { AnalysisId } from "../contract/Ids.ts"
import { type CatalogEntry, entryOf } from "../download/Catalog.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import { printable } from "../text/Printable.ts"
import { lifetimeOf } from "../transfer/LinkExpiry.ts"
import type { LeasedLink } from "../transfer/LinkLease.ts"
import { listedName } from "./GuessedNames.ts"
import { makeQuestions, type QueueState, type ServiceAway } from "./Questions.ts"
import { Reader } from "./Reader.ts"
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
    readonly state: Effect.Effect<StoreState>
  }
>()("svc-steps/core/serving/LinkStore") {
  /** @param longestWait - of a reader for its turn, while the service answers others */
  static readonly layer = (longestWait: Duration.Input = "5 minutes"): Layer.Layer<LinkStore, never, ServiceAccess> =>
    Layer.effect(
      LinkStore,
      Effect.suspend(() => makeStore(Duration.fromInputUnsafe(longestWait)))
    )
}

/** What a look from outside can tell. */
export interface StoreState {
  readonly queue: QueueState
  /** Links that are given out without a question. */
  readonly linksHeld: number
}

const serviceRequests = Metric.counter("svc_gateway_service_requests_total", {
  description: "Requests to the service for the files and links of an analysis",
  incremental: true
})

const linksRenewed = Metric.counter("svc_gateway_links_renewed_total", {
  description: "Links that a link host refused before their time",
  incremental: true
})

const linksExpired = Metric.counter("svc_gateway_links_expired_total", {
  description: "Links that had come to their time when their analysis was asked for again",
  incremental: true
})

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
/** How long the service is not asked again about an analysis that it does not know, or does not show. */
const unknownFor = Duration.toMillis("1 minute")

/** Most analyses that are remembered; the one asked for longest ago is forgotten first. */
const mostPages = 1000
/** Most unknown analyses that are remembered. */
const mostUnknown = 10_000

/** One answer of the service. */
interface Page {
  /**
   * When the service was asked, in ms since 1970. The age of links counts from here, as an answer may take longer than its links
   * live: counted from the end of the answer, links of 2 s were given out after they had ended, and 35 of 10,000 ranges failed.
   */
  readonly askedAt: number
  /** When its answer was there. */
  readonly fetchedAt: number
  readonly files: ReadonlyArray<ServedFile>
  /** By file name. */
  readonly links: ReadonlyMap<string, StoredLink>
  readonly generation: number
}

const makeStore = Effect.fnUntraced(function* (
  longestWait: Duration.Duration
): Effect.fn.Return<LinkStore["Service"], never, ServiceAccess | Scope.Scope> {
  const access = yield* ServiceAccess
  const pages = new Map<string, Page>()
  const unknown = new Map<string, { readonly error: ServiceError; readonly at: number }>()
  let generation = 0
  for (const counter of [serviceRequests, linksRenewed, linksExpired]) yield* Metric.update(counter, 0)

  const fetchLinks = Effect.fn("svc.serving.fetchLinks")(function* (
    analysisId: string
  ): Effect.fn.Return<Page, AccessLost | ServiceError> {
    const client = yield* access.client
    yield* Metric.update(serviceRequests, 1)
    const askedAt = yield* Clock.currentTimeMillis
    const ended = [...(pages.get(analysisId)?.links.values() ?? [])].filter(({ goodUntil }) => goodUntil <= askedAt)
    yield* Metric.update(linksExpired, ended.length)
    const files = yield* client.getFileDownloadLinks(AnalysisId.make(analysisId)).pipe(
      Effect.tapErrorTag("SvcLoginRefused", access.loginRefused),
      Effect.catchTag("SvcNotFound", () => unknownAnalysis(analysisId)),
      Effect.tapError((error) => (isNo(error) ? rememberNo(analysisId, error) : Effect.void))
    )
    const entry = entryOf({ id: analysisId, named: true }, files, yield* Clock.currentTimeMillis)
    const page = pageOf(entry, askedAt, ++generation)
    remember(pages, mostPages, analysisId, page)
    return page
  })

  const rememberNo = Effect.fnUntraced(function* (analysisId: string, error: ServiceError) {
    remember(unknown, mostUnknown, analysisId, { error, at: yield* Clock.currentTimeMillis })
  })

  const questions = yield* makeQuestions(fetchLinks, longestWait)

  /** The last answer about an analysis while it is `good`; a new one otherwise. */
  const page = Effect.fnUntraced(function* (analysisId: string, good: (page: Page, now: number) => boolean) {
    if (!isId(analysisId) || !(yield* Reader).mayRead(analysisId)) return yield* unknownAnalysis(analysisId)
    const now = yield* Clock.currentTimeMillis
    const known = pages.get(analysisId)
    if (known !== undefined && good(known, now)) return known
    const no = unknown.get(analysisId)
    if (no !== undefined && now >= no.at && now - no.at < unknownFor) return yield* no.error
    return yield* questions.ask(analysisId, known !== undefined)
  })

  const link = Effect.fnUntraced(function* (file: ServedFile, newerThan: number) {
    const { files, links } = yield* page(
      file.analysisId,
      (page, now) => page.generation > newerThan && isGood(page, file.fileName, now)
    )
    const found = files.find(({ fileName }) => fileName === file.fileName)
    if (found?.archived === true) return yield* new FileArchived({ file: found })
    const link = links.get(file.fileName)
    if (found === undefined || link === undefined) return yield* notFound(file)
    return link
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
    renewed: (file, generation) => Effect.andThen(Metric.update(linksRenewed, 1), link(file, generation)),
    forget: (analysisId) => Effect.sync(() => void pages.delete(analysisId)),
    state: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      let linksHeld = 0
      for (const { links } of pages.values()) {
        for (const { goodUntil } of links.values()) if (now < goodUntil) linksHeld++
      }
      return { queue: yield* questions.state, linksHeld }
    })
  }
})

/** Keeps a value as the newest of at most so many. */
const remember = <A>(values: Map<string, A>, most: number, key: string, value: A) => {
  values.delete(key)
  values.set(key, value)
  for (const oldest of values.keys()) {
    if (values.size <= most) break
    values.delete(oldest)
  }
}

/** Whether the service has refused to tell of this analysis, so that asking again soon brings the same. */
const isNo = ({ retryable, scope }: ServiceError): boolean => !retryable && scope === "analysis"

const pageOf = (entry: CatalogEntry, askedAt: number, generation: number): Page => {
  const files = servedFilesOf(entry)
  const links = files.flatMap(({ fileName }): ReadonlyArray<readonly [string, StoredLink]> => {
    const link = entry.links.get(fileName)
    return link === undefined ? [] : [[fileName, { link, generation, goodUntil: askedAt + storageTime(link, askedAt) }]]
  })
  return { askedAt, fetchedAt: entry.fetchedAt, files, links: new Map(links), generation }
}

/** Whether a text can be an analysis id: not empty, without control characters, and without what would change the path of a request. */
const isId = (text: string): boolean => text.length <= 200 && !/^\.*$|[\p{C}/\\?#%]/u.test(text)

/** The same for one that does not exist and for one that the reader may not know of. */
const unknownAnalysis = (analysisId: string) => new NotFound({ what: `analysis ${printable(analysisId)}` })

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
const isGood = ({ askedAt, fetchedAt, files, links }: Page, fileName: string | null, now: number): boolean => {
  // The clock went back.
  if (now < askedAt) return false
  const file = files.find((file) => file.fileName === fileName)
  if (file === undefined) return now - fetchedAt < missingFor
  const link = links.get(file.fileName)
  return link === undefined || file.archived ? now - fetchedAt < archivedFor : now < link.goodUntil
}

const allGood = (page: Page, now: number): boolean =>
  page.files.length === 0 ? isGood(page, null, now) : page.files.every(({ fileName }) => isGood(page, fileName, now))

/** Milliseconds that a link is given out, from when it was asked for. */
const storageTime = (link: Redacted.Redacted, askedAt: number): number => {
  const lifetime = lifetimeOf(Redacted.value(link), askedAt)
  // A link that ended before it was asked for shows that a clock is wrong.
  if (lifetime === null || lifetime <= 0) return untold
  const kept = lifetime - Math.max(reserve.least, Math.min(reserve.most, lifetime * reserve.part))
  return Math.max(0, Math.min(longest, kept))
}
