import fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Spool, Spools } from "../../core/src/annotations/Spool.ts"
import * as SpoolFiles from "./SpoolFiles.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(join(tmpdir(), "svc-spool-"))),
  (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true }))
)

const openIn = (path: string) => Effect.flatMap(Spools, ({ open }) => open).pipe(Effect.provide(SpoolFiles.layer(path)))

const pattern = (length: number, from = 0) => {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = ((from + i) * 7) % 251
  return bytes
}

const readAll = (spool: Spool, step: number) =>
  Effect.gen(function* () {
    const whole = new Uint8Array(spool.size())
    for (let at = 0; at < whole.length; ) {
      const into = new Uint8Array(step)
      const length = yield* spool.read(at, into)
      assert.isAbove(length, 0)
      whole.set(into.subarray(0, length), at)
      at += length
    }
    return whole
  })

/** The files that this process has open without a name in `path`. */
const nameless = (path: string) =>
  fs.readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const name = fs.readlinkSync(`/proc/self/fd/${fd}`)
      return name.startsWith(path) && name.endsWith("(deleted)") ? [Number(fd)] : []
    } catch {
      return []
    }
  })

describe("a spool", () => {
  it.live("gives back what it took, in pieces of any size", () =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const sizes of [[], [5], [1, 1_048_575, 1], [700_000, 700_000, 1_700_000, 3]]) {
        const spool = yield* openIn(path)
        let size = 0
        for (const length of sizes) {
          const bytes = pattern(length, size)
          yield* spool.write(bytes)
          // It has taken a copy.
          bytes.fill(0)
          size += length
        }
        assert.strictEqual(spool.size(), size)
        for (const step of [100_000, 3_000_000]) {
          assert.strictEqual(Buffer.compare(yield* readAll(spool, step), pattern(size)), 0)
        }
      }
    })
  )

  it.live("Z2 has no name, is readable by its owner alone, and needs no file for little", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* Effect.scoped(
        Effect.gen(function* () {
          const spool = yield* openIn(path)
          yield* spool.write(pattern(1000))
          assert.deepStrictEqual(nameless(path), [])
          yield* spool.write(pattern(2_000_000))
          assert.deepStrictEqual(fs.readdirSync(path), [])
          const [file = -1] = nameless(path)
          assert.strictEqual(fs.fstatSync(file).mode & 0o777, 0o600)
        })
      )
      assert.deepStrictEqual(nameless(path), [])
    })
  )

  it.live("names the folder in which it could not be made", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const spool = yield* openIn(join(path, "missing"))
      const error = yield* Effect.flip(spool.write(pattern(2_000_000)))
      assert.strictEqual(error._tag, "SvcCannotCreate")
      assert.match(error.message, /^Cannot create .*missing: no temporary file can be made there \(ENOENT\); TMPDIR/)
    })
  )
})
