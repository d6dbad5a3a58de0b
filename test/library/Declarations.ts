/** The built declarations of the library: what each entry point exports, and which names its signatures speak of. */
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { root } from "../Root.ts"

export const entryPoints = {
  "svc-steps": "core/src/index.d.ts",
  "svc-steps/node": "platform/index.d.ts",
  "svc-steps/records": "core/src/records/index.d.ts",
  "svc-steps/sandbox": "sandbox/index.d.ts"
} as const

/** A name as its module declares it: a value, a type, or both. */
export interface Declaration {
  readonly name: string
  readonly file: string
  /** Its statements without comments and private parts, with that of the nameless base that a class extends. */
  readonly text: string
}

interface Module {
  readonly declared: ReadonlyMap<string, Declaration>
  /** Names of other modules of the library: local name, module, and the name there; null for the whole module. */
  readonly imported: ReadonlyMap<string, readonly [file: string, name: string | null]>
  /** Names of packages that come with the library only: unlike `effect`, which its users install themselves. */
  readonly foreign: ReadonlySet<string>
  readonly exported: ReadonlyMap<string, Declaration>
}

const declaring = /^(?:export )?(?:declare )?(?:abstract )?(?:const|let|function|class|interface|type) (\w+)/
const naming = /(?:type )?(\w+)(?: as (\w+))?/

const modules = new Map<string, Module>()

const moduleOf = (file: string): Module => {
  const known = modules.get(file)
  if (known !== undefined) return known
  const statements = readFileSync(file, "utf8")
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/^\s*(?:\/\/.*|private .*|#private;)$/gm, "")
    .replace(/^\s*\n/gm, "")
    .split(/^(?=\w)/m)
    .map((statement) => statement.trim())
  const target = (from: string) => resolve(dirname(file), from.replace(/\.ts$/, ".d.ts"))

  const texts = new Map<string, ReadonlyArray<string>>()
  const imported = new Map<string, readonly [file: string, name: string | null]>()
  const foreign = new Set<string>()
  for (const statement of statements) {
    const name = declaring.exec(statement)?.[1]?.replace(/_base$/, "")
    if (name !== undefined) texts.set(name, [...(texts.get(name) ?? []), statement.replace(/^export /, "")])
    const [, space, list, from] = /^import (?:type )?(?:\* as (\w+)|\{([^}]*)\}) from "([^"]+)"/.exec(statement) ?? []
    if (from === undefined || /^effect\b/.test(from)) continue
    const own = from.startsWith(".")
    if (space !== undefined && own) imported.set(space, [target(from), null])
    for (const part of list?.split(",") ?? []) {
      const [, inner = "", outer = inner] = naming.exec(part) ?? []
      if (own) imported.set(outer, [target(from), inner])
      else foreign.add(outer)
    }
  }
  const declared = new Map(
    [...texts].map(([name, parts]): readonly [string, Declaration] => [name, { name, file, text: parts.join("\n") }])
  )

  const exported = new Map<string, Declaration>()
  const give = (name: string, declaration: Declaration | undefined) => {
    if (declaration === undefined) throw new Error(`${file}: no declaration of ${name}`)
    exported.set(name, declaration)
  }
  for (const statement of statements) {
    const name = declaring.exec(statement)?.[1]
    if (name !== undefined && statement.startsWith("export ")) give(name, declared.get(name))
    const [, space, list, from] =
      /^export (?:type )?(?:\*(?: as (\w+))?|\{([^}]*)\})(?: from "(\.[^"]+)")?/.exec(statement) ?? []
    const source = from === undefined ? declared : moduleOf(target(from)).exported
    if (list === undefined && from !== undefined) {
      for (const [inner, declaration] of source) give(space === undefined ? inner : `${space}.${inner}`, declaration)
    }
    for (const part of list?.split(",") ?? []) {
      const [, inner, outer = inner] = naming.exec(part) ?? []
      if (inner !== undefined && outer !== undefined) give(outer, source.get(inner))
    }
  }
  const module = { declared, imported, foreign, exported }
  modules.set(file, module)
  return module
}

/** What an entry point exports, by the name that its users see. */
export const exportsOf = (entryPoint: keyof typeof entryPoints): ReadonlyMap<string, Declaration> =>
  moduleOf(join(root, "dist/lib", entryPoints[entryPoint])).exported

/** What a declaration speaks of, as far as this library declares it. */
const spokenOf = ({ file, name, text }: Declaration): ReadonlyArray<Declaration> => {
  const { declared, imported } = moduleOf(file)
  const signature = text.replace(/import\("(\.[^"]+)"\)\.(\w+)/g, "").replace(/"[^"\n]*"/g, "")
  const inline = [...text.matchAll(/import\("(\.[^"]+)"\)\.(\w+)/g)].map(([, from = "", spoken = ""]) =>
    moduleOf(resolve(dirname(file), from.replace(/\.ts$/, ".d.ts"))).exported.get(spoken)
  )
  // Types begin with a capital letter; a value is spoken of by its type, unless an alias gives this type a name.
  const named = [...signature.matchAll(/(?<![\w.])(?:([A-Z]\w*)(?:\.(\w+))?|typeof (\w+))/g)].map(
    ([, type, member, value = ""]) => {
      const spoken = type ?? (new RegExp(`^type \\w+ = .*typeof ${value}\\b`, "m").test(text) ? "" : value)
      if (spoken === name || spoken === `${name}_base`) return undefined
      const [from, there] = imported.get(spoken) ?? []
      if (from === undefined) return declared.get(spoken)
      return moduleOf(from).exported.get(there ?? member ?? "")
    }
  )
  return [...inline, ...named].filter((each) => each !== undefined)
}

/** Names by which an exported type is computed; what it is then, such as a union of texts, needs none of them. */
const computing = new Set(["BytesMethod", "Enveloped", "EndpointNotes", "IndexOf", "JsonMethod", "Method", "Names"])

/** Types of packages that its users cannot name where only the library may import them, as with pnpm: those that no type of ours extends. */
export const unnameableTypes = (): ReadonlyArray<string> =>
  (Object.keys(entryPoints) as Array<keyof typeof entryPoints>).flatMap((each) =>
    [...exportsOf(each).values()].flatMap(({ file, name, text }) =>
      [...moduleOf(file).foreign]
        .filter((foreign) => new RegExp(`(?<!extends )\\b${foreign}\\b`).test(text.replace(/"[^"\n]*"/g, "")))
        .map((foreign) => `${foreign}, of ${name}`)
    )
  )

/** The cases of an exported union that have a name of their own, which is reached by the union. */
export const casesOf = (declaration: Declaration): ReadonlyArray<Declaration> =>
  declaration.text.includes("Schema.toTaggedUnion<")
    ? spokenOf(declaration).filter(({ text }) => text.includes("Schema.Opaque<"))
    : []

/** What a service, a layer or a function takes and gives is named; what is only within a record or an error is reached by its field. */
const isSpeaking = ({ text }: Declaration): boolean =>
  text.includes("Context.ServiceClass<") || /^declare const \w+: (?:Layer\.|Config\.|<|\()/.test(text)

/** Names in signatures of the library that none of its entry points exports, each with a place that speaks of it. */
export const unreachableNames = (): ReadonlyArray<string> => {
  const all = (Object.keys(entryPoints) as Array<keyof typeof entryPoints>).flatMap((each) => [
    ...exportsOf(each).values()
  ])
  const known = new Set(all)
  const missing = new Map<Declaration, string>()
  for (const declaration of all.filter(isSpeaking)) {
    for (const spoken of spokenOf(declaration)) {
      if (!known.has(spoken) && !computing.has(spoken.name) && !missing.has(spoken))
        missing.set(spoken, declaration.name)
    }
  }
  return [...missing].map(([{ file, name }, by]) => `${name} (${file.slice(root.length + 9)}), of ${by}`).toSorted()
}
