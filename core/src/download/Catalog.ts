/**
 * The selected analyses and their files, asked for one analysis after the other (one API request in flight).
 *
 * A failing analysis becomes an item like the others, so that it stops nothing; only when the service as a whole cannot
 * be used are the remaining ones given up without asking.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Outage from "../client/Outage.ts"
import { ServiceClient } from "../client/ServiceClient.ts"
import type { AnalysisFiles } from "../contract/Files.ts"
import type { ServiceError } from "../Errors.ts"
import { type FileType, fileTypeOf, fileTypes } from "../selection/FileName.ts"
import {
  byIds,
  type ChosenAnalysis,
  idsToAsk,
  needsRecords,
  type SelectedAnalysis,
  type Selection,
  type SelectionRequest,
  select
} from "../selection/Selection.ts"
import { type ListedAnalysis, type ListedFile, listedOf } from "../selection/WantedFiles.ts"
import { printable } from "../text/Printable.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
import { judge, probedBytes, type RangeAsked } from "../transfer/RangeReply.ts"
import { withBeginning } from "../transfer/ReplyBody.ts"
import type { PlanFailure } from "./PlanRemarks.ts"

/** The selection, with at most one request for the records of analyses. */
export const choose = Effect.fn("svc.download.choose")(function* (
  request: SelectionRequest
): Effect.fn.Return<Selection, ServiceError, ServiceClient> {
  if (!needsRecords(request)) return byIds(request)
  const client = yield* ServiceClient
  const ids = idsToAsk(request)
  return select(request, yield* client.getAnalyses(ids ?? undefined))
})

/** What one answer with download links says. */
export interface CatalogEntry {
  readonly listed: ListedAnalysis
  /** By file name; files without a link are absent. */
  readonly links: ReadonlyMap<string, Redacted.Redacted>
  /** When the service was asked, in ms since 1970. */
  readonly askedAt: number
}

export type CatalogItem =
  | { readonly _tag: "Listed"; readonly entry: CatalogEntry }
  | { readonly _tag: "Failed"; readonly failure: PlanFailure }

/**
 * One item per analysis, in order, each asked for when the stream is pulled; those that were forbidden come last (`Outage.inTurn`).
 *
 * @param wanted - types of which an analysis must have a file, else an older one takes its place; all of them by default
 */
export const catalog = (
  analyses: ReadonlyArray<ChosenAnalysis>,
  wanted: ReadonlyArray<FileType> = fileTypes
): Stream.Stream<CatalogItem, never, ServiceClient> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const client = yield* ServiceClient
      const outage = yield* Outage.make<ServiceError>()

      const item = Effect.fnUntraced(function* (analysis: SelectedAnalysis) {
        const askedAt = yield* Clock.currentTimeMillis
        return yield* Effect.match(outage.ask(client.getFileDownloadLinks(analysis.analysisId)), {
          onSuccess: (files): CatalogItem => ({ _tag: "Listed", entry: entryOf(analysis, files, askedAt) }),
          onFailure: (error): CatalogItem => ({ _tag: "Failed", failure: { analysisId: analysis.analysisId, error } })
        })
      })
      const withFiles = Effect.fnUntraced(function* ({ older, ...newest }: ChosenAnalysis) {
        const first = yield* item(newest)
        let found = first
        for (const next of older) {
          if (found._tag === "Failed" || hasOneOf(wanted, found.entry)) break
          found = yield* item(next)
        }
        if (found === first || found._tag === "Failed") return found
        if (!hasOneOf(wanted, found.entry)) return first
        const [instead, lacking] = [found.entry.listed.analysisId, newest.analysisId].map(printable)
        const what = `Analysis ${lacking} is newer, but has no ${wanted.join(", ")} file: analysis ${instead} of the same person is taken`
        return yield* Effect.as(Effect.logWarning(what), found)
      })
      return outage.inTurn(analyses, withFiles, (item) => (item._tag === "Failed" ? item.failure.error : null))
    })
  )

/**
 * The analyses that a request selects, one after the other, each asked for when the stream is pulled.
 *
 * @param wanted - types of which an analysis must have a file, else an older one takes its place under `latest`
 */
export const selected = (
  request: SelectionRequest,
  wanted: ReadonlyArray<FileType>
): Stream.Stream<CatalogItem, ServiceError, ServiceClient> =>
  Stream.unwrap(
    Effect.map(choose(request), ({ analyses, missing }) =>
      Stream.concat(
        Stream.fromIterable(missing.map((failure): CatalogItem => ({ _tag: "Failed", failure }))),
        catalog(analyses, wanted)
      )
    )
  )

const hasOneOf = (types: ReadonlyArray<FileType>, { listed }: CatalogEntry): boolean =>
  listed.files.some(({ fileName }) => types.some((type) => fileName !== null && fileTypeOf(fileName) === type))

/** The answer in our words; every field of it may be missing. */
export const entryOf = (analysis: SelectedAnalysis, files: AnalysisFiles, askedAt: number): CatalogEntry => {
  const links = new Map<string, Redacted.Redacted>()
  for (const { fileName, downloadLink } of files.apiFileLinks) {
    if (fileName != null && downloadLink != null && Redacted.value(downloadLink) !== "")
      links.set(fileName, downloadLink)
  }
  return { listed: listedOf(analysis, files), links, askedAt }
}

/** Questions for a size at the same time; each is for a few bytes. */
const atOnce = 4
/** How long a link host may take to answer. */
const patience = "10 seconds"

/**
 * The analysis with the sizes that the service does not state, learned from the first bytes of a link (presigned links for GET
 * reject HEAD); a link host that does not answer leaves its file as it is.
 */
export const withSizes = Effect.fn("svc.download.withSizes")(function* (
  entry: CatalogEntry
): Effect.fn.Return<ListedAnalysis, never, LinkHost> {
  const files = yield* Effect.forEach(
    entry.listed.files,
    Effect.fnUntraced(function* (file: ListedFile) {
      const link = file.fileName === null || file.archived ? undefined : entry.links.get(file.fileName)
      return file.size !== null || link === undefined
        ? file
        : { ...file, size: yield* probe(file.fileName ?? "", link), sizeLearned: true as const }
    }),
    { concurrency: atOnce }
  )
  return { ...entry.listed, files }
})

const probe = Effect.fnUntraced(
  function* (file: string, link: Redacted.Redacted) {
    const host = yield* LinkHost
    const asked: RangeAsked = { first: 0, end: probedBytes, range: true, size: null, known: null }
    const reply = yield* host.get({ file, link, range: `bytes=0-${probedBytes - 1}` }).pipe(
      Effect.flatMap((it) => withBeginning(asked, it)),
      Effect.timeout(patience)
    )
    const verdict = judge(asked, reply)
    switch (verdict._tag) {
      case "Bytes":
      case "RangeIgnored":
        return verdict.version.size
      case "WrongSize":
        return verdict.size
      default:
        yield* Effect.logDebug(`${printable(file)}: ${reply.host} answered ${reply.status} when asked for its size`)
        return null
    }
  },
  Effect.scoped,
  (effect, file) =>
    Effect.catch(effect, (error) =>
      Effect.as(Effect.logDebug(`${printable(file)}: its size could not be learned: ${error.message}`), null)
    )
)
