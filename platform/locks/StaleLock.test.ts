import { spawn } from "node:child_process"
import { once } from "node:events"
import { statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lacksDescriptors } from "../../test/FullTable.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { Errno } from "../Errno.ts"
import { thisProcess } from "../ProcessIdentity.ts"
import { fileSystemTime, makeCard } from "./LockCard.ts"
import { removeLeft, watchLock } from "./StaleLock.ts"

const minutes = 60_000

/** Another process, and how to end it. */
const sleeper = Effect.acquireRelease(
  Effect.sync(() => {
    const child = spawn("sleep", ["1000"])
    const ended = once(child, "exit")
    const end = Effect.promise(() => {
      child.kill("SIGKILL")
      return ended
    })
    return { pid: child.pid ?? 0, end }
  }),
  ({ end }) => end
)

describe("StaleLock", () => {
  it.live("S7 the lock of a new owner is not that of the ended one whose file had the same number", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder("stale-lock-"), "account.lock")
      const former = yield* sleeper
      const write = (pid: number, start: string | null, time: number) => {
        writeFileSync(path, JSON.stringify({ ...thisProcess(), pid, start }))
        utimesSync(path, time, time)
        return statSync(path).ino
      }
      const now = Date.now() / 1000
      const number = write(former.pid, null, now - 1)
      const card = yield* makeCard(`${path}.wait`, thisProcess())
      const watch = watchLock(path, card, { staleAfter: minutes, outlived: false, once: false })
      assert.strictEqual((yield* watch.look)?.identity?.pid, former.pid)

      const { pid, start } = thisProcess()
      assert.strictEqual(write(pid, start, now), number)
      yield* former.end
      const seen = yield* watch.look
      assert(seen !== null)
      assert.isAbove((yield* watch.left(seen)).ms, 0)
      assert.strictEqual(watch.owner()?.pid, pid)
    })
  )

  it.live(
    "T19 a lock that names no owner, as a power cut leaves it, counts for a minute however patient its kind is",
    () =>
      Effect.gen(function* () {
        const path = join(yield* temporaryFolder("stale-lock-"), "r.json.asking.lock")
        const card = yield* makeCard(`${path}.wait`, thisProcess())
        for (const [content, age, isOver] of [
          ["", 30, false],
          ["", 90, true],
          [JSON.stringify({ ...thisProcess(), host: "another" }), 90, false]
        ] as const) {
          writeFileSync(path, content)
          const time = Date.now() / 1000 - age
          utimesSync(path, time, time)
          const { left, look } = watchLock(path, card, {
            staleAfter: Number.POSITIVE_INFINITY,
            outlived: false,
            once: true
          })
          const seen = yield* look
          assert(seen !== null)
          assert.strictEqual((yield* left(seen)).ms === 0, isOver, `${content} ${age}`)
        }
      })
  )

  it.live("S7 the card of a living waiter stays when too many files are open for it to be read", () =>
    Effect.gen(function* () {
      const at = yield* temporaryFolder("stale-lock-")
      const card = yield* makeCard(join(at, "account.lock.wait"), thisProcess())
      yield* lacksDescriptors(at, "EMFILE", 1)
      const time = Effect.map(fileSystemTime(card), (now) => now + minutes / 2)
      const look = Effect.result(removeLeft(card.path, time, 60 * minutes))
      assert.deepInclude(yield* look, { _tag: "Failure", failure: new Errno({ code: "EMFILE" }) })
      assert.deepInclude(yield* look, { _tag: "Success", success: false })
    })
  )
})
