/** Checksums as text: lists that `md5sum` and `sha256sum` write, and the one beside a file. */
import * as Result from "effect/Result"
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

/**
 * The lines `<hex>  name` and `<hex> *name`; a backslash in front says that line feeds in the name are escaped. Blank lines
 * mean nothing. Fails with the number of the first line that is none, from 1.
 */
export const parseChecksums = (
  kind: ChecksumKind,
  text: string
): Result.Result<ReadonlyArray<ListedChecksum>, number> => {
  const form = new RegExp(`^(\\\\?)([0-9a-f]{${digits[kind]}}) [ *](.+)$`, "is")
  const listed: Array<ListedChecksum> = []
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue
    const [, escaped, hex, name] = form.exec(line) ?? []
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
