import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, type Scope } from "effect"
import type { TestOptions } from "vitest"
import { type FileLockError, type FileLockOptions, makeFileLocks } from "../../platform/locks/FileLock.ts"
import { thisProcess } from "../../platform/ProcessIdentity.ts"
import { bundled } from "../Bundles.ts"
import { until } from "../Executables.ts"
import type { Failure } from "../Failure.ts"
import { makeJumpingClock } from "../JumpingClock.ts"
import { lacks, unless } from "../Lacks.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"
import { preload } from "../tracking/Race.ts"

const { withLock } = Effect.runSync(makeFileLocks)

const folder = temporaryFolder("file-lock-")

const programs = {
  LockHolder: await bundled(new URL("../children/LockHolder.ts", import.meta.url)),
  LockedCounter: await bundled(new URL("../children/LockedCounter.ts", import.meta.url))
}

const childWith = (
  env: Readonly<Record<string, string>>,
  program: keyof typeof programs,
  ...args: ReadonlyArray<string>
) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [programs[program], ...args], {
        env: { ...process.env, ...env },
        // What a process says whose disk fails is no news.
        stdio: ["ignore", "pipe", "KILL_ERRNO" in env ? "ignore" : "inherit"]
      })
    ),
    (process) => Effect.sync(() => process.kill("SIGKILL"))
  )
const child = (program: keyof typeof programs, ...args: ReadonlyArray<string>) => childWith({}, program, ...args)

const ended = (process: ChildProcess) =>
  Effect.callback<number | null>((resume) => {
    process.once("exit", (code) => resume(Effect.succeed(code)))
  })

const said = (process: ChildProcess) =>
  Effect.callback<string>((resume) => {
    process.stdout?.once("data", (data) => resume(Effect.succeed(String(data).trim())))
  })

const take = (path: string, options: FileLockOptions): Effect.Effect<string, FileLockError> =>
  withLock(path, options)(() => Effect.sync(() => readFileSync(path, "utf8")))

const inFolder = (
  name: string,
  body: (path: string) => Effect.fn.Return<void, Failure, Scope.Scope>,
  options?: number | TestOptions
): void => it.live(name, () => Effect.flatMap(folder, (at) => Effect.gen(() => body(join(at, "x.lock")))), options)

/** The library to be preloaded that ends a process at an operation, or lets it fail. */
const buildKillPoint = () => preload(new URL("../transfer/kill-point.c", import.meta.url), "-pthread", "-ldl") ?? ""

const stranger = { host: "elsewhere", pid: 1, boot: "other", space: "other", start: "1" }

const setAge = (path: string, seconds: number) => {
  const then = Date.now() / 1000 - seconds
  utimesSync(path, then, then)
}

describe("FileLock", () => {
  // Two hundred turns, of which each lets the others go first.
  inFolder(
    "is given to one at a time: no addition of four processes is lost, nothing is left behind",
    function* (path) {
      const counter = `${path}.count`
      writeFileSync(counter, "0")
      const children = yield* Effect.all(Array.from({ length: 4 }, () => child("LockedCounter", path, counter, "50")))
      const codes = yield* Effect.forEach(children, ended, { concurrency: "unbounded" })
      assert.deepStrictEqual(codes, [0, 0, 0, 0])
      assert.strictEqual(readFileSync(counter, "utf8"), "200")
      assert.deepStrictEqual(readdirSync(join(path, "..")), ["x.lock.count"])
    },
    300_000
  )

  inFolder("tells who holds it, and is Busy after the wait", function* (path) {
    const holder = yield* child("LockHolder", path)
    assert.strictEqual(yield* said(holder), "held")
    for (const wait of [0, 200]) {
      const error = yield* Effect.flip(take(path, { wait }))
      assert.strictEqual(error._tag, "SvcBusy")
      assert.include(error.message, `${hostname()}, process ${holder.pid}`)
    }
  })

  it.live(
    "K3 an operation of the disk that fails once leaves nothing beside the lock",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [locks, others] = [yield* folder, yield* folder]
          const [library, counter] = [buildKillPoint(), join(others, "count")]
          // Beyond the last operation nothing fails.
          for (let point = 1; point <= 15; point++) {
            writeFileSync(counter, "0")
            const env = {
              LD_PRELOAD: library,
              KILL_DIR: locks,
              KILL_AT: String(point),
              KILL_ERRNO: "5",
              UV_USE_IO_URING: "0"
            }
            yield* ended(yield* childWith(env, "LockedCounter", join(locks, "x.lock"), counter, "1"))
            assert.deepStrictEqual(readdirSync(locks), [], `operation ${point}`)
          }
        })
      ),
    unless(lacks.compiler)
  )

  inFolder(
    "P1 a process that is killed while it breaks the lock of another one that was killed keeps nobody waiting",
    function* (path) {
      const library = buildKillPoint()
      const holder = yield* child("LockHolder", path)
      yield* said(holder)
      holder.kill("SIGKILL")
      yield* ended(holder)
      const left = readFileSync(path)
      // Its card, the attempt, then the breaking: operation 4 claims it, the next ones do it.
      for (const point of [5, 6]) {
        writeFileSync(path, left)
        const env = {
          LD_PRELOAD: library,
          KILL_DIR: join(path, ".."),
          KILL_AT: String(point),
          UV_USE_IO_URING: "0"
        }
        yield* ended(yield* childWith(env, "LockHolder", path))
        assert.isTrue(readdirSync(join(path, "..")).includes("x.lock.break"), `operation ${point}`)
        yield* take(path, { wait: 0 })
      }
    },
    unless(lacks.compiler)
  )

  inFolder("T11 a lock left by kill -9 is taken over at once, by one of several", function* (path) {
    const holder = yield* child("LockHolder", path)
    yield* said(holder)
    holder.kill("SIGKILL")
    yield* ended(holder)
    assert.isTrue(statSync(path).isFile())
    let inside = 0
    let most = 0
    const use = withLock(path, { wait: "40 seconds" })(() =>
      Effect.gen(function* () {
        most = Math.max(most, ++inside)
        yield* Effect.sleep("5 millis")
        inside--
      })
    )
    yield* Effect.all(
      Array.from({ length: 8 }, () => use),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(most, 1)
    assert.deepStrictEqual(readdirSync(join(path, "..")), [])
  })

  inFolder(
    "T11 a process number used again, and pid 1 of another container, prove nothing about the owner",
    function* (path) {
      const self = thisProcess()
      writeFileSync(path, JSON.stringify({ ...self, start: "1" }))
      yield* take(path, { wait: 0 })
      writeFileSync(path, JSON.stringify({ ...self, pid: 1, start: "1", space: "pid:[1]" }))
      assert.strictEqual((yield* Effect.flip(take(path, { wait: 0 })))._tag, "SvcBusy")
      writeFileSync(path, JSON.stringify(self))
      assert.strictEqual((yield* Effect.flip(take(path, { wait: 0 })))._tag, "SvcBusy")
    }
  )

  inFolder("T11 an owner on another host is gone after a minute without a sign, not before", function* (path) {
    writeFileSync(path, JSON.stringify(stranger))
    setAge(path, 50)
    assert.strictEqual((yield* Effect.flip(take(path, { wait: 0 })))._tag, "SvcBusy")
    setAge(path, 70)
    yield* take(path, { wait: 0 })
  })

  inFolder("T11 a waiter that slept itself must see the owner silent with its own eyes", function* (path) {
    writeFileSync(path, JSON.stringify(stranger))
    setAge(path, 3600)
    assert.strictEqual((yield* Effect.flip(take(path, { wait: "300 millis" })))._tag, "SvcBusy")
    yield* take(path, { wait: "40 seconds", staleAfter: "500 millis" })
  })

  inFolder("C1 a clock that is set back while somebody waits does not keep a dead owner's lock", function* (path) {
    const { clock, set } = yield* makeJumpingClock
    writeFileSync(path, JSON.stringify(stranger))
    setAge(path, 3600)
    const taking = take(path, { wait: "40 seconds", staleAfter: "500 millis" })
    const fiber = yield* Effect.forkChild(Effect.provideService(taking, Clock.Clock, clock))
    yield* Effect.sleep("200 millis")
    set(-3_600_000)
    yield* Fiber.join(fiber)
  })

  inFolder(
    "P1 what a process left that was killed while it broke a lock does not stop the next one, and goes",
    function* (path) {
      const self = thisProcess()
      const gone = JSON.stringify({ ...self, start: `${self.start}1` })
      for (const name of ["", ".break", ".1-0123456789ab.wait", ".1-0123456789ab.wait.stale"]) {
        writeFileSync(`${path}${name}`, gone)
      }
      yield* take(path, { wait: 0 })
      assert.deepStrictEqual(readdirSync(join(path, "..")), [])

      // While somebody breaks a lock, what was put aside is left to him.
      for (const name of [".break", ".2-0123456789ab.wait.stale"]) {
        writeFileSync(`${path}${name}`, JSON.stringify(name === ".break" ? stranger : self))
      }
      yield* take(`${path}`, { wait: 0 })
      assert.strictEqual(readdirSync(join(path, "..")).length, 2)
    }
  )

  inFolder("T12 torn and empty content is judged by age", function* (path) {
    for (const content of ["", '{"host":', "\0\0\0\0"]) {
      writeFileSync(path, content)
      const error = yield* Effect.flip(take(path, { wait: 0 }))
      assert.include(error.message, "owner unknown")
      setAge(path, 70)
      yield* take(path, { wait: 0 })
    }
  })

  inFolder("T12 a symbolic link or a folder in its place is refused and not touched", function* (path) {
    const target = `${path}.target`
    writeFileSync(target, "precious")
    symlinkSync(target, path)
    assert.strictEqual((yield* Effect.flip(take(path, { wait: "1 second" })))._tag, "SvcCannotCreate")
    assert.strictEqual(readFileSync(target, "utf8"), "precious")
    const other = `${path}-2`
    mkdirSync(other)
    assert.strictEqual((yield* Effect.flip(take(other, { wait: 0 })))._tag, "SvcCannotCreate")
  })

  inFolder(
    "P5 an owner that was suspended notices that it lost the lock and leaves the new one alone",
    function* (path) {
      yield* withLock(path, { wait: 0 })((lock) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* lock.stillOurs, true)
          rmSync(path)
          writeFileSync(path, JSON.stringify(stranger))
          assert.strictEqual(yield* lock.stillOurs, false)
        })
      )
      assert.strictEqual(readFileSync(path, "utf8"), JSON.stringify(stranger))
    }
  )

  inFolder("shows signs of life", function* (path) {
    const isFresh = Effect.suspend(() => {
      const long = 3600
      setAge(path, long)
      return until(
        "the lock is fresh",
        Effect.sync(() => Date.now() - statSync(path).mtimeMs < (long * 1000) / 2)
      )
    })
    yield* withLock(path, { wait: 0, heartbeat: "20 millis" })(() => isFresh)
  })

  inFolder("a folder that does not exist is said so", function* (path) {
    const error = yield* Effect.flip(take(join(path, "absent", "x.lock"), { wait: 0 }))
    assert.strictEqual(error._tag, "SvcLocalIo")
    assert.include(error.message, "it does not exist")
  })
})
