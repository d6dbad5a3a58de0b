/** The columns of an annotations answer: their names in the output, which are wanted, and which ones filters look at. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Hint } from "../contract/Record.ts"
import { placeOfIssue } from "../text/IssuePlace.ts"
import { nearest } from "../text/Spelling.ts"

/**
 * A column of an annotations table.
 *
 * @category models
 * @since 0.1.0
 */
export interface Column {
  /** Index of its cell in a row, 0-based. */
  readonly index: number
  readonly id: string
  readonly title: string
  /** Its name in the output: the id, with `_2`, `_3` and so on where it is not the first of that name. */
  readonly name: string
}

/** The name of what comes first in every row of the output. */
export const analysisIdName = "analysisId"

// Only the fields needed here are decoded, so that no other field of a header makes rows unreadable.
const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.optionalKey(Hint) })))
)

/** The columns that the JSON text of a header declares; the failure says where it is wrong, and quotes nothing. */
export const columnsOf = (header: Uint8Array): Effect.Effect<ReadonlyArray<Column>, string> =>
  decode(new TextDecoder().decode(header)).pipe(
    Effect.mapBoth({
      onFailure: (error) => `header: ${placeOfIssue(error)}`,
      onSuccess: (items) => {
        const taken = new Set([analysisIdName])
        return items.map(({ id, title }, index) => {
          let name = id
          for (let n = 2; taken.has(name); n++) name = `${id}_${n}`
          taken.add(name)
          return { index, id, title: title ?? "", name }
        })
      }
    })
  )

/** Ways to compare a word with a column, the strictest first. */
const likenesses: ReadonlyArray<(column: Column, word: string) => boolean> = [
  ({ name }, word) => name === word,
  ({ title }, word) => title === word,
  ({ name }, word) => name.toLowerCase() === word.toLowerCase(),
  ({ title }, word) => title.toLowerCase() === word.toLowerCase()
]

const find = (columns: ReadonlyArray<Column>, word: string): Column | undefined => {
  for (const isLike of likenesses) {
    const found = columns.find((column) => isLike(column, word))
    if (found !== undefined) return found
  }
  return undefined
}

/** The columns that `words` call by id or title, in the order of the words; the failure is one sentence. */
export const pick = (
  columns: ReadonlyArray<Column>,
  words: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Column>, string> => {
  const picked: Array<Column> = []
  const unknown: Array<string> = []
  for (const word of words) {
    const column = find(columns, word)
    if (column === undefined) unknown.push(word)
    else if (!picked.includes(column)) picked.push(column)
  }
  return unknown.length === 0 ? Result.succeed(picked) : Result.fail(unknownSentence(columns, unknown))
}

const listed = 20

const unknownSentence = (columns: ReadonlyArray<Column>, unknown: ReadonlyArray<string>): string => {
  const names = columns.flatMap(({ name, title }) => (title === "" ? [name] : [name, title]))
  const hints = unknown.map((word) => {
    const near = nearest(word, names)
    return near === null ? word : `${word} (did you mean ${near}?)`
  })
  const known = columns.slice(0, listed).map(({ name }) => name)
  const more = columns.length > listed ? `, and ${columns.length - listed} more` : ""
  return `Unknown column${unknown.length === 1 ? "" : "s"} ${hints.join(", ")}; there are ${known.join(", ")}${more}`
}

/** What columns are called that hold the same thing (docs/dev/service.md 13.6). */
const aliases = {
  gene: ["gene", "gene_symbol", "symbol", "genesymbol"],
  chromosome: ["chr", "chromosome", "chrom"],
  position: ["pos", "position", "start"],
  reference: ["ref", "reference", "reference_allele"]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type Role = keyof typeof aliases

/** The column with this role, by its id before all titles; null when there is none. */
export const columnFor = (columns: ReadonlyArray<Column>, role: Role): Column | null => {
  const names: ReadonlyArray<string> = aliases[role]
  const isNamed = (text: string) => names.includes(text.trim().toLowerCase())
  return columns.find(({ id }) => isNamed(id)) ?? columns.find(({ title }) => isNamed(title)) ?? null
}

/** What a column with this role could be called. */
export const namesFor = (role: Role): string => aliases[role].join(", ")
