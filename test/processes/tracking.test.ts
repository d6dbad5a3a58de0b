/** The restoration file under several processes at once, killed ones too; at each operation on the disk: `npm run crash`. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lacks, unless } from "../Lacks.ts"
import { analysesIn, changes, folder, preload, race } from "../tracking/Race.ts"

/** Many processes on a busy machine, in ms. */
const slow = 300_000

describe("several processes", () => {
  it.live(
    "T9 T10 six at once: every change counts, and nothing is left beside the file",
    () =>
      Effect.gen(function* () {
        const result = yield* race(6, 10)
        assert.deepStrictEqual([result.missing, result.surplus, result.failed, result.beside], [[], [], [], []])
        assert.strictEqual(result.changes, 6 * 15)
      }),
    slow
  )

  it.live(
    "T13 where links lie the comparison before the rename keeps every entry",
    () =>
      Effect.gen(function* () {
        const library = preload(new URL("../tracking/lying-links.c", import.meta.url))
        assert.isNotNull(library)
        const result = yield* race(4, 10, { LD_PRELOAD: library ?? "" })
        assert.deepStrictEqual([result.missing, result.surplus, result.failed], [[], [], []])
      }),
    { timeout: slow, ...unless(lacks.compiler) }
  )

  it.live(
    "T11 P9 a lock and a new file that a killed process left are taken over and cleared away",
    () =>
      Effect.gen(function* () {
        const at = yield* folder
        const path = join(at, "t.json")
        for (let round = 0; round < 3; round++) {
          const long = yield* changes(path, `k${round}`, 500, { stay: true }).pipe(
            Effect.timeoutOption(`${700 + 200 * round} millis`)
          )
          assert.strictEqual(long._tag, "None")
          const next = yield* changes(path, `n${round}`, 1)
          assert.strictEqual(next.code, 0, next.stderr)
        }
        const found = analysesIn(path)
        for (const id of ["n0-1", "n1-1", "n2-1"]) assert.include(found, id)
        assert.deepStrictEqual(
          readdirSync(at).filter((name) => !name.endsWith(".wait")),
          ["t.json"]
        )
      }),
    slow
  )
})
