/**
 * A working day of the tool, command by command, for tests that end it in the middle: list, download two files, replace
 * them, go on with what a killed run left, as it is and with a byte changed, cut a slice and replace it, ask for a restoration, fetch what came back, and
 * fetch annotations. Each command starts from a folder that is prepared once and copied for each run.
 */
import { spawn, spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Duration, Effect } from "effect"
import { fault, type Ground, ground, namesIn } from "../DownloadGround.ts"
import { executable, folderUntilTheEnd, type Outcome, runCommand } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { words } from "../Words.ts"
import { type Operation, readTrace } from "./DiskModel.ts"

/** Files by path relative to the folder of a run; null is a folder. */
export type Tree = ReadonlyMap<string, Buffer | null>

/** One command, and what it starts from. */
export interface Leg {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The prepared folder, which nobody writes to. */
  readonly prepared: string
  readonly before: Tree
  /** What an undisturbed run leaves. */
  readonly after: Tree
  /** What that run did to files, and how many operations it counted. */
  readonly trace: ReadonlyArray<Operation>
  readonly operations: number
}

export interface Scenario {
  readonly legs: ReadonlyArray<Leg>
  /** Runs a leg's command in a folder. */
  readonly run: (leg: Leg, folder: string, env?: Readonly<Record<string, string>>) => Effect.Effect<Outcome>
  /** Makes the service forget everything. */
  readonly reset: Effect.Effect<void>
  /** What the service has been told since then that lasts. */
  readonly service: Effect.Effect<unknown>
  /** A copy of the leg's prepared folder, until it is removed. */
  readonly copy: (leg: Leg) => string
  /** A folder name that nothing has yet. */
  readonly place: () => string
  /** What must stand in no file and in no output. */
  readonly secrets: ReadonlyArray<string>
}

export const readTree = (folder: string): Tree =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => [join(entry.parentPath, entry.name), entry] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, entry]) => [path.slice(folder.length + 1), entry.isDirectory() ? null : readFileSync(path)])
  )

export const trackingFile = "awaiting-restoration.json"

/** An entry of somebody else, with a field that we do not know. */
export const foreignEntry = {
  analysisId: "X9",
  fileName: "X9.bam",
  target: "https://elsewhere.example.org/",
  restoreEstimation: "2036-01-01T00:00:00Z",
  options: {
    destination: ".",
    overwrite: false,
    range: null,
    bed: null,
    restorationFile: trackingFile,
    filetypes: ["bam"]
  },
  ticket: { number: 17 }
}

const password = "Canary-of-the-password-7c1f"
const cookieName = "CANARYCOOKIE"

const whole = ["-a", "A1", "-f", "bam,bam.bai", "-d", "out", "--reportfile", "report.json"]
const slice = words`-a A2 -f bam -g 'chr17:43090000-43095000 chrX:31119000-31159000' -d out --reportfile report.json`

/** Prepares everything at a sandbox of its own, until the scope closes. */
/** The lock of an account that a killed run left counts for a minute: that minute has passed. */
const passMinute = (locks: string) => {
  const then = Date.now() / 1000 - 120
  for (const name of existsSync(locks) ? readdirSync(locks) : []) utimesSync(join(locks, name), then, then)
}

export const makeScenario = Effect.gen(function* () {
  const copies = yield* temporaryFolder("svc-durability-")
  const here: Ground = yield* ground({
    behaviour: { restoreDelay: Duration.hours(1), cookieName, annotationRows: 400 },
    world: {
      accounts: [{ user: "demo", password }],
      analyses: [{ id: "B1", files: [{ name: "S3.bam", copyOf: "A3/S3.bam" }] }]
    }
  })
  let number = 0
  const environment = (folder: string) => ({
    ...here.env,
    SVC_LOCK_DIR: join(folder, "locks"),
    TMPDIR: folder,
    UV_USE_IO_URING: "0"
  })
  const runIn = (
    command: string,
    args: ReadonlyArray<string>,
    folder: string,
    env: Readonly<Record<string, string>> = {}
  ) =>
    Effect.suspend(() => {
      passMinute(join(folder, "locks"))
      return runCommand(process.execPath, [executable(command), ...args], {
        cwd: folder,
        env: { ...environment(folder), ...env }
      })
    })
  const legs: Array<Leg> = []
  const place = () => join(copies, `run-${++number}`)
  const copyOf = (prepared: string) => {
    const folder = place()
    cpSync(prepared, folder, { recursive: true, preserveTimestamps: true })
    return folder
  }

  const leg = Effect.fnUntraced(function* (
    name: string,
    command: string,
    args: ReadonlyArray<string>,
    prepare: (folder: string) => Effect.Effect<void>
  ) {
    const prepared = join(copies, `prepared-${legs.length}`)
    mkdirSync(join(prepared, "out"), { recursive: true })
    yield* prepare(prepared)
    const folder = copyOf(prepared)
    yield* here.reset
    const outcome = yield* runIn(command, args, folder, { ...preloaded(folder), KILL_TRACE: `${folder}.trace` })
    if (outcome.exitCode !== 0) return yield* Effect.die(new Error(`${name}: ${outcome.exitCode} ${outcome.stderr}`))
    const trace = readTrace(readFileSync(`${folder}.trace`), folder)
    const operations = operationsIn(folder)
    legs.push({ name, command, args, prepared, before: readTree(prepared), after: readTree(folder), trace, operations })
    rmSync(folder, { recursive: true })
  })
  const nothing = () => Effect.void

  yield* leg("list", "svc-download", ["--list", "-a", "A1", "-a", "A3"], nothing)
  yield* leg("two files", "svc-download", whole, nothing)
  yield* leg("two files again", "svc-download", [...whole, "--overwrite"], (folder) =>
    Effect.sync(() => {
      for (const name of ["S1.bam", "S1.bam.bai"]) writeFileSync(join(folder, "out", name), `the old ${name}`)
      writeFileSync(join(folder, "report.json"), '{"schema":"svc.report/1","old":true}')
    })
  )
  yield* leg("a killed run's rest", "svc-download", whole, (folder) =>
    killedRun(here, whole, folder, environment(folder))
  )
  yield* leg("a killed run's rest, one byte changed", "svc-download", whole, (folder) =>
    Effect.tap(killedRun(here, whole, folder, environment(folder)), () =>
      Effect.sync(() => changeByte(join(folder, "out")))
    )
  )
  yield* leg("slice", "svc-download", slice, nothing)
  yield* leg("slice again", "svc-download", [...slice, "--overwrite"], (folder) =>
    Effect.asVoid(
      runIn(
        "svc-download",
        slice.map((text) => text.replace("-31159000", "-31139000")),
        folder
      )
    )
  )
  yield* leg("request", "svc-request-restore", ["A3", "-f", "bam", "-d", "out"], (folder) =>
    Effect.sync(() => writeFileSync(join(folder, trackingFile), JSON.stringify([foreignEntry]), { mode: 0o600 }))
  )
  const asked = legs.at(-1)?.after.get(trackingFile)?.toString() ?? ""
  yield* leg("resume", "svc-resume-restore", ["--reportfile", "report.json", "--pendingOk"], (folder) =>
    Effect.sync(() => {
      const entries: ReadonlyArray<{ readonly analysisId: string }> = JSON.parse(asked)
      const ours = entries
        .filter(({ analysisId }) => analysisId === "A3")
        .map((entry) => ({ ...entry, analysisId: "B1" }))
      const restorations = [foreignEntry, ...ours]
      // The other layout, which the first change converts.
      writeFileSync(join(folder, trackingFile), JSON.stringify({ restorations, lastUpdated: "x" }), { mode: 0o600 })
    })
  )
  yield* leg("annotations", "svc-fetch-annotations", ["A1", "--output", "rows.jsonl"], (folder) =>
    Effect.sync(() => writeFileSync(join(folder, "rows.jsonl"), "old rows"))
  )

  return {
    legs,
    run: (one, folder, env) => runIn(one.command, one.args, folder, env),
    reset: here.reset,
    service: Effect.map(here.stats, ({ restores }) => restores),
    copy: ({ prepared }) => copyOf(prepared),
    place,
    secrets: [password, cookieName, "X-Amz-"]
  } satisfies Scenario
})

/** Leaves a part of which the first bytes are durable, its journal, and the lock of a process that has ended. */
const killedRun = Effect.fnUntraced(function* (
  here: Ground,
  args: ReadonlyArray<string>,
  folder: string,
  env: Readonly<Record<string, string>>
) {
  const out = join(folder, "out")
  const named = (suffix: string) => namesIn(out).find((name) => name.endsWith(suffix))
  const bytes = 20_000
  yield* here.setFaults([fault({ plane: "link", file: "S1.bam" }, { stall: bytes })])
  let lock: readonly [path: string, content: Buffer] | null = null
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const child = spawn(process.execPath, [executable("svc-download"), ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...env },
      stdio: "ignore"
    })
    const ended = new Promise((resolve) => child.once("close", resolve))
    while (child.exitCode === null) {
      const part = named(".part")
      if (part !== undefined && named(".part.lock") !== undefined && statSync(join(out, part)).size >= bytes) break
      yield* Effect.sleep("10 millis")
    }
    child.kill(signal)
    yield* Effect.promise(() => ended)
    const path = named(".part.lock")
    if (path !== undefined) lock ??= [join(out, path), readFileSync(join(out, path))]
  }
  if (lock === null) return yield* Effect.die(new Error("the killed run left no lock"))
  writeFileSync(...lock)
})

/** Changes a byte of the part in a folder. */
const changeByte = (folder: string) => {
  const path = join(folder, namesIn(folder).find((name) => name.endsWith(".part")) ?? "no part")
  const bytes = readFileSync(path)
  bytes[10_000] = (bytes[10_000] ?? 0) ^ 0x10
  writeFileSync(path, bytes)
}

const library = join(folderUntilTheEnd("svc-kill-point-"), "kill-point.so")

/** The library to be preloaded, built once. */
const killPoint = (): string => {
  const source = fileURLToPath(new URL("../transfer/kill-point.c", import.meta.url))
  if (existsSync(library)) return library
  const { status } = spawnSync("gcc", ["-shared", "-fPIC", "-O1", "-pthread", "-o", library, source, "-ldl"])
  if (status !== 0) throw new Error("gcc cannot build test/transfer/kill-point.c")
  return library
}

/** Counts the operations of a command below the folder. */
export const preloaded = (folder: string) => ({
  LD_PRELOAD: killPoint(),
  KILL_DIR: folder,
  KILL_LOG: `${folder}.log`
})

/** Those that were counted so far. */
export const operationsIn = (folder: string): number =>
  existsSync(`${folder}.log`) ? statSync(`${folder}.log`).size : 0
