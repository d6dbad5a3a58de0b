/** What the tests of workflow engines stand on: a strict sandbox, a project folder beside a copy of this repository, engine and steps on PATH. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { runCommand, startSandbox } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { commands } from "../Commands.ts"
import { stats } from "../Download.ts"
import { folder } from "../Ground.ts"
import { pageFiles } from "../Pages.ts"

/** One that is found in any file by its bytes. */
export const password = "Turm-und-Springer-7"

/** The user's project: an empty folder with `svc-steps` in it, as a clone would be. */
const project = Effect.map(folder, (path) => {
  mkdirSync(join(path, "svc-steps"))
  for (const name of ["workflows", "docs"]) symlinkSync(join(root, name), join(path, "svc-steps", name))
  return path
})

/** A strict sandbox with its account and more analyses, and what a user's shell has: engines and steps on PATH, credentials in the environment. */
export const ground = Effect.fnUntraced(function* (
  options: ReadonlyArray<string> = [],
  analyses: ReadonlyArray<object> = []
) {
  const world = join(yield* folder, "world.json")
  // Beside the BAM of A3, the variants of A2 are in the archive.
  const archived = [{ id: "A2", files: [{ name: "S2.vcf.gz", archived: true }] }]
  writeFileSync(
    world,
    JSON.stringify({ accounts: [{ user: "pipeline", password }], analyses: [...archived, ...analyses] })
  )
  const sandbox = yield* startSandbox(["--strict", "--world", world, ...options])
  const { path } = yield* commands
  const home = yield* folder
  const tools = {
    PATH: `${root}.e2e/python/bin:${path}`,
    HOME: home,
    SVC_LOCK_DIR: join(home, "locks"),
    MINIWDL__SCHEDULER__CONTAINER_BACKEND: "host",
    PYTHONPATH: join(root, "test/e2e/engines/miniwdl-host")
  }
  const credentials = { SVC_TARGET: sandbox.url, SVC_USER: "pipeline", SVC_PASSWORD: password }
  return { sandbox, tools, credentials, env: { ...tools, ...credentials }, project: yield* project }
})

/** What a page says before its first heading and under this one; without one the whole page. */
const partsOf = (page: string, heading?: string) => {
  const [beginning = "", ...sections] = readFileSync(join(root, page), "utf8").split(/^## /m)
  return [beginning, ...sections.filter((section) => heading === undefined || section.startsWith(`${heading}\n`))]
}

/** The shell blocks of a page, in order, as one script for a sandbox. A block that must fail says so: `sh exits 75`. */
const scriptOf = (page: string, heading: string | undefined, target: string): string => {
  const text = partsOf(page, heading).join("")
  const blocks = [...text.matchAll(/^```sh(?: exits (\d+))?\n([\s\S]*?)^```$/gm)].map(([, code, block = ""]) =>
    code === undefined ? block : `status=0; (set -e\n${block}) || status=$?; [ $status = ${code} ] || exit 200\n`
  )
  assert.isAbove(blocks.length, 0, page)
  return blocks.join("\n").replaceAll("https://lab.example.org", target)
}

/** Does everything that a page, or one section of it, shows, with the files that it shows, in a new project; the password is typed in where the page asks for it. */
export const followPage = Effect.fnUntraced(function* (
  page: string,
  { sandbox, tools }: Effect.Success<ReturnType<typeof ground>>,
  heading?: string
) {
  const cwd = yield* project
  for (const [path, text] of pageFiles(page)) {
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const script = scriptOf(page, heading, sandbox.url)
  const outcome = yield* runCommand("bash", ["-euo", "pipefail", "-c", script], {
    cwd,
    env: tools,
    input: `${password}\n`
  })
  return { ...outcome, cwd, text: `${outcome.stdout}\n${outcome.stderr}` }
})

/** Paths of all files below `path`; links are not followed. */
export const filesBelow = (path: string): ReadonlyArray<string> =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Where users keep it. */
const secretFiles = ["credentials.json", "config.json", "settings.json"]

/** Fails when a file below one of `paths`, or one of `texts`, holds the password; but for the files that are there for it. */
export const assertNoPassword = (paths: ReadonlyArray<string>, ...texts: ReadonlyArray<string>) => {
  const files = paths.flatMap(filesBelow)
  assert.isAbove(files.length, 0)
  assert.deepStrictEqual(
    files.filter((path) => !secretFiles.includes(basename(path)) && readFileSync(path).includes(password)),
    []
  )
  for (const text of texts) assert.notInclude(text, password)
}

/** The sandbox saw one request of the account at a time, and one good login per session. */
export const assertQuiet = Effect.fnUntraced(function* (sandbox: { readonly url: string }) {
  const seen = yield* stats({ ...sandbox, user: "", password: "" })
  assert.deepInclude(seen, { maxApiInFlight: 1, overlaps: 0, invalidations: 0, cookiesSeenByLinkHost: 0 })
  return seen
})

/** From now on the sandbox has these faults (docs/sandbox.md). */
export const setFaults = ({ url }: { readonly url: string }, faults: ReadonlyArray<object>) =>
  Effect.promise(() => fetch(`${url}/__sandbox/faults`, { method: "POST", body: JSON.stringify(faults) }))

/** From now on the link host has `S3.bam` in cold storage, whatever the service lists. */
export const isCold = (sandbox: { readonly url: string }) => {
  const then = { status: 403, body: "<Error><Code>InvalidObjectState</Code></Error>" }
  return setFaults(sandbox, [{ when: { plane: "link", file: "S3.bam" }, then }])
}

/** A run with a wrong password, of however many jobs, is no storm of logins. */
export const assertRefused = Effect.fnUntraced(function* (sandbox: { readonly url: string }) {
  const seen = yield* assertQuiet(sandbox)
  assert.strictEqual(seen["logins"], 0)
  assert.include([1, 2, 3], seen["failedLogins"])
})

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals) => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // Nobody is left in it.
  }
}

/** What Linux tells of a process: its state and its process group; null when it is gone. */
const processStatus = (pid: string) => {
  try {
    // The name before them may hold spaces and parentheses.
    const [state = "", , group = ""] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return { state, group: Number(group) }
  } catch {
    return null
  }
}

/** Whether a process of its group still runs. One that has ended keeps its entry where the first process of a container collects none. */
const groupRuns = (child: ChildProcess): boolean =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const status = processStatus(pid)
      return status !== null && status.group === child.pid && status.state !== "Z"
    })

/**
 * Starts a workflow in a process group of its own, and stops it as batch systems do as soon as `when` holds: the engine is
 * gone at once (SIGKILL), its steps are told to end (SIGTERM).
 */
export const stopWhen = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  when: () => boolean
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => spawn(command, args, { ...options, stdio: "ignore", detached: true })),
    (child) =>
      Effect.gen(function* () {
        yield* until(() => {
          assert.isNull(child.exitCode, `${command} ended by itself`)
          return when()
        })
        child.kill("SIGKILL")
        signalGroup(child, "SIGTERM")
        yield* until(() => !groupRuns(child))
      }),
    (child) => Effect.sync(() => signalGroup(child, "SIGKILL"))
  )

const until = (holds: () => boolean) =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet" as const))).pipe(
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeout("2 minutes"),
    Effect.orDie
  )
