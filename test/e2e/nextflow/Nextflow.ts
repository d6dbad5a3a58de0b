/** Nextflow as a user runs it: own launch folder, own home, offline, the built steps on its PATH, a sandbox as the service. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { FaultRule } from "../../../sandbox/Faults.ts"
import type { Stats } from "../../../sandbox/Stats.ts"
import { type Outcome, runCommand, startSandbox } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { setFaults } from "../../SandboxFaults.ts"
import { folder } from "../Ground.ts"

/** Where the modules and pipelines are. */
export const workflows = join(root, "workflows", "nextflow")

/** The section of a module that nf-core asks for, the strict syntax discourages, and the linter of Nextflow 25.04 fails to warn of. */
export const nfCoreWhen = "    when:\n    task.ext.when == null || task.ext.when\n\n"

const command = join(root, "test", "e2e", "nextflow", "nextflow")
const commands = join(root, "dist", "bin")

/** A line of the trace: one attempt of one task. */
export interface Task {
  /** Such as `SVC_DOWNLOAD (a)`. */
  readonly name: string
  readonly status: "COMPLETED" | "CACHED" | "FAILED" | "ABORTED"
  readonly exit: number | null
  /** The start of its work folder, such as `ab/cdef01`. */
  readonly hash: string
}

export interface Run extends Outcome {
  /** Every attempt of every task, in the order of their numbers. */
  readonly tasks: ReadonlyArray<Task>
  /** The debug log of Nextflow. */
  readonly log: string
}

const readTrace = (path: string): ReadonlyArray<Task> => {
  if (!existsSync(path)) return []
  const [names = [], ...rows] = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split("\t"))
  return rows
    .map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""])))
    .sort((a, b) => Number(a["task_id"]) - Number(b["task_id"]))
    .map((row) => ({
      name: row["name"] ?? "",
      status: row["status"] as Task["status"],
      exit: row["exit"] === "-" ? null : Number(row["exit"]),
      hash: row["hash"] ?? ""
    }))
}

/** All files in a folder and below, as paths in it, sorted; links are followed, as a user's tools would. */
export const filesBelow = (path: string): ReadonlyArray<string> =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
        .sort()
    : []

export interface LaunchPad {
  readonly sandbox: Effect.Success<ReturnType<typeof startSandbox>>
  /** The executable `nextflow`. */
  readonly command: string
  /** The launch folder; `work`, reports and results are in it. */
  readonly folder: string
  /** What the pipelines read: PATH, service, account, lock folder, Nextflow's home. */
  readonly env: Readonly<Record<string, string>>
  /** Writes a file in the launch folder and gives its path. */
  readonly write: (name: string, content: string) => string
  /** `nextflow run ARGS`; a path that does not start with `/` or `-` is one of `workflows`. */
  readonly run: (
    pipeline: string,
    args?: ReadonlyArray<string>,
    env?: Readonly<Record<string, string>>
  ) => Effect.Effect<Run>
  /** Any other command of Nextflow, such as `lint` or `secrets`. */
  readonly nextflow: (args: ReadonlyArray<string>) => Effect.Effect<Outcome>
  /** The counters of the sandbox. */
  readonly stats: Effect.Effect<Stats>
  /** Replaces the faults of the sandbox. */
  readonly faults: (rules: ReadonlyArray<FaultRule>) => Effect.Effect<void>
  /** The work folder of a task. */
  readonly workFolder: (task: Task | undefined) => string
}

/** A sandbox with these options, and a launch folder for it, until the scope closes. */
export const launchPad = Effect.fnUntraced(function* (sandboxArgs: ReadonlyArray<string> = []) {
  const sandbox = yield* startSandbox(sandboxArgs)
  const own = yield* folder
  const launch = join(own, "launch")
  mkdirSync(launch)
  // Two Nextflows at once would both make it, and one would fail.
  mkdirSync(join(own, "home"))
  const env = {
    PATH: [commands, dirname(process.execPath), process.env["PATH"], "/usr/sbin", "/sbin"].join(":"),
    // Without it Java reads its arguments as ASCII, a password in them too.
    LC_ALL: "C.UTF-8",
    NXF_HOME: join(own, "home"),
    SVC_TARGET: sandbox.url,
    SVC_USER: sandbox.user,
    SVC_PASSWORD: sandbox.password,
    SVC_LOCK_DIR: join(own, "locks")
  }
  let runs = 0
  const run: LaunchPad["run"] = (pipeline, args = [], more = {}) =>
    Effect.gen(function* () {
      runs += 1
      const trace = join(launch, `trace-${runs}.txt`)
      const log = join(launch, `run-${runs}.log`)
      const script = pipeline.startsWith("/") ? pipeline : join(workflows, pipeline)
      const outcome = yield* runCommand(command, ["-log", log, "run", script, "-with-trace", trace, ...args], {
        cwd: launch,
        env: { ...env, ...more }
      })
      return { ...outcome, tasks: readTrace(trace), log: existsSync(log) ? readFileSync(log, "utf8") : "" }
    })
  const write: LaunchPad["write"] = (name, content) => {
    const path = join(launch, name)
    writeFileSync(path, content)
    return path
  }
  const workFolder: LaunchPad["workFolder"] = (task) => {
    const [first = "", rest = ""] = (task?.hash ?? "").split("/")
    const name = readdirSync(join(launch, "work", first)).find((name) => name.startsWith(rest)) ?? ""
    return join(launch, "work", first, name)
  }
  const nextflow: LaunchPad["nextflow"] = (args) => runCommand(command, args, { cwd: launch, env })
  const stats = Effect.promise(() =>
    fetch(`${sandbox.url}/__sandbox/stats`).then((reply) => reply.json() as Promise<Stats>)
  )
  const faults: LaunchPad["faults"] = (rules) => setFaults(sandbox.url, rules)
  return { sandbox, command, folder: launch, env, write, run, nextflow, stats, faults, workFolder } satisfies LaunchPad
})
