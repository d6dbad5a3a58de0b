/**
 * Writes one self-contained file per executable into `dist/`, commands that start them on the Node of this clone into
 * `dist/bin/` (to put on PATH), the licences of what they contain, their manual pages (`dist/man/`), the schemas of what is written and read, and
 * the library as modules with their types into `dist/lib/` (docs/adr/0006).
 *
 *     node scripts/build.ts [--quiet] [--no-library] [--compiled] [--outdir DIR]
 *
 * The same sources give the same bytes on any machine: no time, no path and no random name enters a file. With
 * `--compiled` the executables are run once, and start from functions compiled for this Node (docs/adr/0017).
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { build, type Metafile, transformSync } from "esbuild"
import { bundling } from "./bundling.ts"
import { manPages } from "./man-pages.ts"
import { packagesIn, sbom } from "./sbom.ts"
import { schemas } from "./schemas.ts"

/** Every executable of the product: its name in `dist/` and the module that starts it. */
const executables: Readonly<Record<string, string>> = {
  "svc-steps": "steps/main/svc-steps.ts",
  "svc-download": "steps/download/svc-download.ts",
  "svc-request-restore": "steps/request-restore/svc-request-restore.ts",
  "svc-resume-restore": "steps/resume-restore/svc-resume-restore.ts",
  "svc-fetch-annotations": "steps/fetch-annotations/svc-fetch-annotations.ts",
  "svc-api": "steps/api/svc-api.ts",
  "svc-verify": "steps/verify/svc-verify.ts",
  "svc-doctor": "steps/doctor/svc-doctor.ts",
  "svc-gateway": "steps/gateway/svc-gateway.ts",
  "svc-sandbox": "sandbox/serve.ts"
}

const root = fileURLToPath(new URL("..", import.meta.url))
const { values: options } = parseArgs({
  options: {
    quiet: { type: "boolean", default: false },
    library: { type: "boolean", default: true },
    compiled: { type: "boolean", default: false },
    outdir: { type: "string", default: "dist" }
  },
  allowNegative: true
})
const outdir = resolve(root, options.outdir)

/**
 * An older Node would fail somewhere inside, as if the fault were ours: the file itself says what it needs. It ends with
 * 78, as for other settings of the machine that cannot be used.
 */
const oldestNode = (): string => {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? []
  if (minor === undefined) throw new Error(`engines.node is not of the form >=MAJOR.MINOR: ${engines.node}`)
  return `{
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < ${major} || (major === ${major} && minor < ${minor})) {
    console.error("Error: This needs Node ${major}.${minor} or newer, and was started with Node " + process.versions.node + ".");
    process.exit(78);
  }
}`
}

const starter = readFileSync(join(root, "scripts", "starter.ts"), "utf8")

/** The text of an executable, of which the program is all but the first two lines and the last (scripts/starter.ts). */
const asExecutable = (program: string): string => {
  // Would end a comment; esbuild escapes them.
  if (/[\r\u2028\u2029]/.test(program)) throw new Error("a line of a program ends in another way than by a line feed")
  const head = transformSync(`${oldestNode()}\n${starter}`, {
    loader: "ts",
    format: "iife",
    target: bundling.target,
    minify: true,
    // One line, with \\n for a line feed.
    supported: { "template-literal": false },
    define: { digest: JSON.stringify(createHash("sha256").update(program).digest("hex")) }
  }).code.trim()
  return `#!/usr/bin/env node\n(function starter(){${head}\n${program.trimEnd().replace(/^/gm, "//")}\n})()\n`
}

const writeLicences = (inputs: ReadonlyArray<string>) => {
  const packages = new Set(inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]))
  const texts = [...packages]
    .filter((name) => name !== undefined)
    .sort()
    .map((name) => {
      const folder = join(root, "node_modules", name)
      const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]
        .map((path) => join(folder, path))
        .find((path) => existsSync(path))
      const text = file === undefined ? "" : `\n\n${readFileSync(file, "utf8").trim()}`
      return `${name} ${version} (${license})${text}\n`
    })
  replaceFile(
    join(outdir, "THIRD-PARTY-LICENSES.txt"),
    `The executables in this folder contain parts of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n`)}`,
    0o644
  )
}

const sizes = (metafile: Metafile) =>
  Object.values(metafile.outputs)
    .flatMap((output) => (output.entryPoint === undefined ? [] : [`${Math.round(output.bytes / 1024)} kB`]))
    .join("")

/** Whoever runs the old file while we build keeps it; nobody sees half of the new one. */
const replaceFile = (path: string, content: string | Uint8Array, mode: number) => {
  const fresh = `${path}.${process.pid}`
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

/** Starts an executable on the Node of this clone: that of the machine may be older than what the executables need. */
const launcher = (name: string) => `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
node=$here/../../node_modules/.bin/node
[ -x "$node" ] || node=node
exec "$node" "$here/../${name}.js" "$@"
`

const bin = join(outdir, "bin")
mkdirSync(bin, { recursive: true })
for (const name of readdirSync(outdir)) {
  const [, executable] = /^(.*)\.js(?:\..*\.compiled)?$/.exec(name) ?? []
  if (executable !== undefined && !(executable in executables)) rmSync(join(outdir, name))
}
for (const name of readdirSync(bin)) if (!(name in executables)) rmSync(join(bin, name))
const bundled = new Set<string>()
const contained = new Set<string>()
for (const [name, entry] of Object.entries(executables)) {
  const outfile = join(outdir, `${name}.js`)
  const { metafile, outputFiles } = await build({
    ...bundling,
    entryPoints: [entry],
    outfile,
    // A script, which also starts from functions compiled before (docs/adr/0017).
    format: "iife",
    metafile: true,
    write: false
  }).catch(() => process.exit(1)) // esbuild has said why
  for (const { text } of outputFiles) {
    replaceFile(outfile, asExecutable(text.replace(/^#!.*\n/, "")), 0o755)
  }
  replaceFile(join(bin, name), launcher(name), 0o755)
  for (const input of Object.keys(metafile.inputs)) bundled.add(input)
  for (const folder of packagesIn(metafile)) contained.add(folder)
  if (!options.quiet) console.log(`${options.outdir}/${name}.js  ${sizes(metafile)}`)
}
writeLicences([...bundled])
replaceFile(join(outdir, "sbom.cdx.json"), sbom(root, [...contained].sort()), 0o644)
for (const [name, schema] of Object.entries(schemas())) {
  replaceFile(join(outdir, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`, 0o644)
}
const man = join(outdir, "man", "man1")
mkdirSync(man, { recursive: true })
for (const [name, page] of Object.entries(manPages())) replaceFile(join(man, `${name}.1`), page, 0o644)
if (options.library) writeLibrary()
if (options.compiled) {
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "warm.ts"), outdir], { stdio: "inherit" })
  if (status !== 0) console.error("The executables could not be run here: they will start slower than they could.")
}
