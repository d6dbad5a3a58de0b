/**
 * `npm run bench:startup`: CPU of starting each executable, against `node -e 0` in the same run on the same machine.
 * Prints the table that stands in bench/README.md; ends 1 when the `--help` of a step misses the goal.
 */
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"

const rounds = 15
/** design goal: 150 ms where `node -e 0` takes 45 ms */
const goal = 150 / 45

/** A pipeline starts steps thousands of times, and the sandbox once. */
const isStep = (label: string) => !label.startsWith("svc-sandbox")

const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const names = readdirSync(dist).filter((name) => name.endsWith(".js"))
const cases: ReadonlyArray<readonly [label: string, args: ReadonlyArray<string>]> = [
  ["node -e 0", ["-e", "0"]],
  ...names.map((name) => [`${name.slice(0, -3)} --help`, [`${dist}${name}`, "--help"]] as const),
  // Everything is loaded and the settings are read, then a required one is missing: the start of a real run.
  ["svc-download --list", [`${dist}svc-download.js`, "--list"]]
]

// A process cannot ask for the CPU of one child, only for its own: a Node in between would count itself. The shell's
// `times` prints user and system time of its children, in steps of 1 ms.
const cpuOf = (args: ReadonlyArray<string>) => {
  const { stderr } = spawnSync(
    "bash",
    ["-c", 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1', "-", process.execPath, ...args],
    {
      encoding: "utf8"
    }
  )
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(/\s+/).map(Number)
  return (user + system) * 1000
}

const best = cases.map(() => Number.POSITIVE_INFINITY)
for (let round = 0; round < rounds; round++) {
  for (const [index, [, args]] of cases.entries()) best[index] = Math.min(best[index] ?? 0, cpuOf(args))
}

const base = best[0] ?? Number.NaN
console.log(
  `| start-up (Node ${process.versions.node}, minimum of ${rounds}) | CPU ms | times node -e 0 |\n|---|---|---|`
)
for (const [index, [label]] of cases.entries()) {
  const cpu = best[index] ?? Number.NaN
  console.log(`| \`${label}\` | ${cpu.toFixed(0)} | ${(cpu / base).toFixed(1)} |`)
}
const late = cases.filter(
  ([label], index) => isStep(label) && label.endsWith("--help") && !((best[index] ?? 0) / base <= goal)
)
console.log(
  `\nGoal: --help at most ${goal.toFixed(1)} times: ${late.length === 0 ? "reached" : `missed by ${late.map(([label]) => label).join(", ")}`}`
)
process.exitCode = late.length === 0 ? 0 : 1
