/** Runs the built executables as a user would: own process, own environment, exit code, both streams. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Deferred, Effect, Schema } from "effect"
import { root } from "./Root.ts"

export interface Outcome {
  /** 128 + number of the signal when one ended it, as in a shell. */
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  /** Added to PATH and `passedOn`; nothing else of the environment of the test is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Path of `dist/<name>.js`; `npm test` builds it when a source changed. */
export const executable = (name: string): string => {
  const path = `${root}dist/${name}.js`
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  return path
}

/** A folder for what is made once: until the program ends, or the whole run of the tests (TestRun.ts). */
export const folderUntilTheEnd = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), name))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Where temporary files go (TestRun.ts, TestFile.ts), and whether this is the CI. */
const passedOn = ["TMPDIR", "XDG_RUNTIME_DIR", "CI"]

const environment = (options: RunOptions) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.includes(name))),
  PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`,
  ...options.env
})

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

const stop = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const force = setTimeout(() => child.kill("SIGKILL"), 5_000)
    child.once("exit", () => {
      clearTimeout(force)
      resume(Effect.void)
    })
    child.kill("SIGTERM")
  })

/** Any command to its end; interruption ends it. */
export const runCommand = (command: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.callback<Outcome>((resume) => {
    const child = spawn(command, args, { cwd: options.cwd ?? root, env: environment(options), stdio: "pipe" })
    const out = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out.stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (out.stderr += text))
    child.stdin.on("error", () => {}).end(options.input ?? "")
    child.on("error", (error) => resume(Effect.die(error)))
    child.on("close", (code, signal) =>
      resume(Effect.succeed({ exitCode: code ?? 128 + (signalNumbers[signal ?? ""] ?? 0), ...out }))
    )
    return stop(child)
  })

const compiled = process.env["SVC_COMPILED"]

/** One of our executables to its end, from functions compiled before where there are some (CompiledExecutables.ts). */
export const run = (name: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  runCommand(process.execPath, [compiled === undefined ? executable(name) : join(compiled, name), ...args], options)

export interface Server {
  readonly pid: number
  /** Lines of both streams so far. */
  readonly lines: ReadonlyArray<string>
}

/** A program that stays until the scope closes; resumes when a line (of either stream) makes `ready` return a value. */
export const startServer = Effect.fnUntraced(function* <A>(
  command: string,
  args: ReadonlyArray<string>,
  ready: (line: string) => A | undefined,
  options: RunOptions = {}
) {
  const lines: Array<string> = []
  const first = yield* Deferred.make<A>()
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, args, { cwd: options.cwd ?? root, env: environment(options), stdio: "pipe" })),
    stop
  )
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line)
      const value = ready(line)
      if (value !== undefined) Deferred.doneUnsafe(first, Effect.succeed(value))
    })
  }
  const ended = (what: string) =>
    Deferred.doneUnsafe(first, Effect.die(new Error(`${command} ${what} before it was ready:\n${lines.join("\n")}`)))
  child.on("error", (error) => ended(error.message))
  child.on("exit", (code, signal) => ended(`ended (${code ?? signal})`))
  const value = yield* Deferred.await(first).pipe(Effect.timeout("60 seconds"), Effect.orDie)
  return { value, server: { pid: child.pid ?? 0, lines } satisfies Server }
})

/** The line that `svc-sandbox` prints when it is ready. */
export const SandboxReady = Schema.fromJsonString(
  Schema.Struct({ url: Schema.String, user: Schema.String, password: Schema.String, linkHost: Schema.String })
)

const isReady = (line: string) => (line.startsWith('{"url"') ? Schema.decodeSync(SandboxReady)(line) : undefined)

/** `svc-sandbox` on a free port, until the scope closes. */
export const startSandbox = (args: ReadonlyArray<string> = [], options: RunOptions = {}) =>
  startServer(process.execPath, [executable("svc-sandbox"), ...args], isReady, options).pipe(
    Effect.map(({ server, value }) => ({ ...value, pid: server.pid, lines: server.lines }))
  )
