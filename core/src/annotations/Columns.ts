/** The columns of an annotations answer: their names, by which they are wanted and filtered. */
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

/** The columns that `names` call, each by its exact name and in their order; the failure is one sentence. */
export const pick = (
  columns: ReadonlyArray<Column>,
  names: ReadonlyArray<string>
): Result.Result<ReadonlyArray<Column>, string> => {
  const found = names.flatMap((wanted) => columns.find(({ name }) => name === wanted) ?? [])
  if (found.length === names.length) return Result.succeed(found)
  const known = columns.map(({ name }) => name)
  return Result.fail(
    unknownSentence(
      columns,
      [...new Set(names)].filter((name) => !known.includes(name))
    )
  )
}

/** Names in a message: some headers have hundreds. */
const listed = 200

const unknownSentence = (columns: ReadonlyArray<Column>, unknown: ReadonlyArray<string>): string => {
  const names = columns.map(({ name }) => name)
  const hints = unknown.map((word) => {
    const near = columns.find(({ title }) => title === word)?.name ?? nearest(word, names)
    return near === null ? word : `${word} (did you mean ${near}?)`
  })
  const more = names.length > listed ? `, and ${names.length - listed} more` : ""
  return `Unknown column${unknown.length === 1 ? "" : "s"} ${hints.join(", ")}; there are ${names.slice(0, listed).join(", ")}${more}`
}
