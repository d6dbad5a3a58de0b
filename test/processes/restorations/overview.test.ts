/** The restorations of a file, shown by `svc-steps restorations`. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { entry, file, store, tracked } from "../../RestorationGround.ts"
import { temporaryFolder } from "../../TemporaryFolder.ts"
import { runWarm } from "../../WarmExecutables.ts"

describe("svc-steps restorations", () => {
  const work = Effect.fnUntraced(function* () {
    const folder = yield* temporaryFolder("restorations-")
    mkdirSync(join(folder, "out"))
    return {
      folder,
      restorations: (...args: ReadonlyArray<string>) => runWarm("svc-steps", ["restorations", ...args], { cwd: folder })
    }
  })

  it.live("a file that was named and is not there is warned of, also where nobody reads what is usual", () =>
    Effect.gen(function* () {
      const { restorations } = yield* work()
      const named = yield* restorations("list", "--restorationFile", "awiting.json", "--loglevel", "warn")
      assert.strictEqual(named.exitCode, 0)
      assert.match(named.stderr, /\[warn\]: awiting\.json does not exist: is this the file that was meant\?/)
      const usual = yield* restorations("list")
      assert.deepStrictEqual([usual.exitCode, usual.stdout, usual.stderr], [0, "No restorations\n", ""])
    })
  )

  it.live("needs a --target, and does not send anybody to SVC_TARGET; knows the words of other tools", () =>
    Effect.gen(function* () {
      const { folder, restorations } = yield* work()
      const add = ["restorations", "add", "A3", "S3.bam", "--destination", "out"]
      const env = { SVC_TARGET: "http://127.0.0.1:9" }
      const without = yield* runWarm("svc-steps", add, { cwd: folder, env })
      assert.strictEqual(without.exitCode, 64)
      assert.match(without.stderr, /Missing required argument --target/)
      assert.notInclude(without.stderr, "SVC_TARGET")
      for (const word of ["remove", "rm"])
        assert.match((yield* restorations(word, "-a", "A3")).stderr, /Unknown method \w+; did you mean prune\?/)
    })
  )

  it.live("adds, lists and prunes, and leaves everything else as it is", () =>
    Effect.gen(function* () {
      const { folder, restorations } = yield* work()
      const old = entry("A7", {}, { "x-note": [1] })
      store(folder, old, { nonsense: true })
      const added = yield* restorations("add", "A3", "S3.bam", "--target", "http://127.0.0.1:9", "--destination", "out")
      assert.strictEqual(added.exitCode, 0, added.stderr)
      assert.deepInclude(tracked(folder, file)[2], { analysisId: "A3", target: "http://127.0.0.1:9/" })

      const shown = yield* restorations("list")
      assert.match(
        shown.stdout,
        /^A7 {2}S3\.bam {2}expected at 2026-01-01T00:00:00Z {2}into out\nentry 2 cannot be used: /
      )
      assert.match(shown.stdout, /\nA3 {2}S3\.bam {2}expected at an unknown time {2}into out {2}requested /)
      const json = JSON.parse((yield* restorations("list", "--format", "json")).stdout)
      assert.strictEqual(json.schema, "svc.requests/1")
      assert.deepStrictEqual(json.requests[0].options, old.options)

      assert.strictEqual((yield* restorations("prune")).exitCode, 64)
      assert.strictEqual((yield* restorations("prune", "--before", "yesterday")).exitCode, 64)
      const pruned = yield* restorations("prune", "--before", "2026-02-01", "--unusable")
      assert.strictEqual(pruned.exitCode, 0, pruned.stderr)
      assert.match(pruned.stderr, /2 taken out, 1 left/)
      assert.deepStrictEqual(
        tracked(folder, file).map(({ analysisId }) => analysisId),
        ["A3"]
      )
    })
  )

  it.live("T17 refuses what a download would refuse", () =>
    Effect.gen(function* () {
      const { folder, restorations } = yield* work()
      const add = (...args: ReadonlyArray<string>) => restorations("add", ...args)
      const target = ["--target", "http://127.0.0.1:9"]
      for (const args of [
        ["A3", "S3.bam"],
        ["A3", "../S3.bam", ...target],
        ["A3", "S3.txt", ...target],
        ["A3", "S3.bam", ...target, "--destination", "gone"],
        ["A3", "S3.bam", ...target, "--range", "chr1:9-1"],
        ["A3", "S3.bam", "--target", "http://user:secret@127.0.0.1"]
      ]) {
        const outcome = yield* add(...args)
        assert.strictEqual(outcome.exitCode, 64, `${args.join(" ")}: ${outcome.stderr}`)
        assert.notInclude(outcome.stderr, "secret")
      }
      assert.isFalse(existsSync(join(folder, file)))
    })
  )
})
