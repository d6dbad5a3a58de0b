/** What the service answers about archived files, and what a run makes of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { namesIn, readReport } from "../../DownloadGround.ts"
import { archive, entry, file, store, tracked } from "../../RestorationGround.ts"

describe("answers of the service", () => {
  it.live("L10 L11 an estimate that is over, no time, or missing: the flags decide, and the entry keeps its text", () =>
    Effect.gen(function* () {
      const estimates = ["1970-01-01T00:00:00Z", "in a while", "null", "9999-12-31T23:59:59+02:00"]
      yield* Effect.forEach(
        estimates,
        Effect.fnUntraced(function* (estimate) {
          const { folder, request, resume, thaw } = yield* archive("1 hour", {
            behaviour: { restoreEstimation: estimate }
          })
          assert.strictEqual((yield* request(["A3", "-d", "out", "-f", "bam"])).exitCode, 0)
          assert.strictEqual(tracked(folder, file)[0]?.["restoreEstimation"], estimate === "null" ? null : estimate)
          const early = yield* resume([])
          assert.strictEqual(early.exitCode, 75, early.stderr)
          yield* thaw
          const outcome = yield* resume([])
          assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
          assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
        }),
        { concurrency: "unbounded", discard: true }
      )
    })
  )

  it.live("L12 an analysis that is gone fails with 66 and stays, and the others are served", () =>
    Effect.gen(function* () {
      const { folder, resume } = yield* archive("0 seconds", {
        world: { analyses: [{ id: "A3", files: [{ name: "S3.bam", archived: false }] }] }
      })
      store(folder, entry("A99"), entry("A3"), entry("A3", {}, { fileName: "S9.bam" }))
      const outcome = yield* resume(["--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 66, outcome.stderr)
      assert.deepStrictEqual(tracked(folder, file), [entry("A99"), entry("A3", {}, { fileName: "S9.bam" })])
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ action, error }) => [action, error?.tag ?? null]),
        [
          ["failed", "NotFound"],
          ["downloaded", null],
          ["failed", "NotFound"]
        ]
      )
    })
  )
})
