/** `--links`: the download links in place of the files, on standard output or in a private file. Restores nothing. */
import { Effect } from "effect"
import type { CatalogEntry } from "../../core/src/download/Catalog.ts"
import { type PlanError, plan } from "../../core/src/download/DownloadPlan.ts"
import { type LinkEntry, linksJson, linkText } from "../../core/src/download/LinkManifest.ts"
import { LinkRefused, mostSevere, NotFound, type ServiceError } from "../../core/src/Errors.ts"
import { dataTypes } from "../../core/src/genome/formats/FileNames.ts"
import { wantedFiles } from "../../core/src/selection/FileWish.ts"
import type { TargetSettings } from "../../core/src/settings/Settings.ts"
import { isPrintable, printable } from "../../core/src/text/Printable.ts"
import { expiryOf } from "../../core/src/transfer/LinkExpiry.ts"
import { type Output, openOutput } from "../../platform/OutputFile.ts"
import { printLines } from "../main/StandardOutput.ts"
import { gather } from "./Gather.ts"

const nowhere = { occupants: new Map<string, never>(), reserved: new Map<string, never>(), slices: new Map() }

/** Text is written analysis by analysis, so that no link grows old in here. A file that would be empty is not written. */
export const writeLinks = Effect.fn("download.links")(function* (settings: TargetSettings, file: Output | null) {
  const { baseUrl: target, filetypes, format, linksFile } = settings
  const entries: Array<LinkEntry> = []
  const errors: Array<PlanError | ServiceError | LinkRefused> = []
  const refuse = (error: PlanError | ServiceError | LinkRefused) => {
    errors.push(error)
    return Effect.logError(error.message)
  }

  const seen = Effect.fnUntraced(function* (entry: CatalogEntry) {
    const { failures, files, warnings } = plan([entry.listed], { filetypes, layout: "flat", overwrite: true }, nowhere)
    yield* Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true })
    for (const { analysisId, error } of failures) if (analysisId !== null) yield* refuse(error)
    const taken: Array<string> = []
    for (const { decision, fileName } of files) {
      const found = entryOf(entry, fileName)
      if (decision._tag === "Fail") yield* refuse(decision.error)
      else if (found !== null && (yield* isUsable(found))) {
        entries.push(found)
        taken.push(fileName)
        if (found.link === null) yield* Effect.logWarning(`${printable(fileName)} is archived: it has no link`)
        else if (file === null && format === "text") yield* printLines(linkText({ link: found.link }))
      }
    }
    for (const fileName of sliceIndexes(entry, taken)) {
      const found = entryOf(entry, fileName)
      if (found !== null && (yield* isUsable(found))) entries.push(found)
    }
  })

  const isUsable = Effect.fnUntraced(function* ({ fileName, link }: LinkEntry) {
    if (link === null || isPrintable(linkText({ link }))) return true
    // It would end the line, and the next one would be somebody else's link.
    yield* refuse(new LinkRefused({ file: printable(fileName), reason: "it holds a control character" }))
    return false
  })

  const { failures } = yield* gather(settings, seen)
  if (entries.length === 0 && failures.length === 0 && errors.length === 0) {
    yield* refuse(new NotFound({ what: `links of ${filetypes.join(", ")} files` }))
  }
  // Not made printable: a link is used byte for byte, and JSON has escaped its control characters.
  const text = JSON.stringify(linksJson({ target, filetypes, entries }), null, 2)
  if (file === null && format === "json") yield* printLines(text)
  if (file !== null && entries.length > 0) {
    yield* file.write(new TextEncoder().encode(`${text}\n`))
    yield* file.commit
    yield* Effect.logInfo(`${entries.length} files of ${settings.target} in ${linksFile}`)
  }
  return mostSevere([...failures.map(({ error }) => error), ...errors])
})

/** The file for the links, or null. Opened before anybody logs in, as it may not be possible to write it. */
export const openLinksFile = ({ linksFile }: TargetSettings) =>
  linksFile === null ? Effect.succeed(null) : openOutput(linksFile, { private: true })

/** What the listing says of a file, with its link; null when it has neither link nor place in the archive. */
const entryOf = ({ links, listed }: CatalogEntry, fileName: string): LinkEntry | null => {
  const file = listed.files.find((it) => it.fileName === fileName)
  if (file === undefined) return null
  const { archived, estimatedRestoreTime, size } = file
  const link = archived ? null : (links.get(fileName) ?? null)
  if (link === null && !archived) return null
  const expiry = link === null ? null : expiryOf(linkText({ link }))
  const expiresAt = expiry === null ? null : new Date(expiry)
  return { analysisId: listed.id, fileName, size, archived, estimatedRestoreTime, link, expiresAt }
}

/** The indexes without which no regions can be cut out of the data files among `taken`, as far as they are not in it. */
const sliceIndexes = ({ listed }: CatalogEntry, taken: ReadonlyArray<string>): ReadonlyArray<string> => {
  const slice = { wanted: [], unmapped: true }
  const places = wantedFiles([listed], { filetypes: dataTypes, layout: "flat", slice })
  const indexes = places.flatMap(({ fileName, slice: cut }) => (taken.includes(fileName) ? (cut?.indexFile ?? []) : []))
  return [...new Set(indexes)].filter((name) => !taken.includes(name))
}
