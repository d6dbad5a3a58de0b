import { execFileSync } from "node:child_process"
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { openOutput, replaceFile } from "./OutputFile.ts"

const folder = temporaryFolder("svc-output-")
const bytes = (text: string) => new TextEncoder().encode(text)
const content = (path: string) => readFileSync(path, "utf8")

/** Writes `text` and commits. */
const put = (path: string, text: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const output = yield* openOutput(path)
      for (const part of text) yield* output.write(bytes(part))
      yield* output.commit
    })
  )

describe("an output file", () => {
  it.live("appears when it is committed, and not before", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "x.json")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const output = yield* openOutput(path)
          yield* output.write(bytes("new"))
          assert.deepStrictEqual(
            readdirSync(join(path, "..")).map((name) => name.startsWith(".x.json.")),
            [true]
          )
          yield* output.commit
          assert.strictEqual(content(path), "new")
        })
      )
      assert.deepStrictEqual(readdirSync(join(path, "..")), ["x.json"])
    })
  )

  it.live("stays as it was when there is a failure or an interruption", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "x.json")
      writeFileSync(path, "old")
      const writing = Effect.flatMap(openOutput(path), ({ write }) => write(bytes("half")))
      yield* Effect.exit(Effect.scoped(Effect.andThen(writing, Effect.fail("no"))))
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.andThen(writing, Effect.never)))
      yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([content(path), readdirSync(join(path, ".."))], ["old", ["x.json"]])
    })
  )

  it.live("K3 that cannot be removed after a failure hides nothing of the failure", () =>
    Effect.gen(function* () {
      const at = join(yield* folder, "here")
      mkdirSync(at)
      const failing = Effect.gen(function* () {
        yield* Effect.flatMap(openOutput(join(at, "x.json")), ({ write }) => write(bytes("half")))
        rmSync(at, { recursive: true })
        writeFileSync(at, "a file in the place of its folder")
        return yield* Effect.fail("no")
      })
      assert.deepStrictEqual(yield* Effect.exit(Effect.scoped(failing)), Exit.fail("no"))
    })
  )

  it.live("a file that is open already is written to where it stands, and not replaced", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const path = join(root, "all.jsonl")
      writeFileSync(path, "old")
      const open = openSync(path, "a+")
      symlinkSync(`/dev/fd/${open}`, join(root, "link"))
      yield* put(`/dev/fd/${open}`, " one")
      yield* put(join(root, "link"), " two")
      assert.strictEqual(content(path), "old one two")
      // Its name says then that it is gone, which is no name for a new file.
      rmSync(path)
      yield* put(`/proc/self/fd/${open}`, " three")
      assert.strictEqual(readFileSync(`/dev/fd/${open}`, "utf8"), "old one two three")
      assert.deepStrictEqual(readdirSync(root), ["link"])
      closeSync(open)
      const closed = yield* Effect.flip(put("/dev/fd/999", "nothing is open there"))
      assert.strictEqual(closed.message, "Cannot open /dev/fd/999: nothing is open there")
    })
  )

  it.live("forgets what was written after a place", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "x.json")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const output = yield* openOutput(path)
          yield* output.write(bytes("a long beginning"))
          assert.isTrue(yield* output.rewind(2))
          yield* output.write(bytes("good end"))
          yield* output.commit
        })
      )
      assert.strictEqual(content(path), "a good end")
    })
  )

  it.live("at a symbolic link replaces the file that the link leads to", () =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, "real"))
      writeFileSync(join(path, "real", "x"), "old")
      symlinkSync(join("real", "x"), join(path, "link"))
      yield* put(join(path, "link"), "new")
      assert.strictEqual(content(join(path, "real", "x")), "new")
      assert.deepStrictEqual(readdirSync(path), ["link", "real"])
    })
  )

  it.live("is not written through a link planted under its temporary name", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, "victim"), "untouched")
      symlinkSync("victim", join(path, `.x.${process.pid}.new`))
      yield* put(join(path, "x"), "new")
      assert.deepStrictEqual([content(join(path, "victim")), content(join(path, "x"))], ["untouched", "new"])
    })
  )

  it.live(
    "K10 a pipe that nobody reads: a whole file is refused, an output waits for a reader and can be stopped",
    () =>
      Effect.gen(function* () {
        const path = join(yield* folder, "pipe")
        execFileSync("mkfifo", [path])
        const refused = yield* Effect.flip(replaceFile(path, [bytes("x")], "the report"))
        assert.deepInclude(refused, { _tag: "SvcCannotCreate", reason: "it is a pipe that nobody reads" })
        yield* Fiber.interrupt(yield* Effect.forkChild(put(path, "x"), { startImmediately: true }))
        const writer = yield* Effect.forkChild(put(path, "late"), { startImmediately: true })
        const read = yield* Effect.promise(() => readFile(path, "utf8"))
        yield* Fiber.join(writer)
        assert.strictEqual(read, "late")
      })
  )

  it.live("that is a pipe is written to and stays a pipe", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "pipe")
      execFileSync("mkfifo", [path])
      const reader = yield* Effect.forkChild(
        Effect.promise(() => import("node:fs/promises").then((fs) => fs.readFile(path)))
      )
      yield* put(path, "through")
      assert.strictEqual((yield* Fiber.join(reader)).toString(), "through")
      assert.deepStrictEqual(readdirSync(join(path, "..")), ["pipe"])
    })
  )

  it.live("that cannot be made is said at once", () =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, "closed"))
      chmodSync(join(path, "closed"), 0o555)
      const isRoot = process.getuid?.() === 0
      for (const name of [".", "none/x", "x".repeat(256), ...(isRoot ? [] : ["closed/x"])]) {
        const error = yield* Effect.flip(Effect.scoped(openOutput(join(path, name))))
        assert.strictEqual(error._tag, "SvcCannotCreate", name)
      }
    })
  )

  it.live("K10 is replaced as a whole; a device is written to, and its error names what was written", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "report.json")
      writeFileSync(path, "old and longer than the new one")
      yield* replaceFile(path, [bytes("ne"), bytes("w")], "the report")
      assert.deepStrictEqual([content(path), readdirSync(join(path, ".."))], ["new", ["report.json"]])
      const error = yield* Effect.flip(replaceFile("/dev/full", [bytes("text")], "the report"))
      assert.strictEqual(error.message, "Cannot write the report /dev/full: the disk is full")
      assert.isTrue(statSync("/dev/full").isCharacterDevice())
    })
  )
})
