import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { transformSync } from "esbuild"
import { root } from "./Root.ts"

const listed = (...which: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--deduplicate", ...which], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => path !== "" && existsSync(`${root}${path}`))

/** Every file of the repository: what git knows, not what somebody has left in the checkout; paths relative to the root. */
export const repositoryFiles = listed("--cached")

/** A module of the product as the rules see it. */
export interface SourceModule {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text without comments, types and the content of plain strings. */
  readonly code: string
  /** What it imports, types included: a package or built-in as written, a module as a path from the root. */
  readonly imports: ReadonlyArray<string>
}

const importPattern = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1")

const importsIn = (code: string, path: string) =>
  [...code.matchAll(importPattern)].map(([, target = ""]) =>
    target.startsWith(".") ? posix.join(posix.dirname(path), target) : target
  )

const codeOf = (text: string): string => {
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
  const printed = transformSync(text, {
    loader: "ts",
    legalComments: "none",
    charset: "utf8",
    target: "esnext",
    tsconfigRaw
  })
  return printed.code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
}

const read = (path: string): SourceModule => {
  const text = readFileSync(`${root}${path}`, "utf8")
  let code: string | undefined
  return {
    path,
    text,
    // Few rules ask for it, and none for that of a test.
    get code() {
      code ??= codeOf(text)
      return code
    },
    imports: importsIn(withoutComments(text), path)
  }
}

/** Where the product is; the rest of the repository serves it. */
export const productFolders = ["core", "platform", "steps", "gateway", "sandbox"]

/** All TypeScript modules under core, platform, steps, gateway and sandbox, tests and those that git does not know yet included. */
export const allModules: ReadonlyArray<SourceModule> = listed(
  "--cached",
  "--others",
  "--exclude-standard",
  "--",
  ...productFolders
)
  .filter((path) => path.endsWith(".ts"))
  .map(read)

/** The same without tests. */
export const productModules = allModules.filter(({ path }) => !path.endsWith(".test.ts"))
