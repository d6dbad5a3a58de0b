import { basename } from "node:path"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { storedPaths } from "./TrackingEntry.ts"

/** Where `out` of an entry leads, or why nobody can tell. */
const led = (file: string, restorationFile: string | null, stored = "out") =>
  Effect.map(storedPaths(file), ({ located }) => Result.merge(located(stored, restorationFile)))

layer(NodePath.layer)("stored paths", (it) => {
  it.effect("T17 begin at the folder that the name of the restoration file was relative to", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* led("/w/r.json", "r.json"), "/w/out")
      assert.strictEqual(yield* led("/w/r.json", "./r.json"), "/w/out")
      // Another tool: the working folder was /w, so its `ar` is /w/ar and not /w/ar/ar.
      assert.strictEqual(yield* led("/w/ar/r.json", "ar/r.json", "ar"), "/w/ar")
      assert.strictEqual(yield* led("/w/a/b/r.json", "./a/b/r.json", "../x"), "/x")
      assert.strictEqual(yield* led("/a/r.json", "a/r.json"), "/out")
    })
  )

  it.effect("begin at the folder of the file when nothing else is said", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* led("/w/ar/r.json", null), "/w/ar/out")
      assert.strictEqual(yield* led("/w/ar/r.json", "/somewhere/else.json"), "/w/ar/out")
      // Copied under another name, as pipelines do.
      assert.strictEqual(yield* led("/w/ar/copy.json", "r.json"), "/w/ar/out")
    })
  )

  it.effect("are refused when their folder is unknown; absolute paths need no folder", () =>
    Effect.gen(function* () {
      for (const [file, named] of [
        ["/w/other/r.json", "ar/r.json"],
        ["/r.json", "ar/r.json"],
        ["/w/x/r.json", "../x/r.json"]
      ] as const) {
        assert.include(yield* led(file, named), `it was written as ${named}`)
        assert.strictEqual(yield* led(file, named, "/data"), "/data")
      }
    })
  )

  it.effect("are written so that they lead to the same place when they are read", () =>
    Effect.gen(function* () {
      const here = process.cwd()
      const roundabout = `../${basename(here)}/r.json`
      for (const file of ["r.json", roundabout, "sub/r.json"]) {
        const { located, own, stored } = yield* storedPaths(file)
        assert.strictEqual(stored("out"), file === "sub/r.json" ? `${here}/out` : "out")
        assert.deepStrictEqual(located(stored("out"), own), Result.succeed(`${here}/out`))
      }
    })
  )
})
