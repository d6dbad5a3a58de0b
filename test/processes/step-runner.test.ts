/** The shared runner as a process: settings, messages, signals, terminals, exit codes. */
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { version } from "../../steps/main/Version.ts"
import { bundled } from "../Bundles.ts"
import { type RunOptions, runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { runWarm, runWarmProgram } from "../WarmExecutables.ts"

const sample = await bundled(new URL("../sample-step/Start.ts", import.meta.url))
const graceless = await bundled(new URL("../sample-step/Grace.ts", import.meta.url))
const account = ["-t", "https://lab.example.org", "-u", "ada"]
const withPassword = { env: { SVC_PASSWORD: "CANARY-pässword" } }

const run = (args: ReadonlyArray<string>, options?: RunOptions) =>
  runCommand(process.execPath, [sample, ...args], options)
/** For what a process has no part in. */
const warm = (args: ReadonlyArray<string>, options?: RunOptions) =>
  runWarmProgram(`${root}test/sample-step/Start.ts`, args, options)
const shell = (script: string, options?: RunOptions) =>
  runCommand("bash", ["--norc", "-c", script, process.execPath, sample], options)

const folder = temporaryFolder("svc-step-")

/** A process that is watched while it runs; killed at the end of the scope. */
const start = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { cwd: root, env: { PATH: process.env["PATH"], ...env }, stdio: "pipe" })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    watch
  )

const watch = (child: ChildProcess) => {
  let seen = ""
  const waiting = new Set<() => void>()
  const take = (text: Buffer) => {
    seen += text.toString()
    for (const look of waiting) look()
  }
  child.stdout?.on("data", take)
  child.stderr?.on("data", take)
  return {
    pid: child.pid ?? 0,
    output: () => seen,
    type: (text: string) => Effect.sync(() => child.stdin?.write(text)),
    kill: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
    shows: (text: string) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (!seen.includes(text)) return
          waiting.delete(look)
          resume(Effect.void)
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      }).pipe(
        Effect.timeout("100 seconds"),
        Effect.catch(() => Effect.die(new Error(`"${text}" was not shown, but: ${seen}`)))
      ),
    ended: Effect.callback<number | NodeJS.Signals>((resume) => {
      const done = (code: number | null, signal: NodeJS.Signals | null) => resume(Effect.succeed(code ?? signal ?? -1))
      if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode, child.signalCode)
      else child.once("close", done)
    })
  }
}

const startSample = (...args: ReadonlyArray<string>) =>
  start(process.execPath, [sample, ...account, ...args], withPassword.env)

/** The sample step on a pseudo-terminal, in a shell that shows at the end whether the terminal echoes again. */
const onTerminal = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  start(
    "script",
    [
      "-qec",
      `'${process.execPath}' '${sample}' ${args.join(" ")}; code=$?; stty -a | grep -o ' -*echo '; echo "code=$code"`,
      "/dev/null"
    ],
    { TERM: "xterm", SHELL: "/bin/sh", ...env }
  )

describe("a working folder that was removed", () => {
  it.live("is said in a sentence", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const script = 'mkdir "$GONE" && cd "$GONE" && rmdir "$GONE" && exec "$0" "$@" -t https://lab.example.org -u ada'
      const { exitCode, stderr } = yield* shell(script, { env: { ...withPassword.env, GONE: join(path, "gone") } })
      assert.strictEqual(exitCode, 74, stderr)
      assert.strictEqual(stderr, "Error: Cannot use the current folder: it does not exist\n")
    })
  )
})

describe("what it is called with", () => {
  it.live("--help and --version answer on standard output and need no settings", () =>
    Effect.gen(function* () {
      for (const argument of ["--help", "-h"]) {
        const help = yield* warm(["--nonsense", argument])
        assert.deepInclude(help, { exitCode: 0, stderr: "" })
        assert.match(help.stdout, /Usage: svc-sample \[options\] \[BEHAVIOUR\]/)
      }
      assert.deepStrictEqual(yield* warm(["--version"]), { exitCode: 0, stdout: `${version}\n`, stderr: "" })
    })
  )

  for (const [option, begun, found] of [
    ["--logFormat", "j", "json"],
    ["--config", "/dev/nul", "/dev/null"]
  ]) {
    it.live(`bash completes the value of ${option}`, () =>
      Effect.gen(function* () {
        const complete = `COMP_WORDS=(svc-sample ${option} ${begun}); COMP_CWORD=2; COMP_LINE="\${COMP_WORDS[*]}"; COMP_POINT=\${#COMP_LINE}`
        const script = `. <("$0" "$@" --completions bash); ${complete}; $(complete -p | grep -o '_svc_[a-z]*') svc-sample ${begun} ${option}; echo "\${COMPREPLY[@]}"`
        const { stderr, stdout } = yield* shell(script)
        assert.strictEqual(stdout, `${found}\n`, stderr)
      })
    )
  }

  for (const [args, message] of [
    [["--tagret", "x"], "Unknown option --tagret; did you mean --target?"],
    [["--ll", "debug"], "Unknown option --ll; did you mean --loglevel?"],
    [["-xyz"], "Unknown option -xyz; options of several letters begin with two dashes"],
    [["-t"], "-t needs a value; one that begins with a dash is written --target=VALUE"],
    [["--completions", "tcsh"], "Invalid value for --completions: expected bash, zsh, fish or powershell"],
    [["-t", "https://h", "--config", ""], "Invalid value for --config: expected a value that is not empty"],
    [["-t", "x", "one", "two"], "Unexpected argument: two"],
    [[], "Missing required argument --target"],
    [["-t", "https://h", "--loglevel", "loud"], "Invalid log level: loud"],
    [["-t", ""], "Missing required argument --target"]
  ] as const) {
    it.live(`G1 ${args.join(" ")} is wrong usage: exit 64, nothing on standard output`, () =>
      Effect.gen(function* () {
        const { exitCode, stderr, stdout } = yield* warm(args)
        assert.deepStrictEqual([exitCode, stdout], [64, ""])
        assert.include(stderr, `Error: ${message}`)
        assert.isTrue(stderr.endsWith("\nSee svc-sample --help\n"), stderr)
      })
    )
  }

  it.live("with --logFormat json standard error is JSON, line by line, also for failures", () =>
    Effect.gen(function* () {
      for (const args of [
        ["--loglevel", "loud"],
        [...account, "fail"],
        [...account, "die"]
      ]) {
        const { stderr } = yield* warm(["--logFormat", "json", ...args], withPassword)
        const lines = stderr
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        assert.isAbove(lines.length, 0)
        const failures = lines.filter(({ code }) => code !== undefined)
        const others = lines.filter(({ code }) => code === undefined)
        for (const line of others) assert.hasAllKeys(line, ["time", "level", "message"])
        for (const line of failures) assert.hasAllKeys(line, ["time", "level", "message", "code", "exit"])
        const [expected] = [{ loud: ["UsageError", 64], fail: ["NotFound", 66], die: ["Defect", 1] }[args.at(-1) ?? ""]]
        assert.deepStrictEqual([failures[0].code, failures[0].exit], expected)
      }
    })
  )
})

describe("where settings come from", () => {
  it.live("G2 command line before environment before file", () =>
    Effect.gen(function* () {
      const config = join(yield* folder, "config.json")
      writeFileSync(config, JSON.stringify({ target: "https://file", username: "file", password: "12345678" }), {
        mode: 0o600
      })
      const from = (args: ReadonlyArray<string>, env: Record<string, string>) =>
        Effect.map(warm(["--config", config, ...args], { env }), ({ stdout }) => JSON.parse(stdout))
      assert.deepInclude(yield* from([], {}), { baseUrl: "https://file/", username: "file", secretLength: 8 })
      assert.deepInclude(yield* from([], { SVC_USER: "env", SVC_TARGET: "" }), {
        baseUrl: "https://file/",
        username: "env"
      })
      assert.deepInclude(yield* from(["-u", "line"], { SVC_USER: "env", SVC_PASSWORD: "1234" }), {
        username: "line",
        secretLength: 4
      })
      assert.deepInclude(yield* from(["-t", "lab1"], { SVC_BASE_URL: "http://127.0.0.1/{target}" }), {
        baseUrl: "http://127.0.0.1/lab1/"
      })
    })
  )

  it.live("G3 an open file with a password and a foreign key in it earns warnings; a broken one is exit 78", () =>
    Effect.gen(function* () {
      const config = join(yield* folder, "config.json")
      writeFileSync(config, '{"target": "https://h", "username": "u", "password": "CANARY", "owner": "x"}')
      chmodSync(config, 0o644)
      const open = yield* warm(["--config", config])
      assert.strictEqual(open.exitCode, 0)
      assert.match(open.stderr, /\[warn\]: .*config\.json holds a secret and other users can read it.*chmod 600/)
      assert.match(open.stderr, /\[warn\]: .*unknown key owner$/m)
      writeFileSync(config, '{"password": CANARY}')
      const broken = yield* warm(["--config", config])
      assert.deepInclude(broken, { exitCode: 78, stdout: "" })
      assert.strictEqual(
        broken.stderr,
        `Error: Configuration file ${config}: not JSON: expected a value at line 1, column 14\n`
      )
    })
  )

  it.live("G2 without --config: the file that SVC_CONFIG names, else the one of the user's configuration folder", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const settings = { target: "https://lab.example.org", username: "found", password: "12345678", logfile: "log" }
      const put = (path: string, content: object) => {
        mkdirSync(join(at, dirname(path)), { recursive: true })
        writeFileSync(join(at, path), JSON.stringify(content), { mode: 0o600 })
        return join(at, path)
      }
      const inHome = put(".config/svc-steps/config.json", settings)
      put("xdg/svc-steps/config.json", { ...settings, username: "xdg" })
      const named = put("named.json", { ...settings, username: "named" })
      const typed = put("typed.json", { ...settings, username: "typed" })
      const from = (env: Record<string, string>, ...args: ReadonlyArray<string>) => warm(args, { cwd: at, env })
      const userOf = (...run: Parameters<typeof from>) =>
        Effect.map(from(...run), ({ stderr, stdout }) => JSON.parse(stdout || `"${stderr}"`).username)
      assert.strictEqual(yield* userOf({ HOME: at }), "found")
      assert.include(readFileSync(join(at, "log"), "utf8").split("\n")[0], `, settings of ${inHome}`)
      assert.strictEqual(yield* userOf({ HOME: at, XDG_CONFIG_HOME: "relative" }), "found")
      assert.strictEqual(yield* userOf({ HOME: at, XDG_CONFIG_HOME: join(at, "xdg") }), "xdg")
      assert.strictEqual(yield* userOf({ HOME: at, SVC_CONFIG: named }), "named")
      assert.strictEqual(yield* userOf({ HOME: at, SVC_CONFIG: named }, "--config", typed), "typed")
      assert.strictEqual(yield* userOf({ HOME: at, SVC_USER: "env" }, "-u", "line"), "line")

      const elsewhere = yield* from({ HOME: at }, "-t", "https://other.example.org")
      assert.strictEqual(elsewhere.exitCode, 78)
      assert.match(
        elsewhere.stderr,
        /The account in \S+config\.json is for https:\/\/lab\S+, and does not go to https:\/\/other/
      )
      assert.notInclude(elsewhere.stderr, "12345678")
      for (const env of [{}, { HOME: "nowhere" }, { HOME: join(at, "no-home") }]) {
        assert.match((yield* from(env)).stderr, /^Error: Missing required argument --target\n/)
      }
      const missing = yield* from({ HOME: at, SVC_CONFIG: join(at, "no.json") })
      assert.deepInclude(missing, {
        exitCode: 78,
        stderr: `Error: Configuration file ${at}/no.json: it does not exist\n`
      })
      writeFileSync(inHome, '{"target":')
      assert.strictEqual((yield* from({ HOME: at })).exitCode, 78)
      rmSync(inHome)
      mkdirSync(inHome)
      const unread = yield* from({ HOME: at }, "-t", "https://h", "-u", "u", "-p", "p")
      assert.deepInclude(unread, { exitCode: 0 })
      assert.match(
        unread.stderr,
        /\[warn\]: Configuration file \S+config\.json: it is a folder; no settings come from it/
      )
      // What needs no service does not stumble over the settings for it.
      const offline = yield* runWarm("svc-verify", [], { cwd: at, env: { HOME: at, SVC_CONFIG: "no.json" } })
      assert.deepInclude(offline, { exitCode: 64 })
      assert.notInclude(offline.stderr, "no.json")
    })
  )

  it.live("G3 keys that are nearly ours end the run before anything else is judged, each with what was meant", () =>
    Effect.gen(function* () {
      const config = join(yield* folder, "config.json")
      writeFileSync(config, JSON.stringify({ taget: "https://h", destinaton: "x", passwort: "CANARY" }), {
        mode: 0o600
      })
      assert.deepStrictEqual(yield* warm(["--config", config]), {
        exitCode: 78,
        stdout: "",
        stderr: `Error: Configuration file ${config}: unknown key taget; did you mean target?; unknown key destinaton; did you mean destination?; unknown key passwort; did you mean password?\n`
      })
    })
  )

  it.live("G2 a password file comes behind password and SVC_PASSWORD and before the configuration file", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const file = (name: string, text: string, mode = 0o600) => {
        const path = join(at, name)
        writeFileSync(path, text, { mode })
        return path
      }
      const six = file("six", "CANARY\r\nsecond line\n")
      const two = file("two", "CA")
      const config = file("config.json", JSON.stringify({ password: "CANA" }))
      const inConfig = file("file.json", JSON.stringify({ passwordFile: six }))
      const secretLength = (args: ReadonlyArray<string>, env: Record<string, string>) =>
        Effect.map(warm([...account, ...args], { env }), ({ stderr, stdout }) => {
          assert.notInclude(stderr, "holds a secret")
          return JSON.parse(stdout).secretLength as number
        })
      assert.strictEqual(yield* secretLength(["-p", "C"], { SVC_PASSWORD_FILE: six }), 1)
      assert.strictEqual(yield* secretLength(["--passwordFile", six], { SVC_PASSWORD: "CAN" }), 6)
      assert.strictEqual(yield* secretLength([], { SVC_PASSWORD: "CAN", SVC_PASSWORD_FILE: six }), 3)
      assert.strictEqual(yield* secretLength(["--config", config], { SVC_PASSWORD_FILE: two }), 2)
      assert.strictEqual(yield* secretLength(["--config", config], {}), 4)
      assert.strictEqual(yield* secretLength(["--config", inConfig], {}), 6)
    })
  )

  it.live("G3 a password file that others can read earns a warning; one that cannot be used is exit 78", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "password")
      writeFileSync(path, "CANARY\n", { mode: 0o600 })
      chmodSync(path, 0o644)
      const open = yield* warm(account, { env: { SVC_PASSWORD_FILE: path } })
      assert.strictEqual(open.exitCode, 0)
      assert.match(open.stderr, /\[warn\]: .*password holds a secret and other users can read it.*chmod 600/)
      const failure = (path: string) =>
        Effect.map(warm(account, { env: { SVC_PASSWORD_FILE: path } }), ({ exitCode, stderr, stdout }) => {
          assert.deepStrictEqual([exitCode, stdout], [78, ""])
          return stderr
        })
      const at = (path: string) => `Error: Password file ${path} (SVC_PASSWORD_FILE)`
      assert.strictEqual(yield* failure(`${path}s`), `${at(`${path}s`)}: it does not exist\n`)
      writeFileSync(path, "\nCANARY\n")
      chmodSync(path, 0o600)
      assert.strictEqual(yield* failure(path), `${at(path)}: its first line is empty\n`)
      writeFileSync(path, new Uint8Array([0xff, 0xfe, 0x0a]))
      assert.strictEqual(yield* failure(path), `${at(path)}: it is not UTF-8 text\n`)
      assert.strictEqual(yield* failure(tmpdir()), `${at(tmpdir())}: it is a folder\n`)
    })
  )

  it.live("Y1 without a terminal a missing password is exit 78 at once", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* runCommand("setsid", ["-w", process.execPath, sample, ...account])
      assert.deepStrictEqual([exitCode, stdout], [78, ""])
      assert.match(stderr, /^Error: No password and no terminal to ask for it/)
    })
  )

  it.live("G5 NODE_TLS_REJECT_UNAUTHORIZED=0 is taken back, with a warning", () =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* run(account, {
        env: { ...withPassword.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" }
      })
      assert.strictEqual(exitCode, 0)
      assert.match(stderr, /\[warn\]: NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored/)
    })
  )
})

describe("how it ends", () => {
  for (const [behaviour, code, message] of [
    ["fail", 66, "Error: analysis A\\u001b7: not found\n"],
    ["disk", 74, "Error: Cannot write x: the disk is full\n"]
  ] as const) {
    it.live(`a failure is one line and its own exit code: ${code}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run([...account, behaviour], withPassword), {
          exitCode: code,
          stdout: "",
          stderr: message
        })
      })
    )
  }

  for (const behaviour of ["die", "throw"]) {
    it.live(`P7 a defect (${behaviour}) is exit 1, one line and no secret`, () =>
      Effect.gen(function* () {
        const { exitCode, stderr, stdout } = yield* run([...account, behaviour], withPassword)
        assert.deepStrictEqual([exitCode, stdout], [1, ""])
        assert.match(
          stderr,
          /Error: Internal error \(Error: (?:broken with \*\*\*|thrown outside)\)\. This is a defect/
        )
        assert.notMatch(stderr, /CANARY|\n\s+at /)
      })
    )
  }

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGUSR1", 138],
    ["SIGUSR2", 140]
  ] as const) {
    it.live(`P4 ${signal} lets finalizers run and ends with ${code}`, () =>
      Effect.gen(function* () {
        const step = yield* startSample("wait")
        yield* step.shows("waiting\n")
        yield* step.kill(signal)
        assert.strictEqual(yield* step.ended, code)
        assert.strictEqual(step.output(), `waiting\nfinalizer ran\nError: Stopped by ${signal}\n`)
      })
    )
  }

  it.live("P4 SIGHUP without a terminal does not end a run, as nohup wants it, and is said once", () =>
    Effect.gen(function* () {
      const step = yield* startSample("wait")
      yield* step.shows("waiting\n")
      yield* step.kill("SIGHUP")
      yield* step.shows("The terminal has gone (SIGHUP): the run goes on")
      yield* step.kill("SIGHUP")
      yield* step.kill("SIGTERM")
      assert.strictEqual(yield* step.ended, 143)
      assert.strictEqual(step.output().split("The terminal has gone").length, 2)
    })
  )

  it.live("P4 a second signal ends it at once", () =>
    Effect.gen(function* () {
      const step = yield* startSample("slow")
      yield* step.shows("waiting\n")
      yield* step.kill("SIGTERM")
      yield* step.shows("finalizer began")
      yield* step.kill("SIGINT")
      assert.strictEqual(yield* step.ended.pipe(Effect.timeout("100 seconds")), 130)
    })
  )

  it.live("P4 finalizers get no longer than the grace", () =>
    Effect.gen(function* () {
      const step = yield* start(process.execPath, [graceless], {})
      yield* step.shows("waiting\n")
      yield* step.kill("SIGTERM")
      assert.strictEqual(yield* step.ended.pipe(Effect.timeout("100 seconds")), 143)
      assert.include(step.output(), "Not finished 0.3 s after it was told to stop: ended")
    })
  )

  it.live(
    "P4 a signal ends it too while it reads a pipe in which nothing comes, such as that of a slow password store",
    () =>
      Effect.gen(function* () {
        const pipe = join(yield* folder, "pipe")
        assert.strictEqual((yield* runCommand("mkfifo", [pipe])).exitCode, 0)
        const step = yield* start(process.execPath, [sample, "--config", pipe], {})
        // Opens when the step reads, and says nothing.
        const writer = yield* Effect.acquireRelease(
          Effect.promise(() => open(pipe, "w")),
          (file) => Effect.promise(() => file.close())
        )
        assert.isTrue((yield* Effect.promise(() => writer.stat())).isFIFO())
        yield* step.kill("SIGTERM")
        assert.include([143, "SIGTERM"], yield* step.ended.pipe(Effect.timeout("100 seconds")))
        assert.strictEqual(step.output(), "Error: Stopped by SIGTERM\n")
      })
  )

  it.live("K10 standard output that cannot be written is exit 74", () =>
    Effect.gen(function* () {
      const { exitCode, stderr } = yield* shell(`"$0" "$1" ${account.join(" ")} > /dev/full`, withPassword)
      assert.deepStrictEqual([exitCode, stderr], [74, "Error: Cannot write to standard output: the disk is full\n"])
    })
  )

  it.live("K10 a log that cannot be written does not stop it", () =>
    Effect.gen(function* () {
      const { exitCode, stderr, stdout } = yield* run([...account, "--logfile", "/dev/full", "leak"], withPassword)
      assert.deepStrictEqual([exitCode, stdout], [0, ""])
      assert.match(stderr, /Cannot write the log file \/dev\/full: the disk is full; the run goes on/)
      const closed = yield* shell(`"$0" "$1" ${account.join(" ")} leak 2>/dev/full`, withPassword)
      assert.strictEqual(closed.exitCode, 0)
    })
  )

  it.live("a log file that cannot be created is exit 73 before the work", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run([...account, "--logfile", "no/such/run.log"], withPassword), {
        exitCode: 73,
        stdout: "",
        stderr: "Error: Cannot create no/such/run.log: its folder does not exist\n"
      })
    })
  )
})

describe("what others may see", () => {
  it.live("Z5 no secret in standard error or the log file, at any level", () =>
    Effect.gen(function* () {
      const log = join(yield* folder, "run.log")
      for (const behaviour of ["leak", "die", "fail"]) {
        for (const format of ["text", "json"]) {
          const options = [...account, "--loglevel", "debug", "--logfile", log, "--logFormat", format]
          const { stderr, stdout } = yield* run([...options, behaviour], withPassword)
          assert.notMatch(stderr + stdout, /CANARY|X-Amz-Signature=abc/)
        }
      }
      assert.include(readFileSync(log, "utf8"), "***")
      assert.notMatch(readFileSync(log, "utf8"), /CANARY|X-Amz-Signature=abc/)
    })
  )

  it.live("Z6 a password of the command line leaves the process list, and earns a warning", () =>
    Effect.gen(function* () {
      for (const option of [["-p", "CANARY-x"], ["--password=CANARY-x"]]) {
        const step = yield* startSample(...option, "wait")
        yield* step.shows("waiting\n")
        assert.notInclude(readFileSync(`/proc/${step.pid}/cmdline`, "utf8"), "CANARY")
        assert.include(step.output(), "[warn]: --password can be read by other users")
        assert.notInclude(step.output(), "CANARY")
      }
    })
  )

  it.live("Z7 a diagnostic report does not hold the environment", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const options = `--report-on-signal --report-directory=${path} --report-filename=report.json`
      const step = yield* start(process.execPath, [sample, ...account, "wait"], {
        ...withPassword.env,
        NODE_OPTIONS: options
      })
      yield* step.shows("waiting\n")
      yield* step.kill("SIGUSR2")
      yield* step.shows("report.json")
      assert.notInclude(readFileSync(join(path, "report.json"), "utf8"), "CANARY")
    })
  )

  it.live("Y4 text of the service is escaped on standard error", () =>
    Effect.gen(function* () {
      const { stderr } = yield* run([...account, "escape"], withPassword)
      assert.match(stderr, /\[info\]: evil \\u001b\[2J\\u000d\\u202e name\n$/)
    })
  )
})

describe("at a terminal", () => {
  it.live("Y3 the password is asked for and not shown, and the echo comes back", () =>
    Effect.gen(function* () {
      const session = yield* onTerminal(account)
      yield* session.shows("Password of ada for lab.example.org: ")
      yield* session.type("CANARY\u007fY\r")
      yield* session.shows("code=0")
      assert.notInclude(session.output(), "CANAR")
      assert.include(session.output(), '"secretLength":6')
      assert.include(session.output(), " echo ")
    })
  )

  it.live("both answers may be pasted at once", () =>
    Effect.gen(function* () {
      const session = yield* onTerminal(["-t", "https://lab.example.org"])
      yield* session.shows("User name for lab.example.org: ")
      // Between two questions the terminal itself collects the line, and drops what goes beyond 4,095 bytes of it.
      yield* session.type(`ada\r${"x".repeat(4000)}\r`)
      yield* session.shows("code=0")
      assert.include(session.output(), '"username":"ada"')
      assert.include(session.output(), '"secretLength":4000')
    })
  )

  for (const [name, key] of [
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"]
  ] as const) {
    it.live(`Y3 ${name} at the password ends with 130 and the echo comes back`, () =>
      Effect.gen(function* () {
        const session = yield* onTerminal(account)
        yield* session.shows("Password of ada")
        yield* session.type(key)
        yield* session.shows("code=130")
        assert.include(session.output(), " echo ")
      })
    )
  }

  it.live("a question is answered with no unless it is clearly yes", () =>
    Effect.gen(function* () {
      for (const [typed, answer] of [
        ["y\r", "yes"],
        ["YES\r", "yes"],
        ["\r", "no"],
        ["n\r", "no"],
        ["maybe\r", "no"]
      ]) {
        const session = yield* onTerminal([...account, "ask"], withPassword.env)
        yield* session.shows("Restore it? [y/N] ")
        yield* session.type(typed ?? "")
        yield* session.shows("code=0")
        assert.match(session.output(), new RegExp(`^${answer}\\r$`, "m"))
      }
      const nobody = yield* run([...account, "ask"], withPassword)
      assert.strictEqual(nobody.stdout, "no\n")
    })
  )

  it.live("Y2 a status is drawn only where it can be redrawn", () =>
    Effect.gen(function* () {
      const live = yield* onTerminal([...account, "STATUS"], withPassword.env)
      yield* live.shows("code=0")
      assert.include(live.output(), "STATUS\r\n")
      for (const env of [{ TERM: "dumb" }, { CI: "true" }]) {
        const plain = yield* onTerminal([...account, "STATUS"], { ...withPassword.env, ...env })
        yield* plain.shows("code=0")
        assert.notInclude(plain.output(), "STATUS")
      }
    })
  )
})
