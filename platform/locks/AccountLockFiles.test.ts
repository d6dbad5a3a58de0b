import { readdirSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Busy, LocalIo } from "../../core/src/Errors.ts"
import { AccountLock, makeAccountLock } from "../../core/src/session/Gate.ts"
import { lacksDescriptors } from "../../test/FullTable.ts"
import { passTimeUntil } from "../../test/PassTime.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { thisProcess } from "../ProcessIdentity.ts"
import * as AccountLockFiles from "./AccountLockFiles.ts"
import { type FileLocks, makeFileLocks, takingOver } from "./FileLock.ts"

const folder = temporaryFolder("account-lock-")

/** The locks of a folder, and what is logged. */
const locksIn = (lockDir: string) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  return { said, layer: Layer.merge(AccountLockFiles.layer({ lockDir }), Logger.layer([logger])) }
}

/** Does `self` while the lock is held. */
const holding = <A, E, R>(key: string, self: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.andThen(
      AccountLock.use(({ take }) => take(key)),
      self
    )
  )

/** What the lock folder holds while the lock is held twice in a row, and the warnings. */
const use = (lockDir: string) =>
  Effect.gen(function* () {
    const { layer, said } = locksIn(lockDir)
    const look = holding(
      "https://svc.example\nana",
      Effect.sync(() => readdirSync(lockDir))
    )
    const held = yield* Effect.andThen(look, look).pipe(Effect.provide(layer))
    return { held, said }
  })

describe("AccountLockFiles", () => {
  for (const code of ["EMFILE", "ENFILE"]) {
    it.live(`S7 with too many open files (${code}) it waits for the lock, and does not go without it`, () =>
      Effect.gen(function* () {
        const lockDir = yield* folder
        const { layer, said } = locksIn(lockDir)
        yield* lacksDescriptors(lockDir, code, 5)
        const held = yield* Effect.gen(function* () {
          const use = yield* Effect.forkChild(
            holding(
              "key",
              Effect.sync(() => readdirSync(lockDir))
            )
          )
          yield* passTimeUntil(() => use.pollUnsafe() !== undefined)
          return yield* Fiber.join(use)
        }).pipe(Effect.provide([layer, TestClock.layer()]))
        assert.strictEqual(held.length, 1)
        assert.deepStrictEqual(said, [
          `The lock of the account has to wait for its folder ${lockDir} (too many open files${code === "ENFILE" ? " in the system" : ""}: a higher limit (ulimit -n) or fewer runs at a time would help)`
        ])
      })
    )
  }

  it.live("S7 each try that fails gives its descriptor back", () =>
    Effect.gen(function* () {
      const lockDir = yield* folder
      const { layer } = locksIn(lockDir)
      const openCards = () =>
        readdirSync("/proc/self/fd").filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(lockDir)
          } catch {
            // The one of this look, which is closed again.
            return false
          }
        })
      yield* lacksDescriptors(lockDir, "EMFILE", 6, "readdir")
      const held = yield* Effect.gen(function* () {
        const use = yield* Effect.forkChild(holding("key", Effect.sync(openCards)))
        yield* passTimeUntil(() => use.pollUnsafe() !== undefined)
        return yield* Fiber.join(use)
      }).pipe(Effect.provide([layer, TestClock.layer()]))
      assert.strictEqual(held.length, 1, held.join())
      assert.deepStrictEqual(openCards(), [])
    })
  )

  it("S7 K1 a folder that refuses is not waited for, a full one for a minute, any other without an end", () => {
    const minutes = (...codes: ReadonlyArray<string>) =>
      codes.map((code) => Duration.toMinutes(AccountLockFiles.patienceWith(code)))
    assert.deepStrictEqual(minutes("EROFS", "EACCES", "EPERM"), [0, 0, 0])
    assert.deepStrictEqual(minutes("ENOSPC", "EDQUOT", "ENOINODES"), [1, 1, 1])
    const away = minutes("ESTALE", "ENOLCK", "EIO", "ENOENT", "ETIMEDOUT", "EHOSTDOWN", "EMFILE", "EBUSY", "ENEVERSEEN")
    assert.deepStrictEqual(new Set(away), new Set([Number.POSITIVE_INFINITY]))
  })

  for (const [code, times, wait, held] of [
    ["EROFS", Number.POSITIVE_INFINITY, 0, 0],
    ["EACCES", Number.POSITIVE_INFINITY, 0, 0],
    ["EPERM", Number.POSITIVE_INFINITY, 0, 0],
    ["ENOSPC", Number.POSITIVE_INFINITY, 60, 0],
    // Few: virtual time passes while the disk works, and after a minute of it the folder is waited for no more.
    ["ENOSPC", 3, 0, 1],
    ["ESTALE", 30, 0, 1]
  ] as const) {
    it.live(
      `S7 K1 ${code} of the folder ${times} times: ${held} locks, and the next turn does not wait once more`,
      () =>
        Effect.gen(function* () {
          const lockDir = yield* folder
          const { layer, said } = locksIn(lockDir)
          yield* lacksDescriptors(lockDir, code, times)
          const look = holding(
            "key",
            Effect.sync(() => readdirSync(lockDir).length)
          )
          yield* Effect.gen(function* () {
            if (wait > 0 || held > 0) {
              const begun = yield* Clock.currentTimeMillis
              const first = yield* Effect.forkChild(look)
              yield* passTimeUntil(() => first.pollUnsafe() !== undefined)
              assert.strictEqual(yield* Fiber.join(first), held)
              assert.isAtLeast((yield* Clock.currentTimeMillis) - begun, wait * 1000)
            }
            // Time stands still.
            assert.strictEqual(yield* look, held)
          }).pipe(Effect.provide([layer, TestClock.layer()]))
          assert.deepStrictEqual(
            said.map((line) => /has to wait|cannot be used/.exec(line)?.[0]),
            [...(wait > 0 || held > 0 ? ["has to wait"] : []), ...(held === 0 ? ["cannot be used"] : [])]
          )
        })
    )
  }

  it.live("names in the folder tell nothing, and nothing is left", () =>
    Effect.gen(function* () {
      const lockDir = join(yield* folder, "a", "b")
      const { held, said } = yield* use(lockDir)
      assert.strictEqual(held.length, 1)
      assert.match(held[0] ?? "", /^[0-9a-f]{32}\.lock$/)
      assert.deepStrictEqual(said, [])
      assert.strictEqual(statSync(lockDir).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(lockDir), [])
    })
  )

  it.live("S8 a session that waits for another one of the same process is told so", () =>
    Effect.gen(function* () {
      const { layer, said } = locksIn(yield* folder)
      yield* Effect.gen(function* () {
        const other = Deferred.makeUnsafe<void>()
        yield* holding(
          "key",
          Effect.gen(function* () {
            yield* Effect.forkChild(holding("key", Deferred.succeed(other, undefined)))
            // The lock's own waits are polls; the notice comes once these ten seconds are over.
            yield* passTimeUntil(() => said.length > 0)
          })
        )
        yield* passTimeUntil(() => Deferred.isDoneUnsafe(other))
      }).pipe(Effect.provide([layer, TestClock.layer()]))
      assert.deepStrictEqual(said, ["Waiting for another session of this program that uses the same account"])
    })
  )

  it.live("a folder that is removed is made again, and said once", () =>
    Effect.gen(function* () {
      const lockDir = join(yield* folder, "locks")
      const { layer, said } = locksIn(lockDir)
      const done = yield* Effect.gen(function* () {
        yield* AccountLock
        rmSync(lockDir, { recursive: true })
        return yield* Effect.forEach([1, 2, 3], (n) => holding("key", Effect.succeed(n)))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(done, [1, 2, 3])
      assert.strictEqual(said.length, 1)
      assert.match(said[0] ?? "", /has to wait for its folder/)
    })
  )

  it.live("a folder that was named and cannot be used is 78, before anything else", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "file")
      writeFileSync(file, "")
      for (const lockDir of [file, join(file, "below")]) {
        const error = yield* Effect.flip(Effect.provide(AccountLock, AccountLockFiles.layer({ lockDir })))
        assert.deepStrictEqual(
          [error._tag, error.message.startsWith(`Lock folder ${lockDir}: `)],
          ["SvcConfigUnusable", true]
        )
      }
    })
  )
})

it.effect("T11 that a lock was left is said once, also when another run tries to break it meanwhile", () =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const path = "/locks/a.lock"
    const isLeft = new LocalIo({ path, operation: takingOver, errno: "EPERM" })
    // At first sight it is left; at the second look, with the second lock, somebody is at it; then it is left as before.
    const firsts = [isLeft, new Busy({ file: path, owner: "elsewhere" }), isLeft, isLeft]
    const held = { holds: true, stillOurs: Effect.succeed(true), leave: Effect.void }
    const acquire: FileLocks["acquire"] = (at) =>
      Effect.suspend(() => {
        const failure = at === path ? firsts.shift() : undefined
        return failure === undefined ? Effect.succeed(held) : Effect.fail(failure)
      })
    const logger = Logger.make(({ message }) => void said.push(String(message)))
    const turn = AccountLockFiles.makeTurns({ acquire }, "/locks")(path, () => Effect.void)
    assert.deepStrictEqual(yield* Effect.provide(Effect.scoped(turn), Logger.layer([logger])), [held])
    assert.deepStrictEqual(firsts, [])
    assert.lengthOf(said, 1)
  })
)

describe("a question that outlives who asked it", () => {
  const key = "https://svc.example\nana"
  const locked = (lockDir: string) => join(lockDir, readdirSync(lockDir).find((name) => name.endsWith(".lock")) ?? "")
  const age = (path: string, seconds: number) => {
    const then = Date.now() / 1000 - seconds
    utimesSync(path, then, then)
  }
  const minute =
    /^The service may still be at work on a request of this account that was stopped or given up: nothing is asked for up to (1m|59s|58s)$/

  /** What is said while the next turn waits for the lock as `left` leaves it, and until how old that has to be, s. */
  const next = (left: (lockDir: string) => void, until: number | null) =>
    Effect.gen(function* () {
      const lockDir = yield* folder
      const { layer, said } = locksIn(lockDir)
      const waits = yield* Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { leave } = yield* AccountLock.use(({ take }) => take(key))
            yield* leave
          })
        )
        left(lockDir)
        const turn = yield* Effect.forkChild(holding(key, Effect.void))
        const isOver = () => turn.pollUnsafe() !== undefined
        yield* passTimeUntil(() => said.length > 0 || isOver())
        const waits = !isOver()
        if (until !== null) age(locked(lockDir), until)
        yield* passTimeUntil(isOver)
        yield* Fiber.join(turn)
        return waits
      }).pipe(Effect.provide([layer, TestClock.layer()]))
      return { said, waits }
    })

  const { host, pid, ...self } = thisProcess()
  const ended = (lockDir: string) =>
    writeFileSync(locked(lockDir), JSON.stringify({ host, pid, ...self, start: `${self.start}1` }))

  for (const [what, left] of [
    ["left by this process", () => {}],
    ["of a process that was killed", ended],
    ["that is torn", (lockDir: string) => writeFileSync(locked(lockDir), "{nonsense")]
  ] as const) {
    it.live(`S8 a lock ${what} keeps the next turn for a minute, and says so once`, () =>
      Effect.gen(function* () {
        const { said, waits } = yield* next(left, 61)
        assert.isTrue(waits)
        assert.lengthOf(said, 1)
        assert.match(said[0] ?? "", minute)
      })
    )
  }

  it.live("a lock that was given back, or is older than a minute, keeps nobody", () =>
    Effect.gen(function* () {
      for (const left of [
        (lockDir: string) => rmSync(locked(lockDir)),
        (lockDir: string) => {
          ended(lockDir)
          age(locked(lockDir), 61)
        }
      ]) {
        const { said, waits } = yield* next(left, null)
        assert.deepStrictEqual([said, waits], [[], false])
      }
    })
  )

  it.live("C1 a lock of the future keeps the next turn for no longer than that", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "x.lock")
      writeFileSync(path, JSON.stringify({ host, pid, ...self, start: `${self.start}1` }))
      age(path, -3600)
      const { withLock } = yield* makeFileLocks
      const owners = { wait: "30 seconds", staleAfter: "500 millis", outlived: true } as const
      assert.strictEqual(yield* withLock(path, owners)(() => Effect.succeed("taken")), "taken")
    })
  )

  it.effect("S8 in memory: the same, for a session without a lock folder", () =>
    Effect.gen(function* () {
      const { take } = makeAccountLock()
      yield* Effect.scoped(Effect.flatMap(take(key), ({ leave }) => leave))
      const begun = yield* Clock.currentTimeMillis
      const turn = yield* Effect.forkChild(Effect.scoped(take(key)))
      yield* passTimeUntil(() => turn.pollUnsafe() !== undefined)
      assert.isAtLeast((yield* Clock.currentTimeMillis) - begun, 60_000)
      yield* Effect.scoped(take(key))
      yield* Effect.scoped(take("another"))
    })
  )
})
