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
import { delimiter, dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"

const root = realpathSync(fileURLToPath(new URL("..", import.meta.url)))
const modules = join(root, "node_modules")
const oldestNode = [22, 19]
const [major, minor] = process.versions.node.split(".").map(Number)
const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])

const say = (line) => process.stderr.write(`${line}\n`)
const stop = (line) => {
  say(line)
  process.exit(1)
}
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))
const fits = (wanted, here) => wanted === undefined || [wanted].flat().includes(here)

/** The C library of this machine, as npm finds it out; null where there is only one. */
const libc = () => {
  if (process.platform !== "linux") return null
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc"
}

const readLock = () => {
  try {
    return readJson(join(root, "package-lock.json")).packages
  } catch (error) {
    return stop(
      `package-lock.json cannot be read (${error.message.replace(/\s+/g, " ")}): git checkout package-lock.json brings it back.`
    )
  }
}

/** What an installation says it has left; nothing where it was interrupted, since npm writes this file last. */
const readInstalled = () => {
  try {
    return readJson(join(modules, ".package-lock.json")).packages
  } catch {
    return {}
  }
}

/** The packages that this machine needs from the lock, and does not have in the locked version. */
const missingPackages = () => {
  const locked = readLock()
  const installed = readInstalled()
  return Object.keys(locked).filter((path) => {
    const entry = locked[path]
    if (path === "" || !fits(entry.os, process.platform) || !fits(entry.cpu, process.arch)) return false
    // For other machines than the three systems that have packages of their own.
    if (entry.optional === true && entry.os === undefined) return false
    if (installed[path]?.integrity === entry.integrity && existsSync(join(root, path))) return false
    return entry.libc === undefined || fits(entry.libc, libc())
  })
}

/** What npm says, and what helps. The first that fits counts: npm names a full disk in a message about its cache, too. */
const advice = [
  [
    /\bENOSPC\b|\bEDQUOT\b/,
    "the disk is full: make room, 500 MB, in this folder and in npm's cache (npm config get cache)"
  ],
  [
    /\bEROFS\b|\bEACCES\b|\bEPERM\b/,
    "npm may not write to a folder that it names: give this user the right to this clone and to npm's cache (npm config get cache), or clone elsewhere"
  ],
  [
    /\bEUSAGE\b|\bELOCKVERIFY\b/,
    "package-lock.json does not fit package.json: git checkout package-lock.json, or npm install --package-lock-only after a change of dependencies"
  ],
  [
    /\bEINTEGRITY\b/,
    "what came is not what the lock names: npm cache clean --force, and then ask whoever runs your registry"
  ],
  [/\bE40[137]\b|\bENEEDAUTH\b/, "the registry wants a login: npm config get registry shows which"],
  [/\bE404\b|\bETARGET\b/, "the registry lacks a locked package: npm config get registry shows which"],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_/,
    "the certificate of the registry is not trusted: set npm's cafile, or NODE_EXTRA_CA_CERTS"
  ],
  [
    /\bE(?:NOTFOUND|AI_AGAIN|CONN\w+|TIMEDOUT|HOSTUNREACH|NETUNREACH|5\d\d)\b|ERR_SOCKET_TIMEOUT|ENETUNREACH|network/,
    "the registry cannot be reached: look at the network, npm's proxy and npm config get registry"
  ]
]

/** A PATH without this clone's own folders: npm must not run on the Node that is about to be removed with them. */
const pathOutside = () =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !`${folder}${sep}`.startsWith(`${modules}${sep}`))
    .join(delimiter)

const ended = new AbortController()
const npm = (path, ...what) =>
  new Promise((resolve) => {
    let output = ""
    const child = spawn("npm", [...what, "--loglevel=error"], {
      signal: ended.signal,
      cwd: root,
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32"
    })
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text))
    child.on("error", (error) => resolve({ status: error.code, output }))
    child.on("close", (code, signal) => resolve({ status: code ?? signal, output }))
  })

/** Pauses between the tries of npm: with its own, of 10 s and more, somebody behind a wrong proxy waits for minutes. */
const soon = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
const npmCi = (path, ...what) => npm(path, "ci", "--ignore-scripts", "--no-audit", "--no-fund", ...soon, ...what)

/** npm ends well without an optional package that it could not fetch, and is silent on it: asked for that one alone, it says why. */
const checkFetch = async (path, missing) => {
  const { version } = readLock()[missing]
  const name = missing.slice(missing.lastIndexOf("node_modules/") + "node_modules/".length)
  check(await npm(path, "cache", "add", `${name}@${version}`, "--fetch-retries=0"))
}

/** The Node of the lock, asked of its package, where it runs; npm 10 makes no link to it in `.bin`. */
const lockedNode = () => {
  const folder = join(modules, `node-${process.platform}-${process.arch}`)
  if (!existsSync(join(folder, "package.json"))) return null
  const path = join(folder, readJson(join(folder, "package.json")).bin.node)
  if (path === process.execPath) return path
  // That of another C library is there and does not start.
  return spawnSync(path, ["--version"]).status === 0 ? path : null
}

/** The Node to run on: the locked one, else a system Node that is new enough. */
const findNode = () => {
  const locked = lockedNode()
  if (locked !== null) return locked
  if (isNewEnough) return process.execPath
  return stop(
    `The Node of the lock is for Linux with glibc on x64 and arm64, and does not run here (${process.platform}, ${process.arch}): ` +
      `please install Node ${readFileSync(join(root, ".nvmrc"), "utf8").trim()}, or another from ${oldestNode.join(".")} on. This one is ${process.versions.node}.`
  )
}

/** Ends here when npm did not do it. */
const check = ({ output, status }) => {
  if (status === 0) return
  if (status === "ENOENT")
    stop("There is no npm beside this Node: install one (Debian has it in the package npm), and run the same again.")
  const known = advice.find(([said]) => said.test(output))
  if (known !== undefined) stop(`Not installed: ${known[1]}. Then run the same again. (${errorLines(output)})`)
  say(output)
  stop(`Not installed: npm ci ended with ${status}, its message is above. Run the same again when that is mended.`)
}

const install = async () => {
  const missing = missingPackages()
  if (missing.length === 0) return
  say(`Installing ${missing.length} locked packages (npm ci), about 130 MB, once ...`)
  const started = process.hrtime.bigint()
  const seconds = () => Math.round(Number(process.hrtime.bigint() - started) / 1e9)
  const outside = pathOutside()
  let trouble = ""
  const alive = setInterval(() => say(`... still installing, ${seconds()} s${trouble}`), 10_000)
  // npm waits for a silent registry for 15 minutes, and says nothing until then.
  npm(outside, "ping", "--fetch-retries=0", "--fetch-timeout=8000").then(({ output, status }) => {
    if (status !== 0) trouble = `; the registry does not answer (${errorLines(output)})`
  })
  if (isNewEnough) check(await npmCi(outside))
  else {
    // npm leaves out optional packages that are not for the Node it runs on: the bundler of the tests, on Node 18.
    check(await npmCi(outside, "--workspace", "scripts/node"))
    const node = missingPackages().find((path) => path.endsWith(`/node-${process.platform}-${process.arch}`))
    if (node !== undefined) await checkFetch(outside, node)
    check(await npmCi([dirname(findNode()), outside].join(delimiter)))
  }
  clearInterval(alive)
  const still = missingPackages()
  if (still.length > 0) {
    await checkFetch(outside, still[0])
    const further = still.length > 1 ? ` and ${still.length - 1} more` : ""
    stop(`npm ci ended well, but ${still[0]}${further} is missing. Does npm omit some (npm config get omit)?`)
  }
  ended.abort()
  say(`Installed in ${seconds()} s.`)
}

/** npm's own words, in a line: what failed, without where its log is. */
const errorLines = (output) =>
  output
    .split("\n")
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, "").trim())
    .filter((line) => line !== "" && !/complete log of this run|^errno |^\s*at /.test(line))
    .slice(0, 3)
    .join(" | ")

/** All files below a folder, sorted; `recursive` of Node's own is younger than the oldest Node 18. */
const filesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort()

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
    for (const path of filesBelow(folder)) {
      if (/\.(ts|json|html|css)$/.test(path) && !path.endsWith(".test.ts")) add(path)
    }
  }
  for (const path of [
    "package.json",
    "package-lock.json",
    "scripts/build.ts",
    "CHANGELOG.md",
    "scripts/bundling.ts",
    "scripts/commands.ts",
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
  const { bin, exports } = readJson(join(root, "package.json"))
  const files = [...Object.values(bin), ...Object.values(exports).flatMap((entryPoint) => entryPoint.default ?? [])]
  const complete = files.every((path) => existsSync(join(root, path)))
  if (complete && existsSync(stamp) && readFileSync(stamp, "utf8") === now) return
  const result = spawnSync(node, [join(root, "scripts", "build.ts"), "--quiet"], { cwd: root, stdio: "inherit" })
  if (result.status !== 0) stop("The build failed: its message is above. Nothing was run.")
  try {
    writeFileSync(stamp, now)
  } catch (error) {
    stop(`dist/ cannot be written to (${error.code}): make room, or give this user the right to this clone.`)
  }
}

const run = (node, [command, ...rest]) => {
  const script = /\.(ts|mjs|js)$/.test(command)
  const own = node.startsWith(modules) ? [dirname(node)] : []
  const child = spawn(script ? node : command, script ? [join(root, command), ...rest] : rest, {
    cwd: root,
    // The Node of the lock first: commands of packages begin with `env node`.
    env: { ...process.env, PATH: [...own, join(modules, ".bin"), process.env.PATH].join(delimiter) },
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
await install()
const node = findNode()
if (withBuild) build(node)
if (args.length > 0) run(node, args)
