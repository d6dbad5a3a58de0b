/** Runs the built executables as a user would: own process, own environment, exit code, both streams. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Deferred, Effect, Schema } from "effect"
import { removeFolder } from "./RemoveFolder.ts"
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
  /** Text for its standard input, which ends behind it; null leaves that open, to be typed into. */
  readonly input?: string | null
}

/** Path of `dist/<name>.js`; `npm test` builds it when a source changed. */
export const executable = (name: string): string => {
  const path = `${root}dist/${name}.js`
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  return path
}

/** Where `svc-download` and the others are links to the binary, whose tests these are then (test/e2e/Binary.test.ts). */
const links = process.env["SVC_BINARY"]

/** A folder with all of them under their names. */
export const commands = links ?? `${root}dist/bin`

/** How one of our executables is started. */
export const commandOf = (name: string): readonly [command: string, ...args: ReadonlyArray<string>] =>
  links === undefined ? [process.execPath, executable(name)] : [join(links, name)]

const startOf = (name: string, args: ReadonlyArray<string>) => {
  const [command, ...first] = commandOf(name)
  return [command, [...first, ...args]] as const
}

/** A folder for what is made once: until the program ends, or the whole run of the tests (TestRun.ts). */
export const folderUntilTheEnd = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), name))
  process.once("exit", () => removeFolder(folder))
  return folder
}

/** Where temporary files and locks go (TestRun.ts, TestFile.ts), and whether this is the CI. */
const passedOn = ["TMPDIR", "SVC_LOCK_DIR", "CI"]

export const environment = (options: RunOptions) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.includes(name))),
  PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`,
  // Where executables keep what Node has compiled: a thousand of them start.
  XDG_CACHE_HOME: `${root}node_modules/.cache`,
  ...options.env
})

const signalNumbers: Readonly<Record<string, number>> = constants.signals

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

/** A process that is watched. */
export interface Running {
  readonly pid: number
  /** What it has said so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Both, as they came. */
  readonly output: () => string
  /** Waits until both together have this. */
  readonly shows: (what: string | RegExp) => Effect.Effect<void>
  readonly type: (text: string) => Effect.Effect<void>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly outcome: Effect.Effect<Outcome>
}

/** Starts any command; the end of the scope ends it. */
export const startCommand = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  options: RunOptions = {}
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(command, args, { cwd: options.cwd ?? root, env: environment(options), stdio: "pipe" })),
    stop
  )
  const end = yield* Deferred.make<Outcome>()
  const out = { stdout: "", stderr: "" }
  let output = ""
  const looks = new Set<() => void>()
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      out[stream] += text
      output += text
      for (const look of looks) look()
    })
  }
  child.stdin.on("error", () => {})
  if (options.input !== null) child.stdin.end(options.input ?? "")
  const shows = (what: string | RegExp) =>
    Effect.callback<void>((resume) => {
      const look = () => {
        if (typeof what === "string" ? output.includes(what) : what.test(output)) resume(Effect.void)
      }
      looks.add(look)
      look()
      return Effect.sync(() => looks.delete(look))
    }).pipe(
      Effect.timeout("200 seconds"),
      Effect.catch(() => Effect.die(new Error(`${what} was not shown, but: ${output}`)))
    )
  child.on("error", (error) => Deferred.doneUnsafe(end, Effect.die(error)))
  child.on("close", (code, signal) => {
    const exitCode = code ?? 128 + (signalNumbers[signal ?? ""] ?? 0)
    Deferred.doneUnsafe(end, Effect.succeed({ exitCode, ...out }))
  })
  return {
    pid: child.pid ?? 0,
    stdout: () => out.stdout,
    stderr: () => out.stderr,
    output: () => output,
    shows,
    type: (text) => Effect.sync(() => void child.stdin.write(text)),
    kill: (signal) => Effect.sync(() => void child.kill(signal)),
    outcome: Deferred.await(end)
  } satisfies Running
})

/** A line of a shell on a pseudo-terminal of util-linux, which a person could redraw and type into; the end of the scope ends it. */
export const startOnTerminal = (line: string, options: RunOptions = {}) =>
  startCommand("script", ["-qec", line, "/dev/null"], {
    ...options,
    input: null,
    env: { TERM: "xterm", SHELL: "/bin/sh", CI: "", ...options.env }
  })

/** Any command to its end; interruption ends it. */
export const runCommand = (command: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.scoped(Effect.flatMap(startCommand(command, args, options), ({ outcome }) => outcome))

/** One of our executables; the end of the scope ends it. */
export const start = (name: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  startCommand(...startOf(name, args), options)

/**
 * Waits for a state outside this process (a file, a counter, a process) by looking at it every 5 ms, as nothing tells of it.
 * `what` is said when it does not come within 200 s, before the time of the test is over.
 */
export const until = (what: string, holds: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.gen(function* () {
    while (!(yield* holds)) yield* Effect.sleep("5 millis")
  }).pipe(
    Effect.timeout("200 seconds"),
    Effect.catch(() => Effect.die(new Error(`waited in vain until ${what}`)))
  )

/** The same while `running` lives: that it ends before is said at once, with its last words. */
export const untilOrEnd = (running: Running, what: string, holds: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.raceFirst(
    until(what, holds),
    Effect.flatMap(running.outcome, ({ exitCode, stderr }) =>
      Effect.die(new Error(`ended with ${exitCode} before ${what}: ${stderr}`))
    )
  )

/** One of our executables to its end. */
export const run = (name: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  runCommand(...startOf(name, args), options)

export interface Server {
  readonly pid: number
  /** Lines of both streams so far. */
  readonly lines: ReadonlyArray<string>
  /** 128 + number of the signal when one ended it; waits until it has ended. */
  readonly exitCode: Effect.Effect<number>
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
  const end = yield* Deferred.make<number>()
  const ended = (what: string) =>
    Deferred.doneUnsafe(first, Effect.die(new Error(`${command} ${what} before it was ready:\n${lines.join("\n")}`)))
  child.on("error", (error) => ended(error.message))
  child.on("exit", (code, signal) => {
    ended(`ended (${code ?? signal})`)
    Deferred.doneUnsafe(end, Effect.succeed(code ?? 128 + (signalNumbers[signal ?? ""] ?? 0)))
  })
  const value = yield* Deferred.await(first).pipe(Effect.timeout("200 seconds"), Effect.orDie)
  return { value, server: { pid: child.pid ?? 0, lines, exitCode: Deferred.await(end) } satisfies Server }
})

/** The line that `svc-sandbox` prints when it is ready. */
export const SandboxReady = Schema.fromJsonString(
  Schema.Struct({ url: Schema.String, user: Schema.String, password: Schema.String, linkHost: Schema.String })
)

const isReady = (line: string) => (line.startsWith('{"url"') ? Schema.decodeSync(SandboxReady)(line) : undefined)

/** `svc-sandbox` on a free port, until the scope closes. */
export const startSandbox = (args: ReadonlyArray<string> = [], options: RunOptions = {}) =>
  startServer(...startOf("svc-sandbox", args), isReady, options).pipe(
    Effect.map(({ server, value }) => ({ ...value, pid: server.pid, lines: server.lines }))
  )
