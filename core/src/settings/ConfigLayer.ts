/** The settings in a parsed configuration file, whatever JSON form they take there (docs/service.md 2.4). */

import { didYouMean, nearest } from "../text/Spelling.ts"
import { type KeyName, keyNames, table } from "./Keys.ts"
import type { Layer } from "./Settings.ts"

/** Where a name of the file belongs in the table: its key, or an alias of it. */
const keyByName: ReadonlyMap<string, KeyName> = new Map(
  keyNames
    .filter((name) => table[name].optionOnly === undefined)
    .flatMap((name): Array<[string, KeyName]> => {
      const alias = table[name].configAlias
      return alias === undefined
        ? [[name, name]]
        : [
            [name, name],
            [alias, name]
          ]
    })
)

/** The text of one JSON value; null for what no setting can be. */
const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  return typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value)) ? String(value) : null
}

/**
 * Numbers are taken as the text they stand for, so ids may be numbers; null and empty values count as not set. Unknown
 * names are warnings, since one file may serve several versions; a value of a wrong form is a problem.
 */
export const configLayer = (
  content: Readonly<Record<string, unknown>>
): { readonly layer: Layer; readonly warnings: ReadonlyArray<string>; readonly problems: ReadonlyArray<string> } => {
  const layer: { [K in KeyName]?: ReadonlyArray<string> } = {}
  const warnings: Array<string> = []
  const problems: Array<string> = []
  for (const [name, value] of Object.entries(content)) {
    const key = keyByName.get(name)
    if (key === undefined) {
      warnings.push(`unknown key ${name}${didYouMean(nearest(name, [...keyByName.keys()]))}`)
      continue
    }
    if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) continue
    const several = table[key].type === "list" || table[key].type === "lines"
    const texts = (Array.isArray(value) && several ? value : [value]).map(textOf)
    const known = texts.filter((text) => text !== null)
    if (known.length < texts.length) {
      problems.push(
        several
          ? `${name} must be a text or a list of texts`
          : `${name} must be one text, number or boolean, in quotes if it is a very large number`
      )
      continue
    }
    if (layer[key] !== undefined && name === table[key].configAlias) {
      warnings.push(`${name} is ignored, as ${key} is set as well`)
      continue
    }
    layer[key] = known
  }
  return { layer, warnings, problems }
}
