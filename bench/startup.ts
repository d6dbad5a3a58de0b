/**
 * `npm run bench:startup`: CPU of starting each executable, and of the smallest jobs against the sandbox, beside `node -e 0`
 * in the same run on the same machine: each file alone, and with its compiled functions beside it (docs/adr/0017).
 * Prints the table that stands in bench/README.md, and which goals are missed; ends 1 when one is.
 */
import { spawn, spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const rounds = 15
/** At most so many times the CPU of `node -e 0`, for executables as `npm run build` leaves them: with their functions. */
const goals = { help: 2, api: 4, slice: 6 }

const root = fileURLToPath(new URL("../", import.meta.url))
const files = readdirSync(join(root, "dist")).filter((name) => name.endsWith(".js"))
const work = mkdtempSync(join(tmpdir(), "bench-startup-"))
const [alone, compiled, out] = [join(work, "alone"), join(work, "compiled"), join(work, "out")]
for (const folder of [alone, compiled, out]) mkdirSync(folder)
for (const folder of [alone, compiled]) {
  for (const file of files) copyFileSync(join(root, "dist", file), join(folder, file))
}
const warmed = spawnSync(process.execPath, [join(root, "scripts/warm.ts"), compiled], { stdio: "inherit" })
if (warmed.status !== 0) throw new Error("scripts/warm.ts could not run the executables")

const sandbox = spawn(process.execPath, [join(alone, "svc-sandbox.js")], { stdio: ["ignore", "pipe", "inherit"] })
process.on("exit", () => {
  sandbox.kill()
  rmSync(work, { recursive: true, force: true })
})
const ready = await new Promise<string>((done) => sandbox.stdout.once("data", (bytes) => done(String(bytes))))
const { password, url, user } = JSON.parse(ready)
const account = { SVC_TARGET: url, SVC_USER: user, SVC_PASSWORD: password, SVC_LOCK_DIR: join(work, "locks") }

interface Case {
  readonly label: string
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What it ends with. */
  readonly code: number
  /** Null where none is set: a pipeline starts steps thousands of times, and the sandbox once. */
  readonly goal: number | null
}

const slice = ["-a", "A1", "-f", "bam", "-g", "chr1:1-10000", "-d", out, "--overwrite", "--loglevel", "error"]
const cases: ReadonlyArray<Case> = [
  ...files.map((file) => ({
    label: `${file.slice(0, -3)} --help`,
    ...{ file, args: ["--help"], code: 0, goal: file.startsWith("svc-sandbox") ? null : goals.help }
  })),
  // Everything is loaded and the settings are read, then a required one is missing: the start of a real run.
  { label: "svc-download --list", file: "svc-download.js", args: ["--list"], code: 64, goal: null },
  { label: "svc-api get-analyses", file: "svc-api.js", args: ["get-analyses"], env: account, code: 0, goal: goals.api },
  {
    label: "svc-download -g chr1:1-10000",
    file: "svc-download.js",
    args: slice,
    env: account,
    code: 0,
    goal: goals.slice
  }
]

// A process cannot ask for the CPU of one child, only for its own: a Node in between would count itself. The shell's
// `times` prints user and system time of its children, in steps of 1 ms.
const cpuOf = (args: ReadonlyArray<string>, code = 0, env: Readonly<Record<string, string>> = {}) => {
  const { status, stderr } = spawnSync(
    "bash",
    ["--norc", "-c", 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1', "-", process.execPath, ...args],
    {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], ...env }
    }
  )
  if (status !== code) throw new Error(`${args.join(" ")} ended with ${status}, not with ${code}`)
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(/\s+/).map(Number)
  return (user + system) * 1000
}

const folders = [alone, compiled]
const best = cases.map(() => folders.map(() => Number.POSITIVE_INFINITY))
let base = Number.POSITIVE_INFINITY
for (let round = 0; round < rounds; round++) {
  base = Math.min(base, cpuOf(["-e", "0"]))
  for (const [index, { args, code, env, file }] of cases.entries()) {
    best[index] = folders.map((folder, which) =>
      Math.min(best[index]?.[which] ?? Number.NaN, cpuOf([join(folder, file), ...args], code, env))
    )
  }
}

const times = (cpu: number) => `${cpu.toFixed(0)} | ${(cpu / base).toFixed(1)}`
console.log(
  `| CPU ms (Node ${process.versions.node}, minimum of ${rounds}) | the file alone | times node -e 0 | with its functions | times |\n|---|---|---|---|---|`
)
console.log(`| \`node -e 0\` | ${times(base)} | | |`)
for (const [index, { label }] of cases.entries()) {
  console.log(`| \`${label}\` | ${(best[index] ?? []).map(times).join(" | ")} |`)
}
const verdicts = cases.flatMap(({ goal, label }, index) => {
  const reached = (best[index]?.[1] ?? Number.NaN) / base
  return goal === null ? [] : [{ label, goal, reached, met: reached <= goal }]
})
for (const { goal, label, met, reached } of verdicts) {
  console.log(`${label}: ${reached.toFixed(1)} times, goal ${goal.toFixed(1)}: ${met ? "met" : "MISSED"}`)
}
process.exit(verdicts.every(({ met }) => met) ? 0 : 1)
