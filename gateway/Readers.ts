/**
 * The readers that a token file names, a line `NAME TOKEN [ID or PREFIX* ...] [may=RIGHT,...] [until=DATE]` for each token, or one
 * word, the token of all. In place of a token may stand `sha256:` and its digest. Pure.
 *
 * Empty lines, and lines that begin with `#`, say nothing.
 */
import { createHash } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** `read`: files, tickets and what the service answers. `restore`: have archived files brought back. `change`: write to the service. */
export type Right = "read" | "restore" | "change"
const rights: ReadonlyArray<Right> = ["read", "restore", "change"]

export interface NamedReader {
  /** Null when one token serves all. */
  readonly name: string | null
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly digest: string
  /** Whether this reader may know of an analysis. */
  readonly mayRead: (analysisId: string) => boolean
  /** Its analyses: ids, and beginnings of ids with a star behind them; null when all are. */
  readonly scopes: ReadonlyArray<string> | null
  /** Null when the line says nothing of it: then it is reading, and restoring where the gateway allows that. */
  readonly may: ReadonlySet<Right> | null
  /** When the token ends, in ms since 1970; null when it does not. */
  readonly until: number | null
}

/** By the digest of the token: a look-up says nothing about a token that is nearly right. */
export type Readers = ReadonlyMap<string, NamedReader>

export const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex")

/** Whose token has this digest at this time (ms since 1970), null when it is nobody's, or has come to its end. */
export const readerOf = (readers: Readers, digest: string, now: number): NamedReader | null => {
  const reader = readers.get(digest)
  return reader === undefined || (reader.until !== null && now >= reader.until) ? null : reader
}

/** Who shows this token at this time, null when nobody does. */
export const readerWith = (readers: Readers, token: string, now: number): NamedReader | null =>
  readerOf(readers, digestOf(token), now)

/** A failure is the end of a sentence, with the number of the line; a token is never in it. */
type Parsed<A> = Result.Result<A, string>

/** As a part of a path it may hold nothing that would have to be escaped; a short one could be guessed. */
const tokenForm = /^[A-Za-z0-9._~-]{16,256}$/
const digestForm = /^sha256:[0-9a-f]{64}$/i
const tokenRule = "16 to 256 letters, digits, dots, dashes, underscores or tildes, or sha256: and its 64 digits"
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
/** An id, or the beginning of ids with a star behind it. */
const scopeForm = /^[^*/\\?#%=]{1,200}\*?$/

/** The readers of a file, and the tokens that stand in it themselves. */
export interface TokenFile {
  readonly readers: Readers
  readonly tokens: ReadonlyArray<string>
}

export const parseReaders = (text: string): Parsed<TokenFile> => {
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const words = line.split(/\s+/).filter((word) => word !== "")
    return words[0] === undefined || words[0].startsWith("#") ? [] : [{ number: index + 1, words }]
  })
  const [only] = lines
  if (only === undefined) return Result.fail("it holds no token")
  const single = lines.length === 1 && only.words.length === 1
  const named = single ? [{ ...only, words: [null, ...only.words] }] : lines
  return Result.flatMap(Result.all(named.map(parsedLine)), withoutDoubles)
}

interface Line {
  readonly number: number
  /** The first is the name; null for the token of all. */
  readonly words: ReadonlyArray<string | null>
}

interface ParsedLine {
  readonly number: number
  readonly reader: NamedReader
  readonly token: string | null
}

const failAt = (number: number, what: string) => Result.fail(`line ${number}: ${what}`)

const parsedLine = ({ number, words }: Line): Parsed<ParsedLine> => {
  const [name = null, token, ...more] = words
  if (name !== null && !nameForm.test(name)) {
    return failAt(
      number,
      "the name must be up to 64 letters, digits, dots, dashes, underscores or @, a letter or digit first"
    )
  }
  if (token == null) return failAt(number, "a name and a token are expected")
  const whose = name === null ? "the token" : `the token of ${name}`
  const digested = digestForm.test(token)
  if (!digested && !tokenForm.test(token)) return failAt(number, `${whose} must be ${tokenRule}`)
  const told = more.flatMap((word) => word ?? [])
  const may = valuesOf(told, "may")
  const until = valuesOf(told, "until")
  if (may.length > 1 || until.length > 1) return failAt(number, `may= and until= of ${name} stand there once at most`)
  const unknown = (may[0] ?? "read").split(",").filter((word) => !rights.includes(word as Right))
  if (unknown.length > 0) return failAt(number, `may= of ${name} takes read, restore and change, with commas between`)
  const end = until[0] === undefined ? null : endOf(until[0])
  if (until[0] !== undefined && end === null) {
    return failAt(number, `until= of ${name} takes a date such as 2027-12-31, or a time such as 2027-12-31T18:00:00Z`)
  }
  const scopes = told.filter((word) => !/^(?:may|until)=/.test(word))
  if (scopes.some((scope) => !scopeForm.test(scope))) {
    return failAt(
      number,
      `after ${whose} come ids or prefixes such as LAB7-*, and nothing when all may be read; then may= and until=`
    )
  }
  const reader: NamedReader = {
    name,
    digest: digested ? token.slice("sha256:".length).toLowerCase() : digestOf(token),
    mayRead: scopes.length === 0 ? () => true : within(scopes),
    scopes: scopes.length === 0 ? null : scopes,
    may: may[0] === undefined ? null : new Set(may[0].split(",") as ReadonlyArray<Right>),
    until: end
  }
  return Result.succeed({ number, reader, token: digested ? null : token })
}

const valuesOf = (words: ReadonlyArray<string>, key: string) =>
  words.flatMap((word) => (word.startsWith(`${key}=`) ? [word.slice(key.length + 1)] : []))

/** A day counts to its end in UTC. */
const endOf = (text: string): number | null => {
  const day = /^\d{4}-\d\d-\d\d$/.test(text)
  if (!day && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null
  const time = Option.getOrNull(DateTime.make(text))
  if (time === null || (day && DateTime.formatIsoDateUtc(time) !== text)) return null
  return DateTime.toEpochMillis(day ? DateTime.add(time, { days: 1 }) : time)
}

const within = (scopes: ReadonlyArray<string>): NamedReader["mayRead"] => {
  const ids = new Set(scopes)
  const prefixes = scopes.filter((scope) => scope.endsWith("*")).map((scope) => scope.slice(0, -1))
  return (analysisId) => ids.has(analysisId) || prefixes.some((prefix) => analysisId.startsWith(prefix))
}

/** Of two lines with one token, the wrong one could count. A name may have several tokens, so that one can follow another. */
const withoutDoubles = (lines: ReadonlyArray<ParsedLine>): Parsed<TokenFile> => {
  const seen = new Map<string, number>()
  for (const { number, reader } of lines) {
    const before = seen.get(reader.digest)
    if (before !== undefined) return failAt(number, `the token of ${reader.name} stands in line ${before} already`)
    seen.set(reader.digest, number)
  }
  return Result.succeed({
    readers: new Map(lines.map(({ reader }) => [reader.digest, reader])),
    tokens: lines.flatMap(({ token }) => token ?? [])
  })
}
