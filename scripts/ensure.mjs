/**
 * Runs a command of this project on a machine that has only git, Node and npm.
 *
 *     node scripts/ensure.mjs [--no-build] <command or script> [arguments]
 *
 * It installs the locked packages when they are missing or differ from the lock, builds `dist/` when a source is newer
 * than it, and then runs the command on the Node of the lock. It has no dependencies and must itself run on Node 18.
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const bin = join(root, "node_modules", ".bin")
const pinnedNode = join(bin, "node")
const oldestNode = [22, 19]

const say = (line) => process.stderr.write(`${line}\n`)
const stop = (line) => {
  say(line)
  process.exit(1)
}
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))
const fits = (wanted, here) => wanted === undefined || [wanted].flat().includes(here)

/** The packages that this machine needs from the lock, and does not have in the locked version. */
const missingPackages = () => {
  const locked = readJson(join(root, "package-lock.json")).packages
  // npm writes this file last, so an interrupted installation does not look complete.
  const list = join(root, "node_modules", ".package-lock.json")
  const installed = existsSync(list) ? readJson(list).packages : {}
  return Object.keys(locked).filter((path) => {
    const entry = locked[path]
    if (path === "" || !fits(entry.os, process.platform) || !fits(entry.cpu, process.arch)) return false
    // An optional package for another C library is rightly absent; npm knows, we do not.
    if (entry.optional === true && (entry.libc !== undefined || entry.os === undefined)) return false
    return installed[path]?.integrity !== entry.integrity || !existsSync(join(root, path))
  })
}

const install = () => {
  const missing = missingPackages()
  if (missing.length === 0) return
  say(`Installing ${missing.length} locked packages (npm ci), about 130 MB, once ...`)
  const started = process.hrtime.bigint()
  // Not on the Node that is about to be removed with node_modules.
  const path = process.env.PATH.split(delimiter).filter((folder) => folder !== bin.replace(/[/\\]$/, ""))
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  if (npm.status !== 0) {
    say(`${npm.stdout ?? ""}${npm.stderr ?? npm.error?.message ?? ""}`)
    stop("npm ci failed: its message is above. Nothing was run.")
  }
  const still = missingPackages()
  if (still.length > 0) stop(`npm ci ended well, but these packages are missing: ${still.join(", ")}`)
  say(`Installed in ${Math.round(Number(process.hrtime.bigint() - started) / 1e9)} s.`)
}

/** The Node to run on: the locked one, else a system Node that is new enough. */
const findNode = () => {
  if (existsSync(pinnedNode)) return realpathSync(pinnedNode)
  const [major, minor] = process.versions.node.split(".").map(Number)
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath
  return stop(
    `This needs Node ${oldestNode.join(".")} or newer. The lock has one for Linux on x64 and arm64; this is ` +
      `${process.platform} on ${process.arch} with Node ${process.versions.node}: please install a newer Node.`
  )
}

/** One hash over everything that goes into the executables. */
const sourcesHash = () => {
  const hash = createHash("sha256")
  const add = (path) =>
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0")
  for (const folder of ["core", "platform", "steps", "gateway", "sandbox"]) {
    if (!existsSync(join(root, folder))) continue
    for (const path of readdirSync(join(root, folder), { recursive: true }).map(String).sort()) {
      if (/\.(ts|json|html|css)$/.test(path) && !path.endsWith(".test.ts")) add(join(folder, path))
    }
  }
  for (const path of [
    "package.json",
    "package-lock.json",
    "scripts/build.ts",
    "CHANGELOG.md",
    "scripts/bundling.ts",
    "scripts/commands.ts",
    "scripts/man-pages.ts",
    "scripts/sbom.ts",
    "scripts/schemas.ts",
    "tsconfig.json",
    "tsconfig.lib.json"
  ]) {
    add(path)
  }
  return hash.digest("hex")
}

const build = (node) => {
  const stamp = join(root, "dist", ".sources")
  const now = sourcesHash()
  const { bin, exports, man } = readJson(join(root, "package.json"))
  const files = [...Object.values(bin), ...man, ...Object.values(exports).map((entryPoint) => entryPoint.default)]
  const complete = files.every((path) => existsSync(join(root, path)))
  if (complete && existsSync(stamp) && readFileSync(stamp, "utf8") === now) return
  const result = spawnSync(node, [join(root, "scripts", "build.ts"), "--quiet"], { cwd: root, stdio: "inherit" })
  if (result.status !== 0) stop("The build failed: its message is above. Nothing was run.")
  writeFileSync(stamp, now)
}

const run = (node, [command, ...rest]) => {
  const script = /\.(ts|mjs|js)$/.test(command)
  const child = spawn(script ? node : command, script ? [join(root, command), ...rest] : rest, {
    cwd: root,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    stdio: "inherit"
  })
  // A terminal sends SIGINT to both of us: the command decides when to end.
  process.on("SIGINT", () => {})
  process.on("SIGTERM", () => child.kill("SIGTERM"))
  child.on("error", (error) => stop(`Cannot run ${command}: ${error.message}`))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

const args = process.argv.slice(2)
const withBuild = args[0] !== "--no-build"
if (!withBuild) args.shift()
install()
const node = findNode()
if (withBuild) build(node)
if (args.length > 0) run(node, args)
