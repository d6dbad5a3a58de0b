/**
 * The links of a selection as a document (`svc.links/1`): what `--links` writes, and what a download without a session
 * reads; and the links of an analysis that it is made of, each judged as its download would be. Its writer is the only place
 * where a link leaves its `Redacted`: it is a key to patient data until it expires.
 */

import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AnalysisId } from "../contract/Ids.ts"
import { ByteCount, Hint } from "../contract/Record.ts"
import { type FileError, InputMalformed, LinkRefused, NotFound } from "../Errors.ts"
import { dataTypes } from "../genome/formats/FileNames.ts"
import { type FileType, fileTypes } from "../selection/FileName.ts"
import { wantedFiles } from "../selection/WantedFiles.ts"
import { resolveTarget } from "../settings/Target.ts"
import { placeOfIssue } from "../text/IssuePlace.ts"
import { faultText, readJson } from "../text/JsonText.ts"
import { isPrintable, printable } from "../text/Printable.ts"
import { expiryOf } from "../transfer/LinkLease.ts"
import type { CatalogEntry } from "./Catalog.ts"
import { plan } from "./DownloadPlan.ts"
import type { DownloadRequest } from "./DownloadRequest.ts"

/**
 * A file, and the link that fetches it.
 *
 * @category models
 * @since 0.1.0
 */
export interface LinkEntry {
  readonly analysisId: AnalysisId
  readonly fileName: string
  /** Bytes; null when unknown. */
  readonly size: number | null
  /** Then it has no link. */
  readonly archived: boolean
  readonly estimatedRestoreTime: string | null
  readonly link: Redacted.Redacted | null
  /** When the link stops working, by the time in its own text; null when it states none. */
  readonly expiresAt: Date | null
}

/**
 * What a links file says.
 *
 * @category models
 * @since 0.1.0
 */
export interface LinkManifest {
  /** Base URL of the service: part of the identity of unfinished files, and what decides where links may lead. */
  readonly target: URL
  /** The types that were asked for; of data files the indexes are there as well, for slices. */
  readonly filetypes: ReadonlyArray<FileType>
  readonly entries: ReadonlyArray<LinkEntry>
}

/** More files than any run has; a wall against a document that fills the memory. */
const mostEntries = 100_000

/**
 * The document of a links file, with its links in plain text: a key to patient data until they expire.
 *
 * @category encoding
 * @since 0.1.0
 */
export const linksJson = ({ entries, filetypes, target }: LinkManifest) => ({
  schema: "svc.links/1",
  target: target.href,
  filetypes,
  files: entries.map(({ analysisId, archived, estimatedRestoreTime, expiresAt, fileName, link, size }) => ({
    analysisId,
    fileName,
    size,
    archived,
    estimatedRestoreTime,
    link: link === null ? null : Redacted.value(link),
    expiresAt: expiresAt === null ? null : expiresAt.toISOString()
  }))
})

const Document = Schema.Struct({
  schema: Schema.Literal("svc.links/1"),
  target: Schema.String,
  filetypes: Schema.Array(Schema.Literals(fileTypes)).pipe(Schema.check(Schema.isNonEmpty())),
  files: Schema.Array(Schema.Unknown)
})

const Entry = Schema.Struct({
  analysisId: Schema.NonEmptyString.pipe(Schema.brand("AnalysisId")),
  fileName: Schema.NonEmptyString,
  size: ByteCount,
  archived: Schema.Boolean,
  estimatedRestoreTime: Hint,
  link: Schema.NullOr(Schema.String),
  expiresAt: Hint
})

const decodeDocument = Schema.decodeUnknownResult(Document)
const decodeEntry = Schema.decodeUnknownResult(Entry)

/**
 * Reads a document; the failure repeats nothing of a link. Names are judged by the plan.
 *
 * **Example** (A download without an account)
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Links } from "svc-steps"
 * import { Service } from "svc-steps/node"
 *
 * const layerOf = (text: string) =>
 *   Layer.unwrap(Effect.map(Effect.fromResult(Links.readLinks(text)), (manifest) => Service.layerLinks(manifest)))
 * ```
 *
 * @param input - what messages call it, such as its path
 * @category decoding
 * @since 0.1.0
 */
export const readLinks = (text: string, input = "links file"): Result.Result<LinkManifest, InputMalformed> =>
  Result.mapError(manifestOf(text), (reason) => new InputMalformed({ input, reason }))

const manifestOf = (text: string): Result.Result<LinkManifest, string> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail(faultText(json.failure))
  if (schemaOf(json.success.value) !== "svc.links/1") {
    return Result.fail("it is not a links file (svc.links/1) as writeLinks writes it")
  }
  const decoded = decodeDocument(json.success.value)
  if (Result.isFailure(decoded)) return Result.fail(placeOfIssue(decoded.failure))
  const { files, filetypes, target } = decoded.success
  if (files.length > mostEntries)
    return Result.fail(`it has more than ${mostEntries} files: write several smaller ones`)
  const base = resolveTarget(target, null)
  if (Result.isFailure(base)) return Result.fail("target: not the URL of a service")
  const entries: Array<LinkEntry> = []
  for (const [index, file] of files.entries()) {
    const entry = readEntry(file)
    if (Result.isFailure(entry)) return Result.fail(`file ${index + 1}: ${entry.failure}`)
    entries.push(entry.success)
  }
  return Result.succeed({ target: base.success, filetypes: [...new Set(filetypes)], entries })
}

const schemaOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "schema" in value ? value.schema : null

const readEntry = (value: unknown): Result.Result<LinkEntry, string> => {
  const decoded = decodeEntry(value)
  if (Result.isFailure(decoded)) return Result.fail(placeOfIssue(decoded.failure))
  const { expiresAt, link } = decoded.success
  if (link !== null && !isWebAddress(link)) {
    return Result.fail("link: not an http or https address in one line")
  }
  if (link === null && !decoded.success.archived) return Result.fail("link: missing, although the file is not archived")
  const end = expiresAt === null ? Number.NaN : Date.parse(expiresAt)
  return Result.succeed({
    ...decoded.success,
    link: link === null ? null : Redacted.make(link),
    expiresAt: Number.isNaN(end) ? null : new Date(end)
  })
}

const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text) && isPrintable(text)

/**
 * The links of one analysis.
 *
 * @category models
 * @since 0.1.0
 */
export interface LinksOf {
  /** Links of the wanted files. `indexes` are the links of indexes that only a slice would need. */
  readonly links: ReadonlyArray<LinkEntry>
  readonly indexes: ReadonlyArray<LinkEntry>
  /** Why files have no link that can be used. */
  readonly errors: ReadonlyArray<FileError>
}

const nowhere = { occupants: new Map(), slices: new Map() }

/** The links of one analysis. That all its wanted types are missing is one of the errors. */
export const linksOf = Effect.fnUntraced(function* (entry: CatalogEntry, { filetypes }: DownloadRequest) {
  const decided = plan([entry.listed], { filetypes, layout: "flat", overwrite: true }, nowhere)
  yield* Effect.forEach(decided.warnings, (warning) => Effect.logWarning(warning), { discard: true })
  const errors: Array<FileError> = decided.failures.flatMap(({ analysisId, error }) =>
    analysisId === null ? [] : [error]
  )
  const usableEntries = (fileName: string): ReadonlyArray<LinkEntry> => {
    const found = linkedFile(entry, fileName)
    if (found === null) return []
    if (found.link === null || isPrintable(Redacted.value(found.link))) return [found]
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
const linkedFile = ({ links, listed }: CatalogEntry, fileName: string): LinkEntry | null => {
  const [file, ...others] = listed.files.filter((it) => it.fileName === fileName)
  if (file === undefined || others.length > 0) return null
  const { archived, estimatedRestoreTime, size } = file
  const link = archived ? null : (links.get(fileName) ?? null)
  if (link === null && !archived) return null
  const expiry = link === null ? null : expiryOf(Redacted.value(link))
  const expiresAt = expiry === null ? null : new Date(expiry)
  return { analysisId: listed.id, fileName, size, archived, estimatedRestoreTime, link, expiresAt }
}

/** The indexes that slices of the data files among `taken` need and that `taken` lacks. */
const sliceIndexes = ({ listed }: CatalogEntry, taken: ReadonlyArray<string>): ReadonlyArray<string> => {
  const slice = { wanted: [], unmapped: true }
  const places = wantedFiles([listed], { filetypes: dataTypes, layout: "flat", slice })
  const indexes = places.flatMap(({ fileName, slice: cut }) =>
    taken.includes(fileName) ? (cut?.indexFiles ?? []) : []
  )
  return [...new Set(indexes)].filter((name) => !taken.includes(name))
}
