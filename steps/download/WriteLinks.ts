/** `--links`: the download links on standard output in place of the files. Starts no restoration. */
import { Console, Effect } from "effect"
import { LinkRefused, mostSevere, NotFound, type ServiceError } from "../../core/src/Errors.ts"
import type { CatalogEntry } from "../../core/src/selection/Catalog.ts"
import { type PlanError, type PlannedFile, plan } from "../../core/src/selection/DownloadPlan.ts"
import { type LinkEntry, linksJson, linkText } from "../../core/src/selection/LinkManifest.ts"
import { isPrintable, printable } from "../../core/src/selection/Printable.ts"
import type { Settings } from "../../core/src/settings/Settings.ts"
import { expiryOf } from "../../core/src/transfer/LinkExpiry.ts"
import { gather } from "./Gather.ts"

const nowhere = { occupants: new Map<string, never>(), reserved: new Map<string, never>(), slices: new Map() }

/** Text is written analysis by analysis, so that no link grows old in here. */
export const writeLinks = Effect.fn("download.links")(function* (settings: Settings) {
  const written: Array<LinkEntry> = []
  const errors: Array<PlanError | ServiceError | LinkRefused> = []
  const refuse = (error: PlanError | ServiceError | LinkRefused) => {
    errors.push(error)
    return Effect.logError(error.message)
  }

  const seen = Effect.fnUntraced(function* (entry: CatalogEntry) {
    const request = { filetypes: settings.filetypes, layout: "flat", overwrite: true } as const
    const { failures, files, warnings } = plan([entry.listed], request, nowhere)
    yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
    for (const { analysisId, error } of failures) if (analysisId !== null) yield* refuse(error)
    for (const file of files) {
      const link = entryOf(file, entry)
      if (file.decision._tag === "Fail") yield* refuse(file.decision.error)
      else if (link !== null && !isPrintable(linkText(link))) {
        // It would end the line, and the next one would be somebody else's link.
        yield* refuse(new LinkRefused({ file: printable(file.fileName), reason: "it holds a control character" }))
      } else if (link === null) yield* Effect.logWarning(`${printable(file.fileName)} is archived: it has no link`)
      else {
        written.push(link)
        if (settings.format === "text") yield* Console.log(linkText(link))
      }
    }
  })

  const { failures } = yield* gather(settings, seen)
  if (written.length === 0 && failures.length === 0 && errors.length === 0) {
    yield* refuse(new NotFound({ what: `links of ${settings.filetypes.join(", ")} files` }))
  }
  // Not made printable: a link is used byte for byte, and JSON has escaped its control characters.
  if (settings.format === "json") yield* Console.log(JSON.stringify(linksJson(written), null, 2))
  return mostSevere([...failures.map(({ error }) => error), ...errors])
})

const entryOf = (file: PlannedFile, { links }: CatalogEntry): LinkEntry | null => {
  const link = links.get(file.fileName)
  if (file.decision._tag !== "Fetch" || link === undefined) return null
  const expiry = expiryOf(linkText({ link }))
  const { analysisId, fileName, size } = file
  return { analysisId, fileName, size, link, expiresAt: expiry === null ? null : new Date(expiry) }
}
