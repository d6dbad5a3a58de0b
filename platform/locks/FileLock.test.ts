import { readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { whileLookedAt } from "../../test/LooksAt.ts"
import { passTimeUntil } from "../../test/PassTime.ts"
import { temporaryFolder } from "../../test/TemporaryFolder.ts"
import { thisProcess } from "../ProcessIdentity.ts"
import { type FileLocks, makeFileLocks } from "./FileLock.ts"

const folder = temporaryFolder("file-locks-")

const cardOfKilled = (file: string) => `${file}.lock.1-0123456789ab.wait`
const leaveCard = (at: string, file: string) => {
  const self = thisProcess()
  writeFileSync(join(at, cardOfKilled(file)), JSON.stringify({ ...self, start: `${self.start}1` }))
}

const lockFiles = ({ withLock }: FileLocks, at: string, files: ReadonlyArray<string>) =>
  Effect.forEach(files, (file) => withLock(join(at, `${file}.lock`), { wait: 0 })(() => Effect.void), { discard: true })

describe("locks of many files in one folder", () => {
  const files = Array.from({ length: 20 }, (_, at) => `s${at}`)

  it.live("P1 what killed processes left beside any of them goes", () =>
    Effect.gen(function* () {
      const at = yield* folder
      for (const file of ["s0", "s7", "s19"]) leaveCard(at, file)
      yield* lockFiles(yield* makeFileLocks, at, files)
      assert.deepStrictEqual(readdirSync(at), [])
    })
  )

  it.live("the folder is read once, as with ten thousand files each look is ten thousand names", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const locks = yield* makeFileLocks
      yield* lockFiles(locks, at, ["s0"])
      // The next run removes what comes after the look.
      leaveCard(at, "s7")
      yield* lockFiles(locks, at, files)
      assert.deepStrictEqual(readdirSync(at), [cardOfKilled("s7")])
    })
  )
})

describe("a look at the own lock", () => {
  it.effect("that fails is repeated for a while, and is no lost lock unless its file is gone", () =>
    Effect.gen(function* () {
      for (const [code, from, to, seen] of [
        ["EIO", 1, 20, true],
        ["EIO", 1, Number.POSITIVE_INFINITY, "SvcLocalIo"],
        ["ESTALE", 1, 2, false],
        // The lock was made.
        ["EIO", 0, 51, true]
      ] as const) {
        const path = join(yield* folder, "s.lock")
        const { withLock } = yield* makeFileLocks
        const failing = (look: number) => {
          if (look < from || look >= to) return
          if (code === "ESTALE") rmSync(path)
          throw Object.assign(new Error(code), { code })
        }
        const looking = withLock(path, { wait: 0 })(({ holds, stillOurs }) =>
          Effect.map(
            Effect.catch(stillOurs, ({ _tag }) => Effect.succeed(_tag)),
            (ours) => [holds, ours]
          )
        )
        const fiber = yield* Effect.forkChild(whileLookedAt(path, failing, looking))
        yield* passTimeUntil(() => fiber.pollUnsafe() !== undefined)
        assert.deepStrictEqual(yield* Fiber.join(fiber), [true, seen], `${code} ${from} ${to}`)
      }
    })
  )
})
