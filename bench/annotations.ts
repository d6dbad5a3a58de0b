/**
 * `npm run bench:annotations`: annotations of the sandbox to JSON Lines and TSV, and a smaller body done by other means.
 *
 * Prints the tables of bench/README.md; ends 1 when a goal is missed. Arguments: MB of the large body (default 2000) and
 * of the small one (default 200). Needs the executables in dist/; jq and Python (for ijson, installed into .e2e/) are left
 * out where they are missing.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const [large = 2000, small = 200] = process.argv.slice(2).map(Number)
/** Of a row that the sandbox makes. */
const bytesPerRow = 117
/** Bytes a second against `JSON.parse` and `JSON.stringify` of all of it, and MB resident. */
const goals = { timesFaster: 2, rss: 200 }

const root = fileURLToPath(new URL("..", import.meta.url))
const work = mkdtempSync(join(tmpdir(), "bench-annotations-"))
const running = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of running) child.kill()
  rmSync(work, { recursive: true, force: true })
})

const sandbox = async (megabytes: number) => {
  const world = join(work, "world.json")
  writeFileSync(world, JSON.stringify({ behaviour: { annotationRows: Math.round((megabytes * 1e6) / bytesPerRow) } }))
  const child = spawn(process.execPath, [`${root}dist/svc-sandbox.js`, "--world", world], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  running.add(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const { password, url, user }: { url: string; user: string; password: string } = JSON.parse(line)
    return { SVC_TARGET: url, SVC_USER: user, SVC_PASSWORD: password, SVC_LOCK_DIR: work }
  }
  throw new Error("the sandbox ended")
}

interface Run {
  readonly wall: number
  readonly cpu: number
  /** The most memory of the largest process, MB. */
  readonly rss: number
}

/** The most memory that a process below the one of `pid` has had, in MB. */
const peakBelow = (pid: number): number =>
  Math.max(
    0,
    ...readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8")
        .split(" ")
        .filter((child) => child !== "")
        .map((child) => {
          const status = readFileSync(`/proc/${child}/status`, "utf8")
          const own = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000
          return Math.max(own, peakBelow(Number(child)))
        })
    )
  )

/** A command with its output thrown away, measured by the shell: start-up and all threads included. */
const measure = (command: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  new Promise<Run>((resolve, reject) => {
    const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" > /dev/null'
    const child = spawn("bash", ["-c", script, "-", ...command], {
      env: { PATH: process.env["PATH"], TMPDIR: work, ...env },
      stdio: ["ignore", "ignore", "pipe"]
    })
    running.add(child)
    let errors = ""
    let rss = 0
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
    const watch = setInterval(() => {
      try {
        rss = Math.max(rss, peakBelow(child.pid ?? 0))
      } catch {
        // It ended between two looks.
      }
    }, 20)
    child.on("close", (status) => {
      clearInterval(watch)
      running.delete(child)
      if (status !== 0) return reject(new Error(`${command.join(" ")} ended ${status}: ${errors}`))
      const [wall = 0, user = 0, system = 0] = errors.trim().split("\n").at(-1)?.split(" ").map(Number) ?? []
      resolve({ wall, cpu: user + system, rss })
    })
  })

const row = (label: string, { cpu, rss, wall }: Run, bytes: number) =>
  console.log(
    `| ${label} | ${wall.toFixed(1)} | ${cpu.toFixed(1)} | ${(bytes / 1e6 / cpu).toFixed(0)} | ${rss.toFixed(0)} |`
  )
const heading = (what: string) =>
  console.log(`\n| ${what} | wall s | CPU s | MB of body per CPU s | peak RSS MB |\n|---|---|---|---|---|`)

const ours = (...args: ReadonlyArray<string>) => [
  process.execPath,
  `${root}dist/svc-fetch-annotations.js`,
  "A1",
  "--loglevel",
  "error",
  ...args
]

const sizeOf = async (env: Readonly<Record<string, string>>) => {
  const body = join(work, "body.json")
  await measure(ours("--format", "json", "-o", body), env)
  return { body, bytes: statSync(body).size }
}

const missed: Array<string> = []
const measureLarge = async () => {
  const env = await sandbox(large)
  const { body, bytes } = await sizeOf(env)
  rmSync(body)
  heading(`${(bytes / 1e6).toFixed(0)} MB body`)
  for (const [label, format, ...args] of [
    ["JSON Lines", "jsonl"],
    ["TSV", "tsv"],
    ["TSV, 5 columns of a gene", "tsv", "--columns", "Chr,Pos,Ref,Alt,Gene", "-F", "Gene = BRCA1"],
    ["as it is", "json"]
  ] as const) {
    const run = await measure(ours("--format", format, ...args), env)
    row(`svc-fetch-annotations, ${label}`, run, bytes)
    if (run.rss > goals.rss) missed.push(`${label}: ${run.rss.toFixed(0)} MB, goal ${goals.rss}`)
  }
}

const parseOnly = `JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"))`
const parseAndWrite = `
const { readFileSync } = require("node:fs")
const { data, header } = JSON.parse(readFileSync(process.argv[1], "utf8"))
let text = ""
for (const row of data) {
  const object = { analysisId: "A1" }
  header.forEach(({ id }, i) => { object[id] = row[i] })
  text += JSON.stringify(object) + "\\n"
  if (text.length > 1e6) { process.stdout.write(text); text = "" }
}
process.stdout.write(text)`
const jqProgram = `[.header[].id] as $k | .data[] | . as $r | reduce range($k | length) as $i ({analysisId: "A1"}; .[$k[$i]] = $r[$i])`
const ijsonProgram = `
import ijson, json, sys
with open(sys.argv[1], "rb") as body:
    keys = [column["id"] for column in ijson.items(body, "header.item")]
with open(sys.argv[1], "rb") as body:
    for row in ijson.items(body, "data.item", use_float=True):
        sys.stdout.write(json.dumps({"analysisId": "A1", **dict(zip(keys, row))}, ensure_ascii=False) + "\\n")`

/** Python with ijson, made when it is not there; null where there is no Python. */
const python = (): string | null => {
  const folder = join(root, ".e2e", "python")
  const path = join(folder, "bin", "python")
  if (existsSync(path)) return path
  const made = spawnSync("python3", ["-m", "venv", folder]).status === 0
  return made && spawnSync(path, ["-m", "pip", "install", "-q", "ijson==3.4.0"]).status === 0 ? path : null
}

const measureSmall = async () => {
  const env = await sandbox(small)
  const { body, bytes } = await sizeOf(env)
  heading(`${(bytes / 1e6).toFixed(0)} MB body to JSON Lines`)
  const own = await measure(ours(), env)
  row("svc-fetch-annotations, over HTTP with login", own, bytes)
  row("Node: `JSON.parse` of the file, no output", await measure([process.execPath, "-e", parseOnly, body]), bytes)
  const whole = await measure([process.execPath, "-e", parseAndWrite, body])
  row("Node: `JSON.parse`, `JSON.stringify`", whole, bytes)
  const times = whole.wall / own.wall
  if (times < goals.timesFaster) {
    missed.push(`${times.toFixed(2)} times faster than JSON.parse and JSON.stringify, goal ${goals.timesFaster}`)
  }
  const found = python()
  if (found !== null) row("Python: ijson, file read twice", await measure([found, "-c", ijsonProgram, body]), bytes)
  if (spawnSync("jq", ["--version"]).status === 0) row("jq", await measure(["jq", "-c", jqProgram, body]), bytes)
}

const stopAll = () => {
  for (const child of running) child.kill()
}

await measureLarge()
stopAll()
await measureSmall()
stopAll()
console.log(missed.length === 0 ? "\nAll goals are met" : `\nMissed: ${missed.join("; ")}`)
process.exitCode = missed.length === 0 ? 0 : 1
