/**
 * `npm run bench:startup`: CPU of starting each executable, and of the smallest jobs against the sandbox, beside `node -e 0`
 * in the same run on the same machine: the modules of `dist/`, with what Node has compiled of them before (the second start of a user),
 * and the binary (`npm run binary`), where there is one.
 * Prints the table that stands in bench/README.md, and which goals are missed; ends 1 when one is.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const rounds = 15
/** At most so many times the CPU of `node -e 0`. */
const goals = { help: 2, api: 10, slice: 14 }

const root = fileURLToPath(new URL("../", import.meta.url))
const dist = join(root, "dist")
const names = readdirSync(dist).flatMap((name) => /^(svc-[a-z-]+)\.js$/.exec(name)?.[1] ?? [])
const binary = join(dist, `svc-steps-linux-${process.arch}`)
const work = mkdtempSync(join(tmpdir(), "bench-startup-"))
const out = join(work, "out")
mkdirSync(out)

const sandbox = spawn(process.execPath, [join(dist, "svc-sandbox.js")], { stdio: ["ignore", "pipe", "inherit"] })
process.on("exit", () => {
  sandbox.kill()
  rmSync(work, { recursive: true, force: true })
})
const ready = await new Promise<string>((done) => sandbox.stdout.once("data", (bytes) => done(String(bytes))))
const { password, url, user } = JSON.parse(ready)
const account = { SVC_TARGET: url, SVC_USER: user, SVC_PASSWORD: password, SVC_LOCK_DIR: join(work, "locks") }

interface Case {
  readonly label: string
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What it ends with. */
  readonly code: number
  /** Null where none is set: a pipeline starts steps thousands of times, and the sandbox once. */
  readonly goal: number | null
}

const slice = ["-a", "A1", "-f", "bam", "-g", "chr1:1-10000", "-d", out, "--overwrite", "--loglevel", "error"]
const cases: ReadonlyArray<Case> = [
  ...names.map((name) => ({
    label: `${name} --help`,
    ...{ name, args: ["--help"], code: 0, goal: name === "svc-sandbox" ? null : goals.help }
  })),
  // Everything is loaded and the settings are read, then a required one is missing: the start of a real run.
  { label: "svc-download --list", name: "svc-download", args: ["--list"], code: 64, goal: null },
  { label: "svc-api get-analyses", name: "svc-api", args: ["get-analyses"], env: account, code: 0, goal: goals.api },
  {
    label: "svc-download -g chr1:1-10000",
    name: "svc-download",
    args: slice,
    env: account,
    code: 0,
    goal: goals.slice
  }
]

// A process cannot ask for the CPU of one child, only for its own: a Node in between would count itself. The shell's
// `times` prints user and system time of its children, in steps of 1 ms.
const cpuOf = (command: ReadonlyArray<string>, code = 0, env: Readonly<Record<string, string>> = {}) => {
  const { status, stderr } = spawnSync(
    "bash",
    ["--norc", "-c", 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1', "-", ...command],
    {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...env }
    }
  )
  if (status !== code) throw new Error(`${command.join(" ")} ended with ${status}, not with ${code}`)
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(/\s+/).map(Number)
  return (user + system) * 1000
}

/** How an executable is started: as modules, and as a step of the binary. */
const ways: ReadonlyArray<(name: string) => ReadonlyArray<string>> = [
  (name) => [process.execPath, join(dist, `${name}.js`)],
  ...(existsSync(binary) ? [(name: string) => [binary, ...(name === "svc-steps" ? [] : [name.slice(4)])]] : [])
]
const cached = { XDG_CACHE_HOME: join(work, "cache") }
const best = cases.map(() => ways.map(() => Number.POSITIVE_INFINITY))
let base = Number.POSITIVE_INFINITY
for (let round = 0; round < rounds; round++) {
  base = Math.min(base, cpuOf([process.execPath, "-e", "0"]))
  for (const [index, { args, code, env, name }] of cases.entries()) {
    best[index] = ways.map((way, which) =>
      Math.min(best[index]?.[which] ?? Number.NaN, cpuOf([...way(name), ...args], code, { ...cached, ...env }))
    )
  }
}

const times = (cpu: number) => `${cpu.toFixed(0)} | ${(cpu / base).toFixed(1)}`
const headings = ["modules", "binary"].slice(0, ways.length).map((way) => `${way} | times node -e 0`)
console.log(`| CPU ms (Node ${process.versions.node}, minimum of ${rounds}) | ${headings.join(" | ")} |`)
console.log(`|---|${"---|---|".repeat(ways.length)}`)
console.log(`| \`node -e 0\` |${` ${times(base)} |`.repeat(ways.length)}`)
for (const [index, { label }] of cases.entries()) {
  console.log(`| \`${label}\` | ${(best[index] ?? []).map(times).join(" | ")} |`)
}
const verdicts = cases.flatMap(({ goal, label }, index) => {
  const reached = Math.max(...(best[index] ?? [])) / base
  return goal === null ? [] : [{ label, goal, reached, met: reached <= goal }]
})
for (const { goal, label, met, reached } of verdicts) {
  console.log(`${label}: ${reached.toFixed(1)} times, goal ${goal.toFixed(1)}: ${met ? "met" : "MISSED"}`)
}
process.exit(verdicts.every(({ met }) => met) ? 0 : 1)
