import { readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { AccountLock } from "../../core/src/session/Gate.ts"
import { lacksDescriptors } from "../../test/FullTable.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import * as AccountLockFiles from "./AccountLockFiles.ts"

const folder = temporaryFolder("account-lock-")

/** What the lock folder holds while the lock is held twice in a row, and the warnings. */
const use = (lockDir: string) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      warnings.push(String(message))
    })
    const held = yield* Effect.gen(function* () {
      const lock = yield* AccountLock
      const look = Effect.sync(() => readdirSync(lockDir))
      yield* lock.withLock("https://svc.example\nana")(look)
      return yield* lock.withLock("https://svc.example\nana")(look)
    }).pipe(Effect.provide(AccountLockFiles.layer({ lockDir }).pipe(Layer.provideMerge(Logger.layer([logger])))))
    return { held, warnings }
  })

/** Moves the virtual clock on until `done`; what the disk does takes its own time. */
const passTimeUntil = (done: () => boolean) =>
  Effect.gen(function* () {
    while (!done()) {
      yield* TestClock.adjust("1 second")
      yield* TestClock.withLive(Effect.sleep("1 millis"))
    }
  })

describe("AccountLockFiles", () => {
  for (const code of ["EMFILE", "ENFILE"]) {
    it.live(`S7 with too many open files (${code}) it waits for the lock, and does not go without it`, () =>
      Effect.gen(function* () {
        const lockDir = yield* folder
        const warnings: Array<string> = []
        const note = Logger.layer([
          Logger.make(({ message }) => {
            warnings.push(String(message))
          })
        ])
        yield* lacksDescriptors(lockDir, code, 5)
        const held = yield* Effect.gen(function* () {
          const lock = yield* AccountLock
          const use = yield* Effect.forkChild(lock.withLock("key")(Effect.sync(() => readdirSync(lockDir))))
          yield* passTimeUntil(() => use.pollUnsafe() !== undefined)
          return yield* Fiber.join(use)
        }).pipe(Effect.provide([AccountLockFiles.layer({ lockDir }), note, TestClock.layer()]))
        assert.strictEqual(held.length, 1)
        assert.deepStrictEqual(warnings, [
          `The lock of the account has to wait (too many open files${code === "ENFILE" ? " in the system" : ""}): a higher limit (ulimit -n) or fewer runs at a time would help`
        ])
      })
    )
  }

  it.live("names in the folder tell nothing, and nothing is left", () =>
    Effect.gen(function* () {
      const lockDir = join(yield* folder, "a", "b")
      const { held, warnings } = yield* use(lockDir)
      assert.strictEqual(held.length, 1)
      assert.match(held[0] ?? "", /^[0-9a-f]{32}\.lock$/)
      assert.deepStrictEqual(warnings, [])
      assert.strictEqual(statSync(lockDir).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(lockDir), [])
    })
  )

  it.live("S8 a session that waits for another one of the same process is told so", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const note = Logger.layer([
        Logger.make(({ message }) => {
          said.push(String(message))
        })
      ])
      const lockDir = yield* folder
      yield* Effect.gen(function* () {
        const lock = yield* AccountLock
        const other = Deferred.makeUnsafe<void>()
        yield* lock.withLock("key")(
          Effect.gen(function* () {
            yield* Effect.forkChild(lock.withLock("key")(Deferred.succeed(other, undefined)))
            // The lock's own waits are polls; the notice comes once these ten seconds are over.
            while (said.length === 0) {
              yield* TestClock.adjust("11 seconds")
              yield* TestClock.withLive(Effect.sleep("5 millis"))
            }
          })
        )
        while (!Deferred.isDoneUnsafe(other)) {
          yield* TestClock.adjust("1 second")
          yield* TestClock.withLive(Effect.sleep("5 millis"))
        }
      }).pipe(Effect.provide([AccountLockFiles.layer({ lockDir }), note, TestClock.layer()]))
      assert.deepStrictEqual(said, ["Waiting for another session of this program that uses the same account"])
    })
  )

  it.live("a folder that breaks later is one warning too, and the work goes on", () =>
    Effect.gen(function* () {
      const lockDir = join(yield* folder, "locks")
      const warnings: Array<string> = []
      const done = yield* Effect.gen(function* () {
        const lock = yield* AccountLock
        rmSync(lockDir, { recursive: true })
        return yield* Effect.forEach([1, 2, 3], (n) => lock.withLock("key")(Effect.succeed(n)))
      }).pipe(
        Effect.provide([
          AccountLockFiles.layer({ lockDir }),
          Logger.layer([
            Logger.make(({ message }) => {
              warnings.push(String(message))
            })
          ])
        ])
      )
      assert.deepStrictEqual(done, [1, 2, 3])
      assert.strictEqual(warnings.length, 1)
    })
  )
})
