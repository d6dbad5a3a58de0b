/** What the library exports, as a page that a person can read from its beginning to its end. */
import { casesOf, type Declaration, entryPoints, exportsOf } from "./Declarations.ts"

/** The parts of a list of types, commas inside brackets aside. */
const partsOf = (list: string): ReadonlyArray<string> => {
  const parts = [""]
  let depth = 0
  for (const letter of list) {
    if ("([{".includes(letter)) depth++
    if (")]}".includes(letter)) depth--
    if (letter === "," && depth === 0) parts.push("")
    else parts[parts.length - 1] += letter
  }
  return parts.map((part) => part.trim())
}

const members = (tuple = "") => partsOf(tuple.replace(/^readonly \[([\s\S]*)\]$/, "$1"))
const single = (type = "") => (/ \| /.test(type) ? `(${type})` : type)

/** What a schema says, as the type that programs see. */
const plainSchemas: Readonly<Record<string, (parts: ReadonlyArray<string>) => string>> = {
  brand: ([, name = ""]) => name.slice(1, -1),
  decodeTo: ([type = ""]) => type,
  declare: ([type = ""]) => type,
  Opaque: ([, schema = ""]) => schema,
  Literal: ([value = ""]) => value,
  Literals: ([values = ""]) => /^readonly (\w+)\[\]$/.exec(values)?.[1] ?? members(values).join(" | "),
  withConstructorDefault: ([type = ""]) => type,
  Union: ([types]) => members(types).join(" | "),
  toType: ([type = ""]) => type,
  NullOr: ([type = ""]) => `${type} | null`,
  optionalKey: ([type = ""]) => `${single(type.replace(/ \| null$/, ""))}?`,
  $Array: ([type = ""]) => `Array(${type})`,
  $Record: (parts) => `Record(${parts.join(", ")})`,
  Struct: ([fields = ""]) => fields,
  StructWithRest: ([fields = ""]) => fields,
  TaggedStruct: ([tag = "", fields = ""]) => fields.replace("{", `{\n    readonly _tag: ${tag};`)
}

const plain = (declaration: string): string => {
  let text = declaration
    .replace(/import\("[^"]+"\)\./g, "")
    .replace(/Schema\.(String|Number|Boolean|Unknown|Int|Finite|NonEmptyString)\b/g, "$1")
  for (;;) {
    // From the inside outwards; the arrow of a function is no bracket.
    const next = text.replace(/Schema\.(\$?\w+)<((?:[^<>]|=>)*)>/, (_, name: string, list: string) =>
      (plainSchemas[name] ?? ((parts) => `${name}(${parts.join(", ")})`))(partsOf(list))
    )
    if (next === text) return text
    text = next
  }
}

/** The compiler writes the members of a union in the order in which it met them, which another file can change. */
const inOrder = (text: string) =>
  text.replace(/[\w."-]+(?:\s+\| [\w."-]+)+/g, (union) => {
    const [between = ""] = /\s+\| /.exec(union) ?? []
    const names = union.split(between)
    return names.toSorted((a, b) => Number(a === "null") - Number(b === "null") || (a < b ? -1 : 1)).join(between)
  })

const service =
  /^declare const \w+: Context\.ServiceClass<(\w+), "[^"]+", ([\s\S]*?)>;\ndeclare class \w+ extends \w+ \{([\s\S]*)\}$/
const error =
  /^declare const \w+: Class\((\w+), \{([\s\S]*?)\}, YieldableError\);\ndeclare class \w+ extends \w+ \{([\s\S]*)\}$/
const endpoint = /HttpApiEndpoint<"(\w+)", "(\w+)", "([^"]+)"/g

const groups: ReadonlyArray<readonly [title: string, test: (text: string) => boolean]> = [
  ["Services", (text) => /^(?:service|declare const \w+: Context\.ServiceClass) /.test(text)],
  ["Layers", (text) => /^declare const (?:[\w.]+\.)?layer/.test(text)],
  ["Errors", (text) => text.startsWith("error ")],
  ["Functions and values", (text) => /^declare const [\w.]+: (?!\{)/.test(text)],
  ["Records, classes and types", () => true]
]

const textOf = (name: string, { name: inner, text }: Declaration): string => {
  const endpoints = [...text.matchAll(endpoint)].map(([, name, method, path]) => `${method} ${path}: ${name}`)
  if (endpoints.length > 0) return `declare const ${name}: HttpApi of\n  ${endpoints.toSorted().join("\n  ")}`
  const read = inOrder(plain(text))
    .replace(service, "service $1 of $2 with {$3}")
    .replace(error, "error $1 {$2$3}")
    .replace(/^ {4,}/gm, (indent) => " ".repeat(indent.length / 2))
    .replace(/\n *\n/g, "\n")
    .replace(/(?: & Omit\([\s\S]*\))?;\ndeclare class \w+ extends \w+_base \{\s*\}$/, "")
    .replace(/ (?:with )?\{\s*\}$/, "")
  return name === inner ? read : read.replace(new RegExp(`\\b${inner}(?:_base)?\\b`), name)
}

const section = (entryPoint: keyof typeof entryPoints): string => {
  const all = [...exportsOf(entryPoint)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, declaration]) => [
      { text: textOf(name, declaration) },
      ...casesOf(declaration).map((one) => ({ text: textOf(`${name}.cases.${one.name}`, one) }))
    ])
  const grouped = groups.map(([title], index) => {
    const own = all.filter(({ text }) => groups.findIndex(([, belongs]) => belongs(text)) === index)
    return own.length === 0 ? "" : `### ${title}\n\n${own.map(({ text }) => text).join("\n\n")}\n`
  })
  return `## ${entryPoint}\n\n${grouped.filter((each) => each !== "").join("\n")}`
}

export const listing = (): string => `# What the library exports

Of the built declarations. Records are written as their types: a \`?\` behind a type means that it may be null or absent, and all of them keep
fields that they do not name.

${(Object.keys(entryPoints) as Array<keyof typeof entryPoints>).map(section).join("\n")}`
