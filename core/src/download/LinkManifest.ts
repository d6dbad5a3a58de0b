/**
 * The links of a selection as a document (`svc.links/1`): what `--links` writes, and what a download without a session
 * reads. Its writer is the only place where a link leaves its `Redacted`: it is a key to patient data until it expires.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { placeOfIssue } from "../client/Reply.ts"
import { ByteCount, Hint } from "../contract/Record.ts"
import { InputMalformed } from "../Errors.ts"
import { type FileType, fileTypes } from "../selection/FileName.ts"
import { resolveTarget } from "../settings/Target.ts"
import { faultText, readJson } from "../text/JsonText.ts"
import { isPrintable } from "../text/Printable.ts"

/** A file, and the link that fetches it. */
export interface LinkEntry {
  readonly analysisId: string
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

/** What a links file says. */
export interface LinkManifest {
  /** Base URL of the service: part of the identity of unfinished files, and what decides where links may lead. */
  readonly target: URL
  /** The types that were asked for; of data files the indexes are there as well, for slices. */
  readonly filetypes: ReadonlyArray<FileType>
  readonly entries: ReadonlyArray<LinkEntry>
}

/** More files than any run has; a wall against a document that fills the memory. */
const mostEntries = 100_000

/** The raw link, byte for byte. */
export const linkText = ({ link }: { readonly link: Redacted.Redacted }): string => Redacted.value(link)

/** The document of a links file, with its links in plain text: a key to patient data until they expire. */
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
  analysisId: Schema.NonEmptyString,
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
 * @param input - what messages call it, such as its path
 */
export const readLinks = (text: string, input = "links file"): Result.Result<LinkManifest, InputMalformed> =>
  Result.mapError(manifestOf(text), (reason) => new InputMalformed({ input, reason }))

const manifestOf = (text: string): Result.Result<LinkManifest, string> => {
  const json = readJson(text)
  if (Result.isFailure(json)) return Result.fail(faultText(json.failure))
  if (schemaOf(json.success.value) !== "svc.links/1") {
    return Result.fail("it is not a links file (svc.links/1) as --writeLinks writes it")
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
    const entry = entryOf(file)
    if (Result.isFailure(entry)) return Result.fail(`file ${index + 1}: ${entry.failure}`)
    entries.push(entry.success)
  }
  return Result.succeed({ target: base.success, filetypes: [...new Set(filetypes)], entries })
}

const schemaOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "schema" in value ? value.schema : null

const entryOf = (value: unknown): Result.Result<LinkEntry, string> => {
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
