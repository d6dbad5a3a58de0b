/** The shared runner as a process: defects, signals, secrets, terminals. Settings, messages and exit codes are in settings.transcript. */
import { readFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bundled } from "../Bundles.ts"
import { type RunOptions, runCommand, startCommand, startOnTerminal } from "../Executables.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const sample = await bundled(new URL("../sample-step/Start.ts", import.meta.url))
const graceless = await bundled(new URL("../sample-step/Grace.ts", import.meta.url))
const account = ["-t", "https://lab.example.org", "-u", "ada"]
const withPassword = { env: { SVC_PASSWORD: "CANARY-pässword" } }

const run = (args: ReadonlyArray<string>, options?: RunOptions) =>
  runCommand(process.execPath, [sample, ...args], options)
const folder = temporaryFolder("svc-step-")

const start = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  startCommand(process.execPath, [program, ...args], { env, input: null })

const startSample = (...args: ReadonlyArray<string>) => start(sample, [...account, ...args], withPassword.env)

/** The sample step at a terminal, in a shell that shows at the end whether the terminal echoes again. */
const onTerminal = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  startOnTerminal(
    `'${process.execPath}' '${sample}' ${args.join(" ")}; code=$?; stty -a | grep -o ' -*echo '; echo "code=$code"`,
    { env }
  )

describe("how it ends", () => {
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

  it.live("P7 with --logFormat json a defect is JSON", () =>
    Effect.gen(function* () {
      const { stderr } = yield* run(["--logFormat", "json", ...account, "die"], withPassword)
      assert.deepInclude(JSON.parse(stderr), { level: "error", code: "Defect", exit: 1 })
    })
  )

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
        assert.strictEqual((yield* step.outcome).exitCode, code)
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
      assert.strictEqual((yield* step.outcome).exitCode, 143)
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
      assert.strictEqual((yield* step.outcome).exitCode, 130)
    })
  )

  it.live("P4 finalizers get no longer than the grace", () =>
    Effect.gen(function* () {
      const step = yield* start(graceless, [])
      yield* step.shows("waiting\n")
      yield* step.kill("SIGTERM")
      assert.strictEqual((yield* step.outcome).exitCode, 143)
      assert.include(step.output(), "Not finished 0.3 s after it was told to stop: ended")
    })
  )

  it.live(
    "P4 a signal ends it too while it reads a pipe in which nothing comes, such as that of a slow password store",
    () =>
      Effect.gen(function* () {
        const pipe = join(yield* folder, "pipe")
        assert.strictEqual((yield* runCommand("mkfifo", [pipe])).exitCode, 0)
        const step = yield* start(sample, ["--config", pipe])
        // Opens when the step reads, and says nothing.
        const writer = yield* Effect.acquireRelease(
          Effect.promise(() => open(pipe, "w")),
          (file) => Effect.promise(() => file.close())
        )
        assert.isTrue((yield* Effect.promise(() => writer.stat())).isFIFO())
        yield* step.kill("SIGTERM")
        assert.strictEqual((yield* step.outcome).exitCode, 143)
        assert.strictEqual(step.output(), "Error: Stopped by SIGTERM\n")
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
      const step = yield* start(sample, [...account, "wait"], {
        ...withPassword.env,
        NODE_OPTIONS: options
      })
      yield* step.shows("waiting\n")
      yield* step.kill("SIGUSR2")
      yield* step.shows("report.json")
      assert.notInclude(readFileSync(join(path, "report.json"), "utf8"), "CANARY")
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
