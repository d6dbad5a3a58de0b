import { readdirSync, readlinkSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { lacksDescriptors } from "../../test/FullTable.ts"
import { passTimeUntil } from "../../test/PassTime.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import * as AccountLockFiles from "./AccountLockFiles.ts"

const folder = temporaryFolder("account-lock-")

/** The locks of a folder, and what is logged. */
const locksIn = (lockDir: string) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  return { said, layer: Layer.merge(AccountLockFiles.layer({ lockDir }), Logger.layer([logger])) }
}

/** What the lock folder holds while the lock is held twice in a row, and the warnings. */
const use = (lockDir: string) =>
  Effect.gen(function* () {
    const { layer, said } = locksIn(lockDir)
    const held = yield* Effect.gen(function* () {
      const lock = yield* AccountLock
      const look = Effect.sync(() => readdirSync(lockDir))
      yield* lock.withLock("https://svc.example\nana")(look)
      return yield* lock.withLock("https://svc.example\nana")(look)
    }).pipe(Effect.provide(layer))
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
          const lock = yield* AccountLock
          const use = yield* Effect.forkChild(lock.withLock("key")(Effect.sync(() => readdirSync(lockDir))))
          yield* passTimeUntil(() => use.pollUnsafe() !== undefined)
          return yield* Fiber.join(use)
        }).pipe(Effect.provide([layer, TestClock.layer()]))
        assert.strictEqual(held.length, 1)
        assert.deepStrictEqual(said, [
          `The lock of the account has to wait (too many open files${code === "ENFILE" ? " in the system" : ""}): a higher limit (ulimit -n) or fewer runs at a time would help`
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
        const lock = yield* AccountLock
        const use = yield* Effect.forkChild(lock.withLock("key")(Effect.sync(openCards)))
        yield* passTimeUntil(() => use.pollUnsafe() !== undefined)
        return yield* Fiber.join(use)
      }).pipe(Effect.provide([layer, TestClock.layer()]))
      assert.strictEqual(held.length, 1, held.join())
      assert.deepStrictEqual(openCards(), [])
    })
  )

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
        const lock = yield* AccountLock
        const other = Deferred.makeUnsafe<void>()
        yield* lock.withLock("key")(
          Effect.gen(function* () {
            yield* Effect.forkChild(lock.withLock("key")(Deferred.succeed(other, undefined)))
            // The lock's own waits are polls; the notice comes once these ten seconds are over.
            yield* passTimeUntil(() => said.length > 0)
          })
        )
        yield* passTimeUntil(() => Deferred.isDoneUnsafe(other))
      }).pipe(Effect.provide([layer, TestClock.layer()]))
      assert.deepStrictEqual(said, ["Waiting for another session of this program that uses the same account"])
    })
  )

  it.live("a folder that breaks later is one warning too, and the work goes on", () =>
    Effect.gen(function* () {
      const lockDir = join(yield* folder, "locks")
      const { layer, said } = locksIn(lockDir)
      const done = yield* Effect.gen(function* () {
        const lock = yield* AccountLock
        rmSync(lockDir, { recursive: true })
        return yield* Effect.forEach([1, 2, 3], (n) => lock.withLock("key")(Effect.succeed(n)))
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(done, [1, 2, 3])
      assert.strictEqual(said.length, 1)
    })
  )
})
