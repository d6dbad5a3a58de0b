/**
 * The size of a file that the service does not state, learned from the first bytes of its link: presigned links for GET
 * reject HEAD (wire fact: `size` is optional).
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { ListedAnalysis, ListedFile } from "../selection/ListedFiles.ts"
import { printable } from "../text/Printable.ts"
import { LinkHost } from "../transfer/LinkHost.ts"
import { judge, probedBytes } from "../transfer/RangeReply.ts"
import type { CatalogEntry } from "./Catalog.ts"

/** Requests to link hosts at the same time; each is for a few bytes. */
const atOnce = 4
/** How long a link host may take to answer. */
const patience = "10 seconds"

/** The analysis with the sizes that could be learned; a link host that does not answer leaves its file as it is. */
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
    const reply = yield* host
      .get({ file, link, range: `bytes=0-${probedBytes - 1}`, ifRange: null })
      .pipe(Effect.timeout(patience))
    const verdict = judge({ first: 0, end: probedBytes, range: true, size: null, known: null }, reply)
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
