import { basename } from "node:path"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { AnalysisId } from "../contract/Ids.ts"
import { checks, checksumKinds } from "../selection/FileName.ts"
import { newOptions, readEntry, storedPaths, textOf, type WantedOptions } from "./TrackingEntry.ts"

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

describe("the options of a request", () => {
  it("T1 are what a later run reads, each choice of them", () => {
    const flags = [true, false]
    const each = checks.flatMap((check) =>
      [null, ...checksumKinds].flatMap((checksums) =>
        (["flat", "analysis"] as const).flatMap((layout) =>
          flags.flatMap((unmapped) =>
            flags.flatMap((makeIndex) =>
              flags.map((overwrite): WantedOptions => {
                const files = { destination: "/data", bed: "/panel.bed", filetypes: ["bam"] }
                return { ...files, range: "chr1:1-9", check, checksums, layout, unmapped, makeIndex, overwrite }
              })
            )
          )
        )
      )
    )
    for (const wanted of each) {
      const options = newOptions(wanted, { own: "r.json", stored: (path) => path })
      const [analysisId, fileName] = [AnalysisId.make("A1"), "S1.bam"]
      const rest = { restoreEstimation: null, target: "https://lab.example", requestTime: null, status: null }
      const read = Result.getOrThrow(readEntry(JSON.parse(textOf({ analysisId, fileName, options, ...rest }))))
      const { restorationFile, ...found } = read.options
      const absent = { check: "content", checksums: null, layout: "flat", unmapped: false, makeIndex: false }
      const all: Readonly<Record<string, unknown>> = { ...absent, ...found }
      assert.deepStrictEqual(all, { ...wanted })
    }
    assert.lengthOf(each, 3 * 3 * 2 * 2 * 2 * 2)
  })
})
