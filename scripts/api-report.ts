/**
 * `npm run docs:api`: what the three entry points of the library export, with its types, as `docs/api-report.md`. A test compares it, so that a change of
 * the interface is seen where it is made, and is meant.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const lib = join(root, "dist", "lib")

const entryPoints: ReadonlyArray<readonly [name: string, path: string]> = [
  ["svc-steps", "core/src/index.d.ts"],
  ["svc-steps/node", "platform/index.d.ts"],
  ["svc-steps/sandbox", "sandbox/index.d.ts"]
]

/** The statements of a file of declarations, without comments and private parts. */
const statementsOf = (path: string): ReadonlyArray<string> => {
  const text = readFileSync(path, "utf8")
    .replace(/\/\*\*[\s\S]*?\*\//g, "")
    .replace(/^\s*(?:\/\/.*|private .*|#private;)$/gm, "")
    .replace(/^\s*\n/gm, "")
  return text.split(/^(?=(?:export|declare|import|type|interface) )/m).map((statement) => statement.trim())
}

const named = /^(?:export )?(?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|namespace|enum) (\w+)/

interface Exported {
  readonly name: string
  readonly declaration: string
}

/** What a module exports, through however many modules it is exported. */
const exportsOf = (path: string): ReadonlyArray<Exported> => {
  const statements = statementsOf(path)
  const target = (from: string) => resolve(dirname(path), from.replace(/\.(?:ts|js)$/, ".d.ts"))
  /** A declaration with the nameless base that it extends. */
  const declared = (name: string): string => {
    const own = statements.filter((statement) => named.exec(statement)?.[1] === name)
    const base = statements.filter((statement) => named.exec(statement)?.[1] === `${name}_base`)
    return [...base, ...own].map((statement) => statement.replace(/^export /, "")).join("\n")
  }
  return statements.flatMap((statement): ReadonlyArray<Exported> => {
    const star = /^export \* from "(\.[^"]+)"/.exec(statement)?.[1]
    if (star !== undefined) return exportsOf(target(star))
    const [, list, from] = /^export (?:type )?\{([^}]*)\}(?: from "(\.[^"]+)")?/.exec(statement) ?? []
    if (list !== undefined) {
      const names = list.split(",").flatMap((part) => {
        const [, inner, outer] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(part) ?? []
        return inner === undefined ? [] : [{ inner, outer: outer ?? inner }]
      })
      const found = from === undefined ? null : exportsOf(target(from))
      return names.map(({ inner, outer }) => {
        const declaration = found === null ? declared(inner) : found.find(({ name }) => name === inner)?.declaration
        if (declaration === undefined || declaration === "") throw new Error(`${path}: no declaration of ${inner}`)
        return { name: outer, declaration: inner === outer ? declaration : `${declaration}\n// exported as ${outer}` }
      })
    }
    const name = statement.startsWith("export ") ? named.exec(statement)?.[1] : undefined
    return name === undefined ? [] : [{ name, declaration: declared(name) }]
  })
}

const endpoint = /HttpApiEndpoint<"(\w+)", "(\w+)", "([^"]+)"/g

/** A type of hundreds of lines, as schemas have them, by its beginning, the endpoints in it, and a hash of all of it. */
const declarationText = (declaration: string) => {
  if (declaration.length <= 1_500) return declaration
  const hash = createHash("sha256").update(declaration).digest("hex").slice(0, 16)
  const endpoints = [...declaration.matchAll(endpoint)].map(
    ([, name, method, path]) => `// ${method} ${path} ${name}\n`
  )
  return `${declaration.slice(0, 500).replace(/\n.*$/, "")}\n${endpoints.toSorted().join("")}// and so on: ${hash}`
}

const section = ([name, path]: (typeof entryPoints)[number]) => {
  const all = new Map(exportsOf(join(lib, path)).map((each) => [each.name, each.declaration]))
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  return `## ${name}\n\n\`\`\`ts\n${sorted.map(([, declaration]) => declarationText(declaration)).join("\n\n")}\n\`\`\`\n`
}

export const apiReport = (): string => `# What the library exports

Made of the built declarations by \`npm run docs:api\`. Whoever changes it changes the interface: [releases.md](releases.md) says what that means
for the version, [library.md](library.md) how it is used.

${entryPoints.map(section).join("\n")}`

if (import.meta.main) writeFileSync(join(root, "docs", "api-report.md"), apiReport())
