/**
 * The package as it is published: `node scripts/package.ts FOLDER` writes its tarball there and prints its name.
 *
 * What belongs to this repository alone (scripts, what builds and tests, the workspace) is not in its package.json: npm would
 * warn of a script `prepare` that is there and must not run.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const npm = (cwd: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("npm", args, { cwd, encoding: "utf8" })
  if (status === 0) return stdout
  console.error(stderr)
  process.exit(1)
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error("Usage: node scripts/package.ts FOLDER")
  process.exit(64)
}
mkdirSync(folder, { recursive: true })
const staging = mkdtempSync(join(tmpdir(), "svc-package-"))
process.once("exit", () => rmSync(staging, { recursive: true, force: true }))

interface Packed {
  readonly files: ReadonlyArray<{ readonly path: string }>
}
const packed: ReadonlyArray<Packed> = JSON.parse(npm(root, "pack", "--dry-run", "--json", "--ignore-scripts"))
for (const { path } of packed.flatMap(({ files }) => files)) {
  mkdirSync(dirname(join(staging, path)), { recursive: true })
  copyFileSync(join(root, path), join(staging, path))
}
const {
  devDependencies: _,
  scripts: __,
  workspaces: ___,
  ...published
} = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
writeFileSync(join(staging, "package.json"), `${JSON.stringify(published, null, 2)}\n`)
process.stdout.write(npm(staging, "pack", "--silent", "--ignore-scripts", "--pack-destination", resolve(folder)))
