/** The restoration file under several processes, killed, stopped and failing ones too. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lacks, unless } from "../Lacks.ts"
import { analysesIn, changes, folder, preload, race, remaining } from "../tracking/Race.ts"

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

describe("at every operation on the disk", unless(lacks.compiler), () => {
  // Every point: `SVC_KILL_POINTS=all`; the short form spreads over them.
  const everyPoint = process.env["SVC_KILL_POINTS"] === "all"
  const before = JSON.stringify([{ analysisId: "old", fileName: "S1.bam", note: "kept" }])

  const sweep = (name: string, env: Record<string, string>, original: string) =>
    it.live(
      name,
      () =>
        Effect.gen(function* () {
          const library = preload(new URL("../transfer/kill-point.c", import.meta.url), "-ldl")
          assert.isNotNull(library)
          const root = yield* folder
          const log = join(root, "operations")
          const runs = Effect.fnUntraced(function* (at: number | null) {
            const directory = join(root, `${name.replace(/\W/g, "")}-${at}`)
            mkdirSync(directory)
            const path = join(directory, "t.json")
            writeFileSync(path, original, { mode: 0o600 })
            copyFileSync(path, `${directory}.original`)
            const point = at === null ? { KILL_LOG: log } : { KILL_AT: String(at), ...env }
            const preloaded = { LD_PRELOAD: library ?? "", KILL_DIR: directory, ...point }
            const first = yield* changes(path, "a", 2, { env: preloaded })
            // Old or new, never less: what it said is there, and at most the change it was about to tell as well.
            const text = readFileSync(path, "utf8")
            const found = text === original ? ["old"] : analysesIn(path)
            const certain = remaining(["+old", ...first.done])
            const possible = remaining(["+old", ...["+a-1", "+a-2", "-a-2"].slice(0, first.done.length + 1)])
            assert.include(
              [JSON.stringify(certain), JSON.stringify([...possible].sort())],
              JSON.stringify(found),
              `operation ${at}: ${first.stderr}`
            )
            if (at === null) return
            const next = yield* changes(path, "b", 1)
            assert.strictEqual(next.code, 0, `operation ${at}: ${next.stderr}`)
            assert.deepStrictEqual(analysesIn(path), [...found, "b-1"].sort(), `operation ${at}`)
            assert.deepStrictEqual(
              readdirSync(directory).filter((name) => !name.endsWith(".wait") && !name.endsWith(".bak")),
              ["t.json"],
              `operation ${at}`
            )
            rmSync(directory, { recursive: true })
          })
          rmSync(log, { force: true })
          yield* runs(null)
          const count = statSync(log).size
          assert.isAbove(count, 20)
          const stride = everyPoint ? 1 : Math.ceil(count / 4)
          const points = Array.from({ length: Math.ceil(count / stride) }, (_, index) => 1 + index * stride)
          yield* Effect.forEach(points, runs, { concurrency: 2 })
        }),
      everyPoint ? 1_200_000 : 300_000
    )

  const objectLayout = `{"restorations":${before},"lastUpdated":"x"}`
  sweep("T18 kill -9 before it", {}, before)
  sweep("T18 kill -9 after it, while the object layout is converted", { KILL_AFTER: "1" }, objectLayout)
  sweep("T20 a full disk", { KILL_ERRNO: "28" }, before)
  sweep("T15 a read-only file system", { KILL_ERRNO: "30" }, before)
})
