import { execFileSync } from "node:child_process"
import fs, {
  chmodSync,
  closeSync,
  constants,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import tty from "node:tty"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { exposure, readConfigFile } from "./PrivateFile.ts"

const file = Effect.fnUntraced(function* (content: string | Uint8Array, mode = 0o600) {
  const folder = yield* temporaryFolder("svc-config-")
  const path = join(folder, "config.json")
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
})

const refusal = Effect.fnUntraced(function* (content: string | Uint8Array) {
  const path = yield* file(content)
  const error = yield* Effect.flip(readConfigFile(path))
  return error.message.replace(`Configuration file ${path}: `, "")
})

describe("configuration file", () => {
  it.effect("G3 CRLF and a byte order mark are fine", () =>
    Effect.gen(function* () {
      const { layer, warnings } = yield* readConfigFile(
        yield* file('\ufeff{\r\n  "username": "ada",\r\n  "filter": "id>3"\r\n}\r\n')
      )
      assert.deepStrictEqual(layer, { username: ["ada"], filters: ["id>3"] })
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.effect("G3 what cannot be used says why and where, and repeats nothing of it", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* refusal('{\n  "password": CANARY\n}'),
        "not JSON: expected a value at line 2, column 15"
      )
      assert.strictEqual(yield* refusal(""), "not JSON: expected a value at line 1, column 1")
      assert.match(yield* refusal("[1]"), /^it must hold one JSON object/)
      assert.match(yield* refusal("null"), /^it must hold one JSON object/)
      assert.strictEqual(yield* refusal(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])), "it is not UTF-8 text")
      assert.strictEqual(yield* refusal('{"overwrite": {}}'), "overwrite must be true or false, not an object")
      assert.strictEqual(yield* refusal(`{"a":"${"x".repeat(1024 * 1024)}"}`), "it is larger than 1 MB")
    })
  )

  it.effect("G3 a missing file and a folder", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* Effect.flip(readConfigFile("no/such.json"))).message,
        "Configuration file no/such.json: it does not exist"
      )
      assert.strictEqual((yield* Effect.flip(readConfigFile(tmpdir()))).reason, "it is a folder")
    })
  )

  it.effect("G3 duplicate and unknown keys are warnings", () =>
    Effect.gen(function* () {
      const path = yield* file('{"target": "a", "owner": "us", "target": "b"}')
      const { layer, warnings } = yield* readConfigFile(path)
      assert.deepStrictEqual(layer, { target: ["b"] })
      assert.deepStrictEqual(warnings, [
        `${path}: target is given more than once, the last one counts`,
        `${path}: unknown key owner`
      ])
    })
  )

  for (const [mode, warns] of [
    [0o600, false],
    [0o400, false],
    [0o640, true],
    [0o604, true],
    [0o644, true],
    [0o666, true]
  ] as const) {
    it.effect(`G3 mode ${mode.toString(8)} with a password ${warns ? "warns" : "is private"}`, () =>
      Effect.gen(function* () {
        for (const key of ["password", "proxyPassword", "token"]) {
          const { warnings } = yield* readConfigFile(yield* file(`{"${key}": "x"}`, mode))
          assert.strictEqual(warnings.length, warns ? 1 : 0)
          if (warns)
            assert.match(
              warnings[0] ?? "",
              /holds a secret and other users can read it: make it private with chmod 600$/
            )
        }
        assert.deepStrictEqual((yield* readConfigFile(yield* file('{"target": "x"}', mode))).warnings, [])
      })
    )
  }

  it("G3 a file that root hands to the group of a service, as secrets are mounted into containers, is private", () => {
    const told = (mode: number, owner: number, user: number) => exposure("token", { mode, owner }, user).length
    const [root, service] = [0, 10001]
    assert.strictEqual(told(0o100440, root, service), 0)
    assert.strictEqual(told(0o100444, root, service), 1)
    assert.strictEqual(told(0o100440, root, root), 1)
    assert.strictEqual(told(0o100440, service, service), 1)
  })

  it.effect("a pipe is read to its end, so that secrets need no file", () =>
    Effect.gen(function* () {
      const path = `${yield* file("")}.fifo`
      execFileSync("mkfifo", [path])
      const write = Effect.promise(() =>
        import("node:fs/promises").then(({ writeFile }) => writeFile(path, '{"username": "ada"}'))
      )
      const [{ layer }] = yield* Effect.all([readConfigFile(path), write], { concurrency: 2 })
      assert.deepStrictEqual(layer, { username: ["ada"] })
    })
  )

  it.effect("a file system that hangs stops nobody but who reads from it, and what comes of it later is closed", () =>
    Effect.gen(function* () {
      const path = yield* file("{}")
      const { close, open } = fs
      const [asked, closed] = [yield* Deferred.make<() => void>(), yield* Deferred.make<void>()]
      const put = (calls: object) =>
        Effect.sync(() => {
          Object.assign(fs, calls)
          syncBuiltinESMExports()
        })
      const hanging = (...[name, flags, done]: [string, number, (error: Error | null, fd: number) => void]) =>
        Deferred.doneUnsafe(
          asked,
          Effect.succeed(() => open(name, flags, done))
        )
      const closing = (fd: number, done: fs.NoParamCallback) =>
        close(fd, (error) => {
          Deferred.doneUnsafe(closed, Effect.void)
          done(error)
        })
      const before = openNames().length
      yield* Effect.acquireUseRelease(
        put({ close: closing, open: hanging }),
        () =>
          Effect.gen(function* () {
            const reading = yield* Effect.forkChild(readConfigFile(path))
            const goOn = yield* Effect.raceFirst(Deferred.await(asked), Effect.as(Fiber.await(reading), null))
            yield* Fiber.interrupt(reading)
            assert.isNotNull(goOn, "it was opened by a call that waits")
            goOn?.()
            yield* Deferred.await(closed)
          }),
        () => put({ close, open })
      )
      assert.strictEqual(openNames().length, before)
    })
  )

  it.effect(
    "a terminal that its stream has closed is not closed again: its number may be of another file by then",
    () =>
      Effect.gen(function* () {
        const { close } = fs
        const { isatty } = tty
        const put = (calls: { readonly close: typeof close; readonly isatty: typeof isatty }) =>
          Effect.sync(() => {
            fs.close = calls.close
            tty.isatty = calls.isatty
            syncBuiltinESMExports()
          })
        const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let terminal: number | null = null
        const closed: Array<number> = []
        const asking = (fd: number) => {
          Deferred.doneUnsafe(fd === terminal ? ended : begun, Effect.void)
          terminal ??= fd
          return isatty(fd)
        }
        const closing = (...[fd, done]: Parameters<typeof close>) => {
          if (fd === terminal) {
            closed.push(fd)
            Deferred.doneUnsafe(ended, Effect.void)
          }
          close(fd, done)
        }
        yield* Effect.acquireUseRelease(
          put({ close: Object.assign(closing, close), isatty: asking }),
          () =>
            Effect.gen(function* () {
              // The controlling side of a new terminal has no name by which a stream could open it again.
              const reading = yield* Effect.forkChild(readConfigFile("/dev/ptmx"))
              yield* Deferred.await(begun)
              yield* Fiber.interrupt(reading)
              yield* Deferred.await(ended)
              assert.deepStrictEqual(closed, [])
            }),
          () => put({ close, isatty })
        )
      })
  )

  it.effect(
    "a pipe and a file that change places while they are looked at are read as what was opened, and closed",
    () =>
      Effect.gen(function* () {
        for (const first of ["pipe", "file"] as const) {
          const path = yield* file('{"username": "bob"}')
          const [pipe, plain] = [`${path}.fifo`, `${path}.plain`]
          execFileSync("mkfifo", [pipe])
          renameSync(path, plain)
          linkSync(first === "pipe" ? pipe : plain, path)
          const writer = openSync(pipe, constants.O_RDWR)
          writeSync(writer, '{"username": "ada"}')
          let looks = 0
          const looked = () => {
            if (looks++ > 0) return
            renameSync(first === "pipe" ? plain : pipe, path)
            // What is in the pipe is all there is.
            closeSync(writer)
          }
          const read = Effect.acquireUseRelease(
            Effect.sync(() => whenLookedAt(looked)),
            () => readConfigFile(path),
            (takeBack) => Effect.sync(takeBack)
          )
          const open = openNames().length
          assert.deepStrictEqual((yield* read).layer, { username: [first === "pipe" ? "ada" : "bob"] })
          assert.strictEqual(looks, 1)
          assert.isAtMost(openNames().length, open - 1, "the writer is closed, and the reader")
        }
      })
  )
})

/** Does this after each look at a file by name or by descriptor, until what it gives is called. */
const whenLookedAt = (then: () => void) => {
  const { fstat, promises } = fs
  const { stat } = promises
  const put = (byName: typeof stat, byDescriptor: typeof fstat) => {
    Object.assign(promises, { stat: byName })
    Object.assign(fs, { fstat: byDescriptor })
    syncBuiltinESMExports()
  }
  put(
    (async (path: string) => {
      const found = await stat(path)
      then()
      return found
    }) as typeof stat,
    ((fd: number, done: (error: Error | null, found: fs.Stats) => void) =>
      fstat(fd, (error, found) => {
        then()
        done(error, found)
      })) as typeof fstat
  )
  return () => put(stat, fstat)
}

/** The files of this test that this process has open. */
const openNames = () =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const name = readlinkSync(`/proc/self/fd/${fd}`)
      return name.includes("svc-config-") ? [name] : []
    } catch {
      return []
    }
  })
