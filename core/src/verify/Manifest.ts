/**
 * What files should be, as text says it: the report of a download (`svc.report/1`), lists that `md5sum` and `sha256sum` write, and
 * the checksum in a file beside the data.
 */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { FileDamaged } from "../Errors.ts"
import type { ChecksumKind } from "../genome/formats/FileNames.ts"
import { printable } from "../text/Printable.ts"

export interface ListedChecksum {
  readonly path: string
  /** In small letters. */
  readonly hex: string
}

const digits: Readonly<Record<ChecksumKind, number>> = { md5: 32, sha256: 64 }

const unescaped = (name: string) =>
  name.replace(/\\[\\nr]/g, (pair) => (pair === "\\n" ? "\n" : pair === "\\r" ? "\r" : "\\"))

/** How the lines of `--tag`, BSD and openssl call the kind: `SHA256 (name) = <hex>`, `SHA2-256(name)= <hex>`. */
const tags: Readonly<Record<ChecksumKind, string>> = { md5: "MD5", sha256: "SHA(?:2-)?256" }

/**
 * The lines `<hex>  name`, `<hex> *name` and `<hex> name`, or those with the kind in front; a backslash at the beginning says that
 * line feeds in the name are escaped. Blank lines mean nothing. Fails with the number of the first line that is none, from 1.
 */
export const parseChecksums = (
  kind: ChecksumKind,
  text: string
): Result.Result<ReadonlyArray<ListedChecksum>, number> => {
  const hexOf = `[0-9a-f]{${digits[kind]}}`
  const plain = new RegExp(`^(?<escaped>\\\\?)(?<hex>${hexOf}) [ *]?(?<name>.+)$`, "is")
  const tagged = new RegExp(`^(?<escaped>\\\\?)${tags[kind]} ?\\((?<name>.+)\\) ?= (?<hex>${hexOf})$`, "is")
  const listed: Array<ListedChecksum> = []
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue
    const { escaped, hex, name } = (plain.exec(line) ?? tagged.exec(line))?.groups ?? {}
    if (hex === undefined || name === undefined) return Result.fail(i + 1)
    listed.push({ path: escaped === "" ? name : unescaped(name), hex: hex.toLowerCase() })
  }
  return Result.succeed(listed)
}

/**
 * The checksum of the file `name` in the text of the file beside it: a list that names it, in whatever folder, or the digits
 * alone, as picard and GATK write them. Fails with what is wrong, in words.
 */
export const checksumIn = (kind: ChecksumKind, text: string, name: string): Result.Result<string, string> => {
  const alone = text.trim().toLowerCase()
  if (new RegExp(`^[0-9a-f]{${digits[kind]}}$`).test(alone)) return Result.succeed(alone)
  const listed = parseChecksums(kind, text)
  if (Result.isFailure(listed)) return Result.fail(`line ${listed.failure} is not one of ${kind}sum`)
  const sums = new Set(listed.success.flatMap(({ hex, path }) => (path.split("/").at(-1) === name ? [hex] : [])))
  const [hex] = sums
  if (hex === undefined) return Result.fail(`it has no checksum of ${printable(name)}`)
  return sums.size > 1 ? Result.fail(`it has two different checksums of ${printable(name)}`) : Result.succeed(hex)
}

/** The lines of a list of checksums that are about other files than `name`, as they stand; none where it is no such list. */
export const checksumsOfOthers = (kind: ChecksumKind, text: string, name: string): string =>
  Result.isFailure(parseChecksums(kind, text))
    ? ""
    : text
        .split("\n")
        .filter((line) =>
          Result.getOrElse(parseChecksums(kind, line), () => []).some(({ path }) => path.split("/").at(-1) !== name)
        )
        .map((line) => `${line}\n`)
        .join("")

/** What is known about one file; `bytes` and `sha256` are null where the manifest does not say. */
export interface Expected {
  /** As it stands in the manifest. */
  readonly path: string
  readonly bytes: number | null
  readonly sha256: string | null
}

export interface Manifest {
  readonly entries: ReadonlyArray<Expected>
  /** Files that need not be there: archived ones, for example. With the reason, for a person. */
  readonly absent: ReadonlyArray<{ readonly path: string; readonly reason: string }>
}

const Entry = Schema.Struct({
  path: Schema.NullOr(Schema.String),
  action: Schema.Literals(["downloaded", "skipped", "failed"]),
  reason: Schema.NullOr(Schema.String),
  bytes: Schema.NullOr(Schema.Int),
  listedBytes: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  sha256: Schema.NullOr(Schema.String)
})

const Report = Schema.fromJsonString(
  Schema.Struct({ schema: Schema.Literal("svc.report/1"), files: Schema.Array(Entry) })
)
const decodeReport = Schema.decodeUnknownOption(Report)

type ReportedFile = typeof Entry.Type & { readonly path: string }

const expectedOf = ({ action, bytes, listedBytes = null, path, reason, sha256 }: ReportedFile): Expected => ({
  path,
  bytes: reason === "differs" ? listedBytes : action === "downloaded" || reason === "exists" ? bytes : null,
  sha256
})

/** A path with two different checksums, as in the sums of two runs put together: the file can only be one of them. */
const contradicted = (entries: ReadonlyArray<Expected>): string | null => {
  const known = new Map<string, string>()
  for (const { path, sha256 } of entries) {
    if (sha256 !== null && (known.get(path) ?? sha256) !== sha256) return path
    if (sha256 !== null) known.set(path, sha256)
  }
  return null
}

const isMultiQc = (text: string) => text.includes('"plot_type"')

/** The refusal of a manifest. It lies with the user, and no service has to do with it. */
export const refusedManifest = (file: string, reason: string): FileDamaged =>
  new FileDamaged({ file, fault: "BadRecord", reason, overwrite: "vain" })

/** @param file - the name of the manifest, for the message of `FileDamaged` */
export const parseManifest = (file: string, text: string): Result.Result<Manifest, FileDamaged> => {
  const wrong = (reason: string) => Result.fail(refusedManifest(file, reason))
  const whole = (manifest: Manifest) => {
    const path = contradicted(manifest.entries)
    return path === null ? Result.succeed(manifest) : wrong(`it has two different checksums of ${printable(path)}`)
  }
  if (text.trimStart().startsWith("{")) {
    const report = Option.getOrNull(decodeReport(text))
    if (report === null && isMultiQc(text)) return wrong("made for MultiQC: give the report that was written as .json")
    if (report === null) return wrong("not a report of a run (svc.report/1), or cut off")
    const placed = report.files.filter((entry): entry is ReportedFile => entry.path !== null)
    const isArchived = (entry: ReportedFile) => entry.action === "skipped" && entry.reason === "archived"
    return whole({
      entries: placed.filter((entry) => !isArchived(entry)).map(expectedOf),
      absent: placed
        .filter(isArchived)
        .map(({ path }) => ({ path, reason: "it was in the archive, so not downloaded" }))
    })
  }
  if (/^\s*<(?:!doctype|html)/i.test(text)) return wrong("a page for people: give the report that was written as .json")
  const sums = parseChecksums("sha256", text)
  if (Result.isFailure(sums)) return wrong(`line ${sums.failure} is not one of sha256sum, and it is no JSON`)
  const entries = sums.success.map(({ hex, path }): Expected => ({ path, bytes: null, sha256: hex }))
  return entries.length === 0 ? wrong("it names no file") : whole({ entries, absent: [] })
}
