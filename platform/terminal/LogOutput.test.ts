import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { makeScrubber } from "../../core/src/text/Scrubber.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { type LogFile, makePatience, openLogFile } from "./LogFile.ts"
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

let ahead = 0
/** Appends when it is time to look for a rotation, which is done once a second. */
const appendLater = (log: LogFile, text: string) => {
  ahead += 1100
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + ahead)
  log.append(text)
  clock.mockRestore()
}

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

  it.effect("Z8 K11 what is no text is not appended to, also when it takes the place of the log during the run", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "run.log")
      const bytes = new Uint8Array([66, 65, 73, 1, 0, 0])
      writeFileSync(path, bytes)
      const refused = yield* Effect.flip(Effect.scoped(openLogFile(path, () => {})))
      assert.strictEqual(refused._tag, "SvcUsageError")
      assert.deepEqual(readFileSync(path), Buffer.from(bytes))
      writeFileSync(path, "\u001b[1mtext\u001b[0m of old, \tin any encoding: \u00fc\n", "latin1")
      const reports: Array<string> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLogFile(path, (message) => reports.push(message))
          log.append("first\n")
          rmSync(path)
          writeFileSync(path, bytes)
          appendLater(log, "second\n")
        })
      )
      assert.deepStrictEqual(reports, [
        `Cannot write the log file ${path}: it holds something else than text; the run goes on`
      ])
      assert.deepEqual(readFileSync(path), Buffer.from(bytes))
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

  it.effect("K10 a reader that is slower than the log loses no line", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const path = join(root, "log")
      execFileSync("mkfifo", [path])
      // Opened for both, or it would wait for somebody at the other end.
      const ends = [openSync(path, "r+"), openSync(path, "r")] as const
      const reader = spawn("sh", ["-c", 'read -r line; echo "$line"; cat > read'], {
        cwd: root,
        stdio: [ends[1], "pipe", "ignore"]
      })
      const ended = once(reader, "close")
      const lines = "a line\n".repeat(200_000)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLogFile(path, (message) => assert.fail(message))
          for (const end of ends) closeSync(end)
          const ready = once(reader.stdout ?? reader, "data")
          log.append("ready\n")
          yield* Effect.promise(() => ready)
          assert.isTrue(log.append(lines))
        })
      )
      yield* Effect.promise(() => ended)
      assert.strictEqual(readFileSync(join(root, "read"), "utf8"), lines)
    })
  )

  it("K10 a reader that is always slower than the log is waited for a tenth of the time", () => {
    let [now, waited] = [0, 0]
    const mayWait = makePatience(
      () => now,
      (milliseconds) => {
        now += milliseconds
        waited += milliseconds
      }
    )
    while (now < 1_000_000) if (!mayWait()) now += 1
    assert.isAbove(waited, 50_000)
    assert.isBelow(waited, 110_000)
  })

  it.effect("K11 a log file that is rotated or deleted goes on under its name", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const path = join(root, "run.log")
      const log = yield* openLogFile(path, (message) => assert.fail(message))
      log.append("one\n")
      renameSync(path, `${path}.1`)
      appendLater(log, "two\n")
      rmSync(path)
      appendLater(log, "three\n")
      assert.strictEqual(readFileSync(`${path}.1`, "utf8"), "one\n")
      assert.strictEqual(readFileSync(path, "utf8"), "three\n")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
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
