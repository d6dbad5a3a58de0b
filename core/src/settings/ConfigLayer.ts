/** The settings in a parsed configuration file, whatever JSON form they take there (docs/dev/service.md 2.4). */

import { didYouMean, nearest } from "../text/Spelling.ts"
import { goneSince } from "./Gone.ts"
import type { OptionType } from "./Key.ts"
import { type KeyName, keyNames, table } from "./Keys.ts"
import { type Layer, valueIn } from "./Settings.ts"

/** Where a name of the file belongs in the table: its key, or an alias of it. */
const keyByName: ReadonlyMap<string, KeyName> = new Map(
  keyNames
    .filter((name) => table[name].notInFile === undefined)
    .flatMap((name) => [name, table[name].configAlias ?? []].flat().map((called) => [called, name] as const))
)

const spelling = (name: string): string => name.replaceAll("-", "").toLowerCase()

/** What other tools call a key, such as `listUrls`; single letters are options of a command line. */
const keysSpelled = (name: string): ReadonlyArray<KeyName> =>
  [...keyByName.values()].filter((key) =>
    table[key].otherSpellings?.some((other) => other.length > 1 && spelling(other) === spelling(name))
  )

/** The key by which editors find the schema of the file. */
const schemaName = "$schema"

/** Which JSON values a key takes besides text, by its type; `expected` is for messages. */
const forms: Readonly<Record<OptionType, { readonly expected: string; readonly takes: (value: unknown) => boolean }>> =
  {
    text: { expected: "a text in quotes", takes: () => false },
    secret: { expected: "a text in quotes", takes: () => false },
    path: { expected: "a text in quotes", takes: () => false },
    choice: { expected: "a text in quotes", takes: () => false },
    duration: { expected: 'a time in quotes, such as "30s"', takes: () => false },
    flag: { expected: "true or false", takes: (value) => typeof value === "boolean" },
    int: { expected: "a whole number", takes: isExact },
    rate: { expected: 'bytes per second in quotes, such as "50M"', takes: isExact },
    // Ids may be numbers.
    list: { expected: "a list of texts", takes: isExact },
    lines: { expected: "a list of texts", takes: () => false }
  }

/** Whether JSON readers agree on the digits of a number. */
function isExact(value: unknown): boolean {
  return Number.isSafeInteger(value)
}

/** What stands in the file, for a message; nothing of a secret. */
const givenOf = (value: unknown, secret: boolean): string => {
  if (typeof value === "number") {
    if (Number.isInteger(value) && !isExact(value)) return "a number too large to be read exactly: put it in quotes"
    return secret ? "a number" : `the number ${value}`
  }
  if (typeof value === "boolean") return secret ? "true or false" : String(value)
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  return value === null ? "null" : typeof value === "object" ? "an object" : "a text"
}

/** What a configuration file sets. */
export interface ConfigLayer {
  readonly layer: Layer
  readonly warnings: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

/**
 * The texts of all values. Null and empty texts count as not set. An unknown name is a warning, since one file may serve
 * several versions, but a problem when it is nearly one of ours: `destinaton` would put the files elsewhere. A wrong value is a
 * problem that names key, expected and given, whatever reads the file.
 */
export const configLayer = (content: Readonly<Record<string, unknown>>): ConfigLayer => {
  const layer: { [K in KeyName]?: ReadonlyArray<string> } = {}
  const warnings: Array<string> = []
  const problems: Array<string> = []
  for (const [name, value] of Object.entries(content)) {
    if (name === schemaName) continue
    const key = keyByName.get(name)
    if (key === undefined) {
      const gone = goneSince(name)
      if (gone !== null) {
        // Otherwise it has ordered nothing.
        if (value !== null && value !== "" && value !== false) problems.push(`${name}${gone}`)
        continue
      }
      const meant = keysSpelled(name).join(" or ") || nearest(name, [...keyByName.keys()])
      if (meant === null) warnings.push(`unknown key ${name}`)
      else problems.push(`unknown key ${name}${didYouMean(meant)}`)
      continue
    }
    if (value === null || value === "") continue
    const { type } = table[key]
    const several = (type === "list" || type === "lines") && Array.isArray(value)
    const { expected, takes } = forms[type]
    const wrong = (several ? value : [value]).filter((item) => typeof item !== "string" && !takes(item))
    if (wrong.length > 0) {
      const given = givenOf(wrong[0], type === "secret")
      problems.push(`${name} must be ${expected}, not ${several ? `a list with ${given}` : given}`)
      continue
    }
    if (several && value.length === 0) continue
    if (layer[key] !== undefined && name === table[key].configAlias) {
      warnings.push(`${name} is ignored, as ${key} is set as well`)
      continue
    }
    const texts = (several ? value : [value]).map(String)
    valueIn(table[key], texts, name, problems)
    layer[key] = texts
  }
  return { layer, warnings, problems }
}
