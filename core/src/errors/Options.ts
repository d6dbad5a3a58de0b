/** Options that a program gives: what is wrong with their names and types, as one error. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { printable } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Spelling.ts"
import { type OptionName, UsageError } from "./InputErrors.ts"

/** What is wrong, in one sentence. */
export interface OptionProblem {
  /** Absent for an option that does not exist. */
  readonly option?: OptionName
  readonly message: string
}

/** All that is wrong, as one error. */
export const usageErrorOf = (problems: ReadonlyArray<OptionProblem>): UsageError =>
  new UsageError({
    message: problems.map(({ message }) => message).join("\n"),
    options: problems.flatMap(({ option }) => option ?? [])
  })

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/**
 * Finds options that have another name or type than they may: of programs whose compiler did not see them, or was told not to look.
 *
 * @param schemas - of each option; one that is `undefined` counts as left out
 */
export const misfitsOf = (
  schemas: Partial<Record<OptionName, Schema.ConstraintDecoder<unknown>>>
): ((options: object | null | undefined) => ReadonlyArray<OptionProblem>) => {
  const names = Object.keys(schemas) as ReadonlyArray<OptionName>
  const decoders = Object.entries(schemas).map(
    ([name, schema]) => [name as OptionName, Schema.decodeUnknownResult(schema, { errors: "all" })] as const
  )
  return (options) => {
    if (!Predicate.isObject(options)) return [{ message: "Options are an object" }]
    const given = new Map<string, unknown>(Object.entries(options))
    const unknown = [...given.keys()]
      .filter((name) => !names.some((option) => option === name))
      .map((name) => ({ message: `Unknown option ${printable(name)}${didYouMean(nearest(name, names))}` }))
    const wrong = decoders.flatMap(([option, decode]) => {
      const value = given.get(option)
      const read = value === undefined ? null : decode(value)
      if (read === null || Result.isSuccess(read)) return []
      return issuesOf(read.failure.issue).issues.map(({ message, path = [] }) => ({
        option,
        message: `${[option, ...path].join(".")}: ${message.replace(/^E/, "e")}`
      }))
    })
    return [...unknown, ...wrong]
  }
}
