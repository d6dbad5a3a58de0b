/** Disks that are full or fail. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { patterned } from "../transfer/ScriptedHost.ts"
import { always, at, failure, ground, kib, mib, succeeds } from "../transfer/TransferGround.ts"

describe("FileTransfer, disk", () => {
  it.effect("K1 a full disk is not tried again; the part stays and the next run goes on with it", () =>
    Effect.gen(function* () {
      const g = ground({ size: 40 * mib, connections: 1 })
      g.disk.fails = (operation, count) => (operation === "write" && count > 4 ? "ENOSPC" : null)
      assert.deepInclude(yield* failure(g), { _tag: "SvcLocalIo", errno: "ENOSPC" })
      assert.strictEqual(g.disk.names.length, 2)
      g.disk.fails = () => null
      const outcome = yield* succeeds(g)
      assert.isAbove(outcome.resumedFrom, 0)
    })
  )

  it.effect("K1 a disk that is too full for the journal keeps the progress of the journal before", () =>
    Effect.gen(function* () {
      const g = ground({
        script: at(0, (good) => ({ ...good, body: [patterned(200 * kib).subarray(0, 100 * kib), { wait: 1e9 }] }))
      })
      g.disk.fails = (operation, count) => (operation === "journal" && count > 1 ? "ENOSPC" : null)
      const fiber = yield* Effect.forkChild(g.download)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.interrupt(fiber)
      g.disk.fails = () => null
      assert.deepInclude(yield* succeeds(g), { resumedFrom: 0 })
    })
  )

  it.effect("K2 a disk that is too small from the start is said before the transfer, with numbers", () =>
    Effect.gen(function* () {
      const g = ground()
      g.disk.freeBytes = 1000
      const error = yield* failure(g)
      assert.deepInclude(error, { _tag: "SvcLocalIo", errno: "ENOSPC" })
      assert.match(error.message, /204800 bytes \(1000 are free\)/)
      assert.strictEqual(g.links.seen.length, 0)
      assert.deepStrictEqual(g.disk.names, [])
    })
  )

  it.effect("K3 an error of sync in the background fails the file, with the progress of the last good one", () =>
    Effect.gen(function* () {
      const g = ground({ size: 200 * mib, script: always((good) => ({ ...good, delay: 1000 })) })
      g.disk.fails = (operation, count) => (operation === "sync" && count >= 2 ? "EIO" : null)
      assert.deepInclude(yield* failure(g), { _tag: "SvcLocalIo", errno: "EIO" })
      g.disk.fails = () => null
      const outcome = yield* succeeds(g)
      assert.isAtLeast(outcome.resumedFrom, 64 * mib)
      assert.isBelow(outcome.resumedFrom, 200 * mib)
    })
  )

  it.effect(
    "K3 after a failed sync nothing written since the last good one is resumed from, whatever later syncs say",
    () =>
      Effect.gen(function* () {
        const g = ground({ size: 200 * mib, script: always((good) => ({ ...good, delay: 1000 })) })
        // Linux reports a failed write-back to one fsync only: the next one succeeds although the bytes are lost.
        g.disk.fails = (operation, count) => (operation === "sync" && count === 2 ? "EIO" : null)
        assert.deepInclude(yield* failure(g), { _tag: "SvcLocalIo", errno: "EIO" })
        g.disk.fails = () => null
        const outcome = yield* succeeds(g)
        assert.isAtLeast(outcome.resumedFrom, 64 * mib)
        assert.isBelow(outcome.resumedFrom, 128 * mib)
      })
  )
})
