import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makeScrubber } from "../../core/src/text/Scrubber.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { openLogFile } from "./LogFile.ts"
import * as LogOutput from "./LogOutput.ts"

const folder = temporaryFolder("svc-log-")

const capture = (settings: LogOutput.LogSettings, scrubber = makeScrubber(), colors = false) => {
  const lines: Array<string> = []
  return { lines, layer: LogOutput.layerStderr(settings, scrubber, { line: (line) => lines.push(line), colors }) }
}

describe("log lines", () => {
  it.effect("text has time, level and message; only the wanted levels", () =>
    Effect.gen(function* () {
      const { layer, lines } = capture({ level: "info", format: "text" })
      yield* Effect.gen(function* () {
        yield* Effect.logDebug("no")
        yield* Effect.logInfo("A1: restoration", "pending")
        yield* Effect.logWarning("careful").pipe(Effect.annotateLogs({ analysisId: "A1", n: 2 }))
        yield* Effect.logError("bad")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(lines, [
        "1970-01-01T00:00:00.000Z [info]: A1: restoration pending",
        "1970-01-01T00:00:00.000Z [warn]: careful analysisId=A1 n=2",
        "1970-01-01T00:00:00.000Z [error]: bad"
      ])
    })
  )

  it.effect("Y2 colours are for what became of a file, and for nothing else", () =>
    Effect.gen(function* () {
      const say = Effect.gen(function* () {
        yield* Effect.logInfo("a.bam: downloaded").pipe(
          Effect.annotateLogs({ outcome: "downloaded", analysisId: "A1" })
        )
        yield* Effect.logInfo("b.bam: exists, kept").pipe(Effect.annotateLogs({ outcome: "skipped" }))
        yield* Effect.logError("\u001b[2Jc.bam: lost").pipe(Effect.annotateLogs({ outcome: "failed" }))
        yield* Effect.logError("no file")
      })
      const colored = capture({ level: "info", format: "text" }, makeScrubber(), true)
      const plain = capture({ level: "info", format: "text" })
      const json = capture({ level: "info", format: "json" }, makeScrubber(), true)
      for (const { layer } of [colored, plain, json]) yield* Effect.provide(say, layer)
      const time = "1970-01-01T00:00:00.000Z"
      assert.deepStrictEqual(colored.lines, [
        `${time} [info]: \u001b[32ma.bam: downloaded\u001b[39m analysisId=A1`,
        `${time} [info]: \u001b[33mb.bam: exists, kept\u001b[39m`,
        `${time} [error]: \u001b[31m\\u001b[2Jc.bam: lost\u001b[39m`,
        `${time} [error]: no file`
      ])
      assert.strictEqual(plain.lines[0], `${time} [info]: a.bam: downloaded analysisId=A1`)
      assert.isFalse([...plain.lines, ...json.lines].some((line) => line.includes("\u001b")))
      assert.deepInclude(JSON.parse(json.lines[2] ?? ""), { level: "error", outcome: "failed" })
    })
  )

  it.effect("every level shows itself and what is worse", () =>
    Effect.gen(function* () {
      for (const [level, count] of [
        ["error", 1],
        ["warn", 2],
        ["info", 3],
        ["debug", 4]
      ] as const) {
        const { layer, lines } = capture({ level, format: "text" })
        yield* Effect.all([
          Effect.logError("e"),
          Effect.logWarning("w"),
          Effect.logInfo("i"),
          Effect.logDebug("d")
        ]).pipe(Effect.provide(layer))
        assert.strictEqual(lines.length, count, level)
      }
    })
  )

  it.effect("json is one object a line, annotations never replace time, level or message", () =>
    Effect.gen(function* () {
      const { layer, lines } = capture({ level: "info", format: "json" })
      yield* Effect.logInfo('two\n"lines"\u009b').pipe(
        Effect.annotateLogs({
          level: "fake",
          file: "a.bam",
          token: "CANARY",
          note: "pwd=CANARY",
          secret: Redacted.make("CANARY")
        }),
        Effect.provide(layer)
      )
      assert.strictEqual(lines.length, 1)
      assert.notInclude(lines[0], "CANARY")
      assert.notInclude(lines[0], "\u009b")
      const { secret, ...entry } = JSON.parse(lines[0] ?? "")
      assert.deepStrictEqual(entry, {
        time: "1970-01-01T00:00:00.000Z",
        level: "info",
        message: 'two\n"lines"\u009b',
        file: "a.bam",
        token: "***",
        note: "pwd=***"
      })
      assert.notInclude(secret, "CANARY")
    })
  )

  it.effect("Y4 text of the service cannot begin a line or steer the terminal", () =>
    Effect.gen(function* () {
      const { layer, lines } = capture({ level: "info", format: "text" })
      yield* Effect.logInfo("a\n2026 [error]: fake \u001b[2J \r \u202e \u0000").pipe(Effect.provide(layer))
      assert.deepStrictEqual(lines, [
        "1970-01-01T00:00:00.000Z [info]: a\\u000a2026 [error]: fake \\u001b[2J \\u000d \\u202e \\u0000"
      ])
    })
  )

  it.effect("Z5 secrets are scrubbed on the way out", () =>
    Effect.gen(function* () {
      const scrubber = makeScrubber()
      scrubber.protect(Redacted.make("hunter2"))
      for (const format of ["text", "json"] as const) {
        const { layer, lines } = capture({ level: "info", format }, scrubber)
        yield* Effect.logInfo("it is hunter2", Redacted.make("other")).pipe(
          Effect.andThen(LogOutput.failure("also hunter2")),
          Effect.provide(layer)
        )
        assert.notMatch(lines.join("\n"), /hunter2|other/)
      }
    })
  )

  it.effect("a failure is `Error: message` as text, an entry as json; never a stack", () =>
    Effect.gen(function* () {
      const text = capture({ level: "error", format: "text" })
      const both = Effect.andThen(LogOutput.failure("first\nsecond"), LogOutput.hint("See svc-download --help"))
      yield* both.pipe(Effect.provide(text.layer))
      assert.deepStrictEqual(text.lines, ["Error: first", "Error: second", "See svc-download --help"])
      const json = capture({ level: "error", format: "json" })
      yield* both.pipe(Effect.provide(json.layer))
      assert.deepStrictEqual(JSON.parse(json.lines[0] ?? ""), {
        time: "1970-01-01T00:00:00.000Z",
        level: "error",
        message: "first"
      })
      const cause = capture({ level: "info", format: "text" })
      yield* Effect.catchCause(Effect.die(new Error("boom")), (it) => Effect.logError("failed:", it)).pipe(
        Effect.provide(cause.layer)
      )
      assert.deepStrictEqual(cause.lines, ["1970-01-01T00:00:00.000Z [error]: failed: boom"])
    })
  )
})

describe("log file", () => {
  const logging = (path: string, write: (line: string) => void) =>
    LogOutput.layerFile(path, { level: "info", format: "text" }, makeScrubber(), { line: write, colors: false })

  it.effect("has lines that a screen does not show", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.log")
      const shown: Array<string> = []
      yield* LogOutput.inFileOnly("begins").pipe(Effect.provide(logging(path, (line) => shown.push(line))))
      assert.strictEqual(readFileSync(path, "utf8"), `1970-01-01T00:00:00.000Z ${process.pid} [info]: begins\n`)
      assert.deepStrictEqual(shown, [])
    })
  )

  it.effect("says in each line which process wrote it, as several runs may write to one log", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.log")
      const shown: Array<string> = []
      const screen = { line: (line: string) => shown.push(line), colors: false }
      const layer = LogOutput.layerFile(path, { level: "info", format: "json" }, makeScrubber(), screen)
      yield* Effect.logInfo("one").pipe(Effect.annotateLogs({ file: "a.bam", pid: "fake" }), Effect.provide(layer))
      const line = { time: "1970-01-01T00:00:00.000Z", pid: process.pid, level: "info", message: "one", file: "a.bam" }
      assert.strictEqual(readFileSync(path, "utf8"), `${JSON.stringify(line)}\n`)
      const { pid: _, ...onScreen } = line
      assert.deepStrictEqual(shown, [JSON.stringify(onScreen)])
    })
  )

  it.effect("gets every line, is private and appended to", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.log")
      const shown: Array<string> = []
      for (const word of ["one", "two"]) {
        yield* Effect.andThen(Effect.logInfo(word), LogOutput.failure(`${word} failed`)).pipe(
          Effect.provide(logging(path, (line) => shown.push(line)))
        )
      }
      assert.deepStrictEqual(readFileSync(path, "utf8").split("\n"), [
        `1970-01-01T00:00:00.000Z ${process.pid} [info]: one`,
        `1970-01-01T00:00:00.000Z ${process.pid} [error]: one failed`,
        `1970-01-01T00:00:00.000Z ${process.pid} [info]: two`,
        `1970-01-01T00:00:00.000Z ${process.pid} [error]: two failed`,
        ""
      ])
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.deepInclude(shown, "Error: one failed")
    })
  )

  it.effect("that cannot be opened is an error before the work", () =>
    Effect.gen(function* () {
      const root = yield* folder
      symlinkSync(join(root, "elsewhere"), join(root, "link.log"))
      for (const [path, reason] of [
        [join(root, "no", "run.log"), "its folder does not exist"],
        [root, "it is a folder"],
        [join(root, "link.log"), "it is a symbolic link"]
      ] as const) {
        const error = yield* Effect.flip(Effect.logInfo("x").pipe(Effect.provide(logging(path, () => {}))))
        assert.strictEqual(error.message, `Cannot create ${path}: ${reason}`)
      }
      assert.isFalse(existsSync(join(root, "elsewhere")))
    })
  )

  it.effect("a link in the memory of all users is not followed, a link to a device is", () =>
    Effect.gen(function* () {
      const shared = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync("/dev/shm/svc-log-")),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const log = (path: string) => Effect.logInfo("x").pipe(Effect.provide(logging(path, () => {})))
      symlinkSync(join(shared, "elsewhere"), join(shared, "link.log"))
      assert.include((yield* Effect.flip(log(join(shared, "link.log")))).message, "it is a symbolic link")
      assert.isFalse(existsSync(join(shared, "elsewhere")))
      const file = openSync(join(shared, "own.log"), "w")
      yield* log(`/dev/fd/${file}`)
      closeSync(file)
      assert.include(readFileSync(join(shared, "own.log"), "utf8"), "[info]: x")
    })
  )

  it.effect("K10 a full disk is said once and the run goes on", () =>
    Effect.gen(function* () {
      const shown: Array<string> = []
      yield* Effect.andThen(Effect.logInfo("one"), Effect.logInfo("two")).pipe(
        Effect.provide(logging("/dev/full", (line) => shown.push(line.replace(/^\S+ /, ""))))
      )
      assert.deepStrictEqual(shown, [
        "[info]: one",
        "[warn]: Cannot write the log file /dev/full: the disk is full; the run goes on",
        "[info]: two"
      ])
    })
  )

  it.effect("K10 a pipe that takes half a line is said once, and the next line is one of its own", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "log")
      execFileSync("mkfifo", [path])
      // Opened for both, or it would wait for somebody at the other end.
      const reader = openSync(path, "r+")
      const reports: Array<string> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLogFile(path, (message) => reports.push(message))
          assert.isFalse(log.append("a".repeat(200_000)))
          assert.isFalse(log.append("lost\n"))
          const taken = Buffer.alloc(300_000)
          readSync(reader, taken)
          assert.isTrue(log.append("whole\n"))
          assert.strictEqual(taken.toString("utf8", 0, readSync(reader, taken)), "\nwhole\n")
        })
      )
      closeSync(reader)
      assert.lengthOf(reports, 1)
      assert.match(reports[0] ?? "", /^Cannot write the log file .*; the run goes on$/)
    })
  )

  it.effect("K11 SIGHUP opens a log file again that was rotated; where that cannot be, the open one stays", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const path = join(root, "run.log")
      const reports: Array<string> = []
      const before = process.listenerCount("SIGHUP")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLogFile(path, (message) => reports.push(message))
          log.append("one\n")
          renameSync(path, `${path}.1`)
          log.append("two\n")
          process.emit("SIGHUP")
          log.append("three\n")
          renameSync(path, `${path}.2`)
          mkdirSync(path)
          process.emit("SIGHUP")
          log.append("four\n")
        })
      )
      assert.strictEqual(process.listenerCount("SIGHUP"), before)
      assert.strictEqual(readFileSync(`${path}.1`, "utf8"), "one\ntwo\n")
      assert.strictEqual(readFileSync(`${path}.2`, "utf8"), "three\nfour\n")
      assert.strictEqual(statSync(`${path}.2`).mode & 0o777, 0o600)
      assert.deepStrictEqual(reports, [
        `Cannot write the log file ${path}: it is a folder; it stays the file that was open`
      ])
    })
  )

  it.effect("the permissions of an existing log stay as they are", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.log")
      writeFileSync(path, "old\n")
      chmodSync(path, 0o640)
      yield* Effect.logInfo("new").pipe(Effect.provide(logging(path, () => {})))
      appendFileSync(path, "")
      assert.match(readFileSync(path, "utf8"), /^old\n.*new\n$/)
      assert.strictEqual(statSync(path).mode & 0o777, 0o640)
    })
  )
})
