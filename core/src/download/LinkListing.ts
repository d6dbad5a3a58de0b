/** The links of a selection in place of its files, each judged as its download would be. */
import * as Effect from "effect/Effect"
import { LinkRefused, NotFound } from "../Errors.ts"
import { slicedTypes } from "../genome/formats/FileNames.ts"
import { wantedFiles } from "../selection/WantedFiles.ts"
import { isPrintable, printable } from "../text/Printable.ts"
import { expiryOf } from "../transfer/LinkLife.ts"
import type { CatalogEntry } from "./Catalog.ts"
import { type PlanError, plan } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"
import { type LinkEntry, linkText } from "./LinkManifest.ts"

/** The links of one analysis. */
export interface LinksOf {
  /** Links of the wanted files. `indexes` are the links of indexes that only a slice would need. */
  readonly links: ReadonlyArray<LinkEntry>
  readonly indexes: ReadonlyArray<LinkEntry>
  readonly errors: ReadonlyArray<LinkError>
}

/** Ways in which a file has no link that can be used. */
export type LinkError = PlanError | LinkRefused

const nowhere = { occupants: new Map<string, never>(), reserved: new Map<string, never>(), slices: new Map() }

/** The links of one analysis. That all its wanted types are missing is one of the errors. */
export const linksOf = Effect.fnUntraced(function* (entry: CatalogEntry, { filetypes }: DownloadRequest) {
  const decided = plan([entry.listed], { filetypes, layout: "flat", overwrite: true }, nowhere)
  yield* Effect.forEach(decided.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  const errors: Array<LinkError | (typeof decided.failures)[number]["error"]> = decided.failures.flatMap(
    ({ analysisId, error }) => (analysisId === null ? [] : [error])
  )
  const usableEntries = (fileName: string): ReadonlyArray<LinkEntry> => {
    const found = entryOf(entry, fileName)
    if (found === null) return []
    if (found.link === null || isPrintable(linkText({ link: found.link }))) return [found]
    // It would end the line, and the next one would be somebody else's link.
    errors.push(new LinkRefused({ file: printable(fileName), reason: "it holds a control character" }))
    return []
  }
  const links: Array<LinkEntry> = []
  for (const { decision, fileName } of decided.files) {
    if (decision._tag === "Fail") errors.push(decision.error)
    else links.push(...usableEntries(fileName))
  }
  const taken = links.map(({ fileName }) => fileName)
  return { links, indexes: sliceIndexes(entry, taken).flatMap(usableEntries), errors }
})

/** Nothing at all was found, and nothing else said why. */
export const noLinks = ({ filetypes }: DownloadRequest) =>
  new NotFound({ what: `links of ${filetypes.join(", ")} files` })

/** What the listing says of a file, with its link; null when it has neither link nor place in the archive, or is listed twice. */
const entryOf = ({ links, listed }: CatalogEntry, fileName: string): LinkEntry | null => {
  const [file, ...others] = listed.files.filter((it) => it.fileName === fileName)
  if (file === undefined || others.length > 0) return null
  const { archived, estimatedRestoreTime, size } = file
  const link = archived ? null : (links.get(fileName) ?? null)
  if (link === null && !archived) return null
  const expiry = link === null ? null : expiryOf(linkText({ link }))
  const expiresAt = expiry === null ? null : new Date(expiry)
  return { analysisId: listed.id, fileName, size, archived, estimatedRestoreTime, link, expiresAt }
}

/** The indexes that slices of the data files among `taken` need and that `taken` lacks. */
const sliceIndexes = ({ listed }: CatalogEntry, taken: ReadonlyArray<string>): ReadonlyArray<string> => {
  const slice = { wanted: [], unmapped: true }
  const places = wantedFiles([listed], { filetypes: slicedTypes, layout: "flat", slice })
  const indexes = places.flatMap(({ fileName, slice: cut }) => (taken.includes(fileName) ? (cut?.indexFile ?? []) : []))
  return [...new Set(indexes)].filter((name) => !taken.includes(name))
}
