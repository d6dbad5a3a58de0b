/**
 * Writes into `dist/` the executables as modules that share their chunks, commands that start them on the Node of this clone
 * (`dist/bin/`, to put on PATH), the scripts of the gateway's page, the licences of what they contain, the schemas of what is
 * written and read, and the library as modules with their types (`dist/lib/`, docs/dev/adr/0006).
 *
 *     node scripts/build.ts [--quiet] [--no-library] [--outdir DIR]
 *
 * The same sources give the same bytes on any machine: no time, no path and no random name enters a file.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { build } from "esbuild"
import product from "../package.json" with { type: "json" }
import { genomeBrowser, modules, pageScripts } from "./bundling.ts"
import { licences, packagesIn, sbom } from "./sbom.ts"
import { schemas } from "./schemas.ts"

/** All of them are one file, which is by its name the step that it is. */
const executables = Object.keys(product.bin)

const root = fileURLToPath(new URL("..", import.meta.url))
const { values: options } = parseArgs({
  options: {
    quiet: { type: "boolean", default: false },
    library: { type: "boolean", default: true },
    outdir: { type: "string", default: "dist" }
  },
  allowNegative: true
})
const outdir = resolve(root, options.outdir)

process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
  const { code, path = options.outdir, syscall } = error
  console.error(
    syscall === undefined ? error : `${path}: ${code}: make room, or give this user the right to this clone.`
  )
  process.exit(1)
})

/** Whoever runs the old file while we build keeps it; nobody sees half of the new one. */
const replaceFile = (path: string, content: string | Uint8Array, mode = 0o644) => {
  const fresh = `${path}.${process.pid}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(fresh, content)
  chmodSync(fresh, mode)
  renameSync(fresh, path)
}

/** One module for each of the sources, so that what `svc-steps` and `svc-steps/node` share is there once. */
const writeLibrary = () => {
  const [fresh, old] = [join(outdir, `lib.${process.pid}`), join(outdir, `lib.${process.pid}.old`)]
  const compiler = join(root, "node_modules", ".bin", "tsc")
  const { status } = spawnSync(compiler, ["-p", "tsconfig.lib.json", "--outDir", fresh], {
    cwd: root,
    stdio: "inherit"
  })
  if (status !== 0) process.exit(1)
  const lib = join(outdir, "lib")
  if (existsSync(lib)) renameSync(lib, old)
  renameSync(fresh, lib)
  rmSync(old, { recursive: true, force: true })
}

/** The Node of this clone, which is the one that builds it; else the one on PATH. */
const ownNode = process.execPath.startsWith(root) ? `$here/../../${relative(root, process.execPath)}` : "node"

/** Starts an executable on it: that of the machine may be older than what the executables need. */
const launcher = (name: string) => `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
[ -f "$here/../${name}.js" ] || { echo "${name}: $0 is a copy, and ${name}.js is not beside its folder: link to dist/bin/${name} instead" >&2; exit 127; }
node=${ownNode}
[ -x "$node" ] || node=node
exec "$node" "$here/../${name}.js" "$@"
`

const { metafile, outputFiles } = await build({
  ...modules,
  sourcemap: "linked",
  sourcesContent: false,
  // Wherever the files go: source maps name their sources from here, and the names of chunks depend on that.
  outdir: `${root}dist`,
  entryPoints: { "svc-steps": "steps/main/Executable.ts" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]"
}).catch(() => process.exit(1)) // esbuild has said why

const written = new Set<string>()
const write = (name: string, content: Uint8Array, mode?: number) => {
  replaceFile(join(outdir, name), content, mode)
  written.add(join(outdir, name))
}
for (const { contents, path } of outputFiles) {
  const name = relative(`${root}dist`, path)
  if (name === "svc-steps.js") for (const each of executables) write(`${each}.js`, contents, 0o755)
  else write(name, contents)
}
for (const name of executables) replaceFile(join(outdir, "bin", name), launcher(name), 0o755)

// What an older build left.
for (const folder of [outdir, join(outdir, "chunks")]) {
  for (const name of readdirSync(folder).filter((name) => /\.(?:js|map|compiled)$/.test(name))) {
    if (!written.has(join(folder, name))) rmSync(join(folder, name))
  }
}

for (const [name, content] of await pageScripts()) replaceFile(join(outdir, "page", name), content)

const packages = [...packagesIn(metafile), genomeBrowser].sort()
replaceFile(join(outdir, "THIRD-PARTY-LICENSES.txt"), licences(root, packages))
replaceFile(join(outdir, "sbom.cdx.json"), sbom(root, packages))
for (const [name, schema] of Object.entries(schemas())) {
  replaceFile(join(outdir, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`)
}
if (options.library) writeLibrary()
if (!options.quiet) {
  const size = outputFiles.reduce((sum, { contents, path }) => sum + (path.endsWith(".js") ? contents.length : 0), 0)
  console.log(`${options.outdir}: ${executables.length} executables, ${Math.round(size / 1024)} kB of code`)
}
