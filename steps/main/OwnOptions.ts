/** The own options of a step, decoded by the same code as settings. */
import * as Result from "effect/Result"
import { decodeValue, emptyValue } from "../../core/src/settings/Settings.ts"
import type { CommandOptions, Own } from "./Step.ts"

export type OwnTexts = Readonly<Record<string, ReadonlyArray<string>>>

/** Every option has its value, its default or the empty value of its type, also where its text is a problem; problems are sentences without `Error: `. */
export const decodeOwn = (
  options: CommandOptions,
  texts: OwnTexts
): { readonly own: Own; readonly problems: ReadonlyArray<string> } => {
  const problems: Array<string> = []
  const value = (name: string, option: CommandOptions[string]): unknown => {
    const fallback =
      option.default === undefined ? emptyValue(option) : Result.getOrThrow(decodeValue(option, [option.default]))
    const given = texts[name]
    if (given === undefined) {
      if (option.required === true) problems.push(`Missing required argument --${name}`)
      return fallback
    }
    const decoded = decodeValue(option, given)
    if (Result.isSuccess(decoded)) return decoded.success
    const shown = given.join("") === "" ? "" : `: "${given.join(",")}"`
    problems.push(
      decoded.failure.sentence ?? `Invalid value for --${name}${shown}: expected ${decoded.failure.expected}`
    )
    return fallback
  }
  const values = Object.fromEntries(Object.entries(options).map(([name, option]) => [name, value(name, option)]))
  return { own: { values, given: (name) => texts[name] !== undefined }, problems }
}
