/** The restoration file between processes: what the service estimates, times, and several runs at once; all else is in requests.transcript. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { namesIn } from "../../DownloadGround.ts"
import { run } from "../../Executables.ts"
import { archive, entry, file, store, tracked } from "../../RestorationGround.ts"

describe("the restoration file", () => {
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

  it.live("C3 whatever TZ says, every time that is written is UTC", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* archive("1 hour")
      // Fourteen hours ahead of UTC, none, and no time zone at all.
      for (const [number, TZ] of ["Pacific/Kiritimati", "", "Nowhere/Land"].entries()) {
        const [store, log] = [`${number}.json`, `${number}.log`]
        const args = ["A3", "-d", "out", "--restorationFile", store, "--logfile", log]
        const outcome = yield* run("svc-request-restore", args, { cwd: folder, env: { ...env, TZ } })
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        const written = [
          String(tracked(folder, store)[0]?.["requestTime"]),
          ...readFileSync(join(folder, log), "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => line.slice(0, line.indexOf(" ")))
        ]
        assert.isAbove(written.length, 1)
        for (const time of written) {
          assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
          assert.isBelow(Math.abs(Date.parse(time) - Date.now()), 3_600_000)
        }
      }
    })
  )

  it.live(
    "T9 T10 four resumers and two requesters at once: each file once, no entry lost",
    () =>
      Effect.gen(function* () {
        const online = ["B1", "B2", "B3"].map((id) => ({ id, files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam" }] }))
        const frozen = ["C1", "C2"].map((id) => ({
          id,
          files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam", archived: true }]
        }))
        const { folder, request, resume } = yield* archive("1 hour", { world: { analyses: [...online, ...frozen] } })
        store(folder, ...online.map(({ id }) => entry(id, {}, { fileName: `${id}.bam` })), entry("A99"))
        const outcomes = yield* Effect.all(
          [
            ...Array.from({ length: 4 }, () => resume([])),
            ...frozen.map(({ id }) => request([id, "-f", "bam", "-d", "out"]))
          ],
          { concurrency: "unbounded" }
        )
        for (const { exitCode, stderr } of outcomes) assert.include([0, 66, 69, 75], exitCode, stderr)
        // A run that met another one on the same file left its entry to it.
        yield* resume([])
        assert.deepStrictEqual(namesIn(folder, "out"), ["B1.bam", "B2.bam", "B3.bam"])
        const left = tracked(folder, file).map(({ analysisId }) => analysisId)
        assert.deepStrictEqual([...left].sort(), ["A99", "C1", "C2"])
        assert.deepStrictEqual(
          namesIn(folder).filter((name) => name.includes(file)),
          [file]
        )
      }),
    300_000
  )
})
