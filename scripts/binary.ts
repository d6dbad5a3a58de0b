/**
 * `npm run binary`: the steps and the Node of the lock as one file that needs neither, `dist/svc-steps-linux-x64` and the same for
 * arm64 where its Node is installed; beside each its licences, bill of materials and SHA-256.
 *
 *     node scripts/binary.ts [--outdir DIR]
 *
 * Node reads the program from a section of its own file (a single executable application). It starts from code that Node compiled
 * while this ran, where the processor is the same. The same sources give the same bytes.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { build } from "esbuild"
import { bundling, genomeBrowser, pageScripts } from "./bundling.ts"
import { licences, packagesIn, sbom } from "./sbom.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const { values: options } = parseArgs({ options: { outdir: { type: "string", default: "dist" } } })
const outdir = resolve(root, options.outdir)

/** By which Node knows its section; Node's documentation gives it. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"

const work = mkdtempSync(join(tmpdir(), "svc-binary-"))
process.on("exit", () => rmSync(work, { recursive: true, force: true }))

// A script: the form whose compiled code Node can keep.
const { metafile, outputFiles } = await build({
  ...bundling,
  format: "cjs",
  entryPoints: { program: "steps/main/SingleExecutable.ts" },
  define: { "import.meta.url": '"file:///"' },
  outdir: work
}).catch(() => process.exit(1)) // esbuild has said why
for (const { contents, path } of outputFiles) writeFileSync(path, contents)
const scripts = await pageScripts()
for (const [name, content] of scripts) writeFileSync(join(work, name), content)

const run = (command: string, ...args: ReadonlyArray<string>) => {
  const { error, status, stderr } = spawnSync(command, args, { cwd: work, encoding: "utf8" })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr}`)
}

/** Writes the file `blob`, which Node reads when it starts. */
const makeBlob = (node: string, isThisProcessor: boolean) => {
  const settings = {
    main: "program.js",
    output: "blob",
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries([...scripts.keys()].map((name) => [name, name])),
    useCodeCache: isThisProcessor
  }
  writeFileSync(join(work, "sea.json"), JSON.stringify(settings))
  // Else V8 draws a seed for its tables, and what it compiles is never the same twice.
  run(node, "--random-seed=1", "--experimental-sea-config", "sea.json")
}

mkdirSync(outdir, { recursive: true })
for (const processor of ["x64", "arm64"]) {
  const folder = `node_modules/node-linux-${processor}`
  const node = join(root, folder, "bin/node")
  if (!existsSync(node)) continue
  const isThisProcessor = processor === process.arch
  const path = join(outdir, `svc-steps-linux-${processor}`)
  const fresh = `${path}.${process.pid}`
  copyFileSync(node, fresh)
  makeBlob(isThisProcessor ? node : process.execPath, isThisProcessor)
  run(join(root, "node_modules/.bin/postject"), fresh, "NODE_SEA_BLOB", "blob", "--sentinel-fuse", fuse)
  chmodSync(fresh, 0o755)
  renameSync(fresh, path)
  const packages = [...packagesIn(metafile), folder, genomeBrowser]
  writeFileSync(`${path}.licenses.txt`, licences(root, packages))
  writeFileSync(`${path}.cdx.json`, sbom(root, packages))
  const sum = createHash("sha256").update(readFileSync(path)).digest("hex")
  writeFileSync(`${path}.sha256`, `${sum}  svc-steps-linux-${processor}\n`)
  console.log(`${path}  ${Math.round(readFileSync(path).length / 1e6)} MB, SHA-256 ${sum}`)
}
