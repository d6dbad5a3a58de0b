/** The files of analyses and their links, shared by all readers of a server: who may know of which, and in what turn the service is asked. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type * as Redacted from "effect/Redacted"
import type { AnalysisItem } from "../contract/Analyses.ts"
import type { AnalysisFiles } from "../contract/Files.ts"
import { AnalysisId } from "../contract/Ids.ts"
import { type CatalogEntry, entryOf } from "../download/Catalog.ts"
import { NotFound, type ServiceError } from "../Errors.ts"
import { dataOf, indexNamesOf, kindOfName } from "../genome/formats/FileNames.ts"
import { printable } from "../text/Printable.ts"
import { isFinal, type LentLink, makeLinks, refusedFor, sharedAsk } from "../transfer/Links.ts"
import { type QueueState, Reader, type ServiceAway, ServiceQueue } from "./Questions.ts"
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

/** An analysis in a list. */
export interface ServedAnalysis {
  readonly id: string
  readonly sampleId: string | null
  readonly personLimsId: string | null
}

/** The file is in the archive: there is no link, or none that the link host honours. */
export class InArchive extends Data.TaggedError("InArchive")<{
  readonly file: ServedFile
  /** What the link host answers that has it in cold storage, where the service lists it as there; of no other file. */
  readonly answer?: string | undefined
}> {}

export type StoreError = AccessLost | ServiceError | ServiceAway

export class LinkStore extends Context.Service<
  LinkStore,
  {
    /** The analyses that the reader may know of, in the order of the service, as it told them within the last minute. */
    readonly analyses: Effect.Effect<ReadonlyArray<ServedAnalysis>, StoreError>
    /** What the service tells of an analysis besides its files; null where it tells nothing. */
    readonly about: (analysisId: string) => Effect.Effect<ServedAnalysis | null, StoreError>
    /** The files of an analysis, in the order of the service. */
    readonly files: (analysisId: string) => Effect.Effect<ReadonlyArray<ServedFile>, StoreError>
    /** A file by its name, or by one that tools guess for it. */
    readonly file: (analysisId: string, fileName: string) => Effect.Effect<ServedFile, StoreError>
    /** A link, and how the next one is had when the link host refuses it. */
    readonly lend: (file: ServedFile) => Effect.Effect<LentLink<StoreError | InArchive>, StoreError | InArchive>
    /** A link for a reader who follows it alone: one that was asked for a moment ago. */
    readonly handOut: (file: ServedFile) => Effect.Effect<Redacted.Redacted, StoreError | InArchive>
    /** Makes the next question about this analysis a request to the service. */
    readonly forget: (analysisId: string) => Effect.Effect<void>
    /** Takes a list that a reader was given: it is newer than what was known. `askedAt` in ms since 1970. */
    readonly learn: (analysisId: string, files: AnalysisFiles, askedAt: number) => Effect.Effect<void>
    readonly state: Effect.Effect<StoreState>
  }
>()("svc-steps/core/serving/LinkStore") {
  static readonly layer: Layer.Layer<LinkStore, never, ServiceAccess | ServiceQueue> = Layer.effect(
    LinkStore,
    Effect.suspend(() => makeStore())
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
  description: "Links that were asked for again while a file was read, mostly since a link host refused them",
  incremental: true
})

/** A link for somebody who follows it alone, and cannot have it renewed, was asked for no longer ago than this: nearly all its life is left. */
const fresh = "1 minute"
/** How long what is told of analyses is given out. */
const listTime = Duration.minutes(1)
/** Analyses whose answers are kept. */
const mostHeld = 1000

/** An answer of the service, with the files that have a name of their own: of two of one name nobody can say which is meant (L6). */
interface HeldFiles extends CatalogEntry {
  readonly files: ReadonlyArray<ServedFile>
}

const makeStore = Effect.fnUntraced(function* (): Effect.fn.Return<
  LinkStore["Service"],
  never,
  ServiceAccess | ServiceQueue
> {
  const access = yield* ServiceAccess
  for (const counter of [serviceRequests, linksRenewed]) yield* Metric.update(counter, 0)

  const fetchLinks = Effect.fn("svc.serving.fetchLinks")((id: string) =>
    access.ask(
      Effect.fnUntraced(function* ({ client }): Effect.fn.Return<HeldFiles, ServiceError> {
        yield* Metric.update(serviceRequests, 1)
        const askedAt = yield* Clock.currentTimeMillis
        const files = yield* client
          .getFileDownloadLinks(AnalysisId.make(id))
          .pipe(Effect.catchTag("SvcNotFound", () => unknownAnalysis(id)))
        return heldOf(id, files, askedAt)
      })
    )
  )

  const questions = yield* ServiceQueue
  const links = yield* makeLinks({
    ask: fetchLinks,
    noLink: (why, file, known: HeldFiles) => {
      const archived = why === "Archived" ? known.files.find(({ fileName }) => fileName === file.fileName) : undefined
      return archived === undefined ? notFound(file) : new InArchive({ file: archived })
    },
    queue: questions,
    most: mostHeld
  })

  /** Of one analysis by its id, which is never empty; of all by none. */
  const list = yield* sharedAsk(
    (id: string) => {
      const ids = id === "" ? undefined : [AnalysisId.make(id)]
      return access.ask(({ client }) => Effect.map(client.getAnalyses(ids), servedAnalyses))
    },
    { queue: questions, keptFor: listTime }
  )
  /** In ms since 1970: until then the service tells of no single analysis, since it has refused to tell of one. */
  let silentUntil = 0

  /** The files of an analysis; those that are asked `about` as they are now. */
  const filesOf = Effect.fnUntraced(function* (
    analysisId: string,
    about: (files: ReadonlyArray<ServedFile>) => ReadonlyArray<string>
  ) {
    if (!isId(analysisId) || !(yield* Reader).mayRead(analysisId)) return yield* unknownAnalysis(analysisId)
    return (yield* links.answer(analysisId, ({ files }) => about(files))).files
  })

  return {
    analyses: Effect.gen(function* () {
      const { mayRead } = yield* Reader
      const all = yield* list("")
      return all.filter(({ id }) => mayRead(id))
    }),
    about: Effect.fnUntraced(function* (analysisId) {
      const now = yield* Clock.currentTimeMillis
      if (now < silentUntil || !isId(analysisId) || !(yield* Reader).mayRead(analysisId)) return null
      const told = yield* Effect.exit(list(analysisId))
      if (isFinal(told)) silentUntil = now + Duration.toMillis(refusedFor)
      return (yield* told).find(({ id }) => id === analysisId) ?? null
    }),
    // One without files is asked about as a file that is not listed is.
    files: (analysisId) =>
      filesOf(analysisId, (files) => (files.length === 0 ? [""] : files.map(({ fileName }) => fileName))),
    file: Effect.fnUntraced(function* (analysisId, fileName) {
      const files = yield* filesOf(analysisId, (files) => [listedName(fileName, files) ?? fileName])
      const name = listedName(fileName, files)
      const found = files.find((file) => file.fileName === name)
      return found ?? (yield* notFound({ analysisId, fileName }))
    }),
    lend: (file) =>
      Effect.map(links.lend(file), ({ renewLink, ...first }) => ({
        ...first,
        renewLink: Effect.andThen(Metric.update(linksRenewed, 1), renewLink)
      })),
    handOut: (file) => Effect.map(links.lend(file, fresh), ({ link }) => link),
    forget: links.forget,
    learn: (analysisId, files, askedAt) =>
      isId(analysisId) ? links.learn(heldOf(analysisId, files, askedAt)) : Effect.void,
    state: Effect.zipWith(questions.state, links.linksHeld, (queue, linksHeld) => ({ queue, linksHeld }))
  }
})

/** Those that have an address. */
const servedAnalyses = (items: ReadonlyArray<AnalysisItem>): ReadonlyArray<ServedAnalysis> =>
  items.flatMap(({ id, personLimsId = null, sampleId = null }) => (isId(id) ? [{ id, sampleId, personLimsId }] : []))

/** Whether a text can be an analysis id: not empty, without control characters, and without what would change the path of a request. */
const isId = (text: string): boolean => text.length <= 200 && !/^\.*$|[\p{C}/\\?#%]/u.test(text)

/** The same for one that does not exist and for one that the reader may not know of. */
const unknownAnalysis = (analysisId: string) => new NotFound({ what: `analysis ${printable(analysisId)}` })

const notFound = ({ analysisId, fileName }: Pick<ServedFile, "analysisId" | "fileName">) =>
  new NotFound({ what: `${printable(fileName)} of analysis ${printable(analysisId)}` })

const heldOf = (id: string, files: AnalysisFiles, askedAt: number): HeldFiles => {
  const entry = entryOf({ analysisId: AnalysisId.make(id), named: true }, files, askedAt)
  return { ...entry, files: servedFilesOf(entry) }
}

const servedFilesOf = ({ listed: { analysisId, files } }: CatalogEntry): ReadonlyArray<ServedFile> =>
  files.flatMap(({ archived, estimatedRestoreTime, fileName, size }) =>
    fileName === null || files.filter((other) => other.fileName === fileName).length > 1
      ? []
      : [{ analysisId, fileName, size, archived, restoreEstimation: estimatedRestoreTime }]
  )

/**
 * All names of the same file, the one asked for first. Readers of `S1.bam` ask for its index as `S1.bam.csi`, `S1.csi`, `S1.bam.bai` and
 * `S1.bai` in turn, and those of `S1.vcf.gz` as `S1.vcf.gz.csi`, `S1.vcf.csi`, `S1.vcf.gz.tbi` and `S1.vcf.tbi`.
 */
const namesOf = (name: string): ReadonlyArray<string> => {
  const index = kindOfName(name)?.index
  const others = indexNamesOf(dataOf(name))
  return [name, ...others.filter((other) => other !== name && kindOfName(other)?.index === index)]
}

/** The name under which the file is listed, null when it is not. */
export const listedName = (asked: string, files: ReadonlyArray<{ readonly fileName: string }>): string | null =>
  namesOf(asked).find((name) => files.some(({ fileName }) => fileName === name)) ?? null
