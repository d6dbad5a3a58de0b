/**
 * The readers that a token file names: a line `NAME TOKEN [ID or PREFIX* ...]` for each, or one word, the token of all. Pure.
 *
 * Empty lines, and lines that begin with `#`, say nothing.
 */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

export interface NamedReader {
  /** Null when one token serves all. */
  readonly name: string | null
  readonly token: Redacted.Redacted
  /** Whether this reader may know of an analysis. */
  readonly mayRead: (analysisId: string) => boolean
}

/** A failure is the end of a sentence, with the number of the line; a token is never in it. */
type Parsed<A> = Result.Result<A, string>

/** As a part of a path it may hold nothing that would have to be escaped; a short one could be guessed. */
const tokenForm = /^[A-Za-z0-9._~-]{16,256}$/
const tokenRule = "16 to 256 letters, digits, dots, dashes, underscores or tildes"
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
/** An id, or the beginning of ids with a star behind it. */
const scopeForm = /^[^*/\\?#%]{1,200}\*?$/

export const parseReaders = (text: string): Parsed<ReadonlyArray<NamedReader>> => {
  const lines = text.split(/\r?\n/).flatMap((line, index) => {
    const words = line.split(/\s+/).filter((word) => word !== "")
    return words[0] === undefined || words[0].startsWith("#") ? [] : [{ number: index + 1, words }]
  })
  const [only] = lines
  if (only === undefined) return Result.fail("it holds no token")
  if (lines.length === 1 && only.words.length === 1) return Result.map(tokenOfAll(only), (reader) => [reader])
  return Result.flatMap(Result.all(lines.map(readerOf)), (readers) => withoutDoubles(lines, readers))
}

interface Line {
  readonly number: number
  readonly words: ReadonlyArray<string>
}

const failAt = (number: number, what: string) => Result.fail(`line ${number}: ${what}`)

const tokenOfAll = ({ number, words: [token = ""] }: Line): Parsed<NamedReader> =>
  tokenForm.test(token)
    ? Result.succeed({ name: null, token: Redacted.make(token), mayRead: () => true })
    : failAt(number, `the token must be ${tokenRule}`)

const readerOf = ({ number, words }: Line): Parsed<NamedReader> => {
  const [name = "", token, ...scopes] = words
  if (!nameForm.test(name)) {
    return failAt(
      number,
      "the name must be up to 64 letters, digits, dots, dashes, underscores or @, a letter or digit first"
    )
  }
  if (token === undefined) return failAt(number, "a name and a token are expected")
  if (!tokenForm.test(token)) return failAt(number, `the token of ${name} must be ${tokenRule}`)
  if (scopes.some((scope) => !scopeForm.test(scope))) {
    return failAt(
      number,
      `after the token of ${name} come ids or prefixes such as LAB7-*, and nothing when all may be read`
    )
  }
  return Result.succeed({ name, token: Redacted.make(token), mayRead: within(scopes) })
}

const within = (scopes: ReadonlyArray<string>): NamedReader["mayRead"] => {
  if (scopes.length === 0) return () => true
  const ids = new Set(scopes)
  const prefixes = scopes.filter((scope) => scope.endsWith("*")).map((scope) => scope.slice(0, -1))
  return (analysisId) => ids.has(analysisId) || prefixes.some((prefix) => analysisId.startsWith(prefix))
}

/** Two lines of one name, or with one token, would let the wrong one count. */
const withoutDoubles = (
  lines: ReadonlyArray<Line>,
  readers: ReadonlyArray<NamedReader>
): Parsed<ReadonlyArray<NamedReader>> => {
  const seen = new Map<string, number>()
  for (const [index, { name, token }] of readers.entries()) {
    const number = lines[index]?.number ?? 0
    for (const [key, what] of [
      [`name ${name}`, `the name ${name}`],
      [`token ${Redacted.value(token)}`, `the token of ${name}`]
    ] as const) {
      const before = seen.get(key)
      if (before !== undefined) return failAt(number, `${what} stands in line ${before} already`)
      seen.set(key, number)
    }
  }
  return Result.succeed(readers)
}
