import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { beforeEach, vi } from "vitest"
import { thisProcess } from "../ProcessIdentity.ts"
import { withLock } from "./FileLock.ts"

const listings = vi.hoisted(() => ({ count: 0 }))
vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>()
  return {
    ...real,
    readdir: (path: string) => {
      listings.count++
      return real.readdir(path)
    }
  }
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "file-locks-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

describe("locks of many files in one folder", () => {
  beforeEach(() => {
    listings.count = 0
  })

  it.live("the folder is read once: for each of ten thousand files it would be read ten thousand names at a time", () =>
    Effect.gen(function* () {
      const at = yield* folder
      for (let file = 0; file < 20; file++) {
        const path = join(at, `.s${file}.lock`)
        yield* withLock(path, { wait: 0 })(() => Effect.sync(() => assert.isTrue(existsSync(path))))
      }
      assert.strictEqual(listings.count, 1)
      assert.deepStrictEqual(readdirSync(at), [])
    })
  )

  it.live("P1 what killed processes left beside any of them goes", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const self = thisProcess()
      const gone = JSON.stringify({ ...self, start: `${self.start}1` })
      for (const file of [0, 7, 19]) writeFileSync(join(at, `.s${file}.lock.1-0123456789ab.wait`), gone)
      for (let file = 0; file < 20; file++) yield* withLock(join(at, `.s${file}.lock`), { wait: 0 })(() => Effect.void)
      assert.deepStrictEqual(readdirSync(at), [])
      assert.strictEqual(listings.count, 1)
    })
  )
})
