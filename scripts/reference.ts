/**
 * `npm run docs:reference`: the API reference of the library in `dist/docs`, made by typedoc from the doc comments. Fails at a link that leads nowhere.
 *
 * typedoc does not run on TypeScript 7 yet, so it has a lock and a TypeScript of its own (scripts/reference), installed when it is needed.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const lock = join(root, "scripts", "reference", "package-lock.json")
const place = join(root, ".e2e", "reference")
const out = join(root, "dist", "docs")

const run = (command: string, args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(command, args, { cwd: place, encoding: "utf8" })
  if (status === 0) return
  console.error(`${stdout}${stderr}`)
  process.exit(1)
}

const stamp = join(place, ".installed")
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== readFileSync(lock, "utf8")) {
  rmSync(place, { recursive: true, force: true })
  cpSync(dirname(lock), place, { recursive: true })
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  writeFileSync(stamp, readFileSync(lock))
}

// A module for each entry point, under the name that is imported.
const entryPoints = [
  ["svc-steps", "core/src/index.ts"],
  ["svc-steps-node", "platform/index.ts"],
  ["svc-steps-sandbox", "sandbox/index.ts"]
] as const
const entries = join(place, "entries")
mkdirSync(entries, { recursive: true })
for (const [name, path] of entryPoints) writeFileSync(join(entries, `${name}.ts`), `export * from "../../../${path}"\n`)
if (!existsSync(join(place, "entries", "node_modules")))
  symlinkSync(join(root, "node_modules"), join(entries, "node_modules"))
writeFileSync(
  join(place, "tsconfig.json"),
  JSON.stringify({
    extends: "../../tsconfig.json",
    compilerOptions: { plugins: [], types: ["node"], typeRoots: [join(root, "node_modules", "@types")] },
    include: [],
    files: entryPoints.map(([name]) => `entries/${name}.ts`)
  })
)
rmSync(out, { recursive: true, force: true })
run(process.execPath, [
  "node_modules/typedoc/bin/typedoc",
  ...entryPoints.flatMap(([name]) => ["--entryPoints", `entries/${name}.ts`]),
  ...["--tsconfig", "tsconfig.json", "--out", out, "--name", "svc-steps", "--readme", join(root, "docs", "library.md")],
  // Types are checked by `npm run check`, with the TypeScript of this project.
  ...["--skipErrorChecking", "--excludeExternals", "--excludePrivate", "--disableSources", "--hideGenerator"],
  ...["--validation.notExported", "false", "--treatValidationWarningsAsErrors"]
])

/** Links of the pages that lead to nothing. */
const broken = readdirSync(out, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".html"))
  .flatMap((path) =>
    [...readFileSync(join(out, path), "utf8").matchAll(/(?:href|src)="([^"#?]+)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link))
      .filter((link) => !existsSync(resolve(join(out, dirname(path)), decodeURI(link))))
      .map((link) => `${path} -> ${link}`)
  )
if (broken.length > 0) {
  console.error(`Links that lead nowhere:\n${broken.join("\n")}`)
  process.exit(1)
}
console.log(`dist/docs/index.html, ${readdirSync(out, { recursive: true }).length} files`)
