import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { namesIn } from "../DownloadGround.ts"
import { run } from "../Executables.ts"
import { archive, file, tracked } from "../RestorationGround.ts"

describe("svc-request-restore and svc-resume-restore, as processes", () => {
  it.live("the first asks and notes it, the second says 75 until the file is back, and fetches it then", () =>
    Effect.gen(function* () {
      const { env, folder, stats, thaw } = yield* archive("1 hour", { behaviour: { strict: true } })
      const step = (name: string, ...args: ReadonlyArray<string>) => run(name, args, { cwd: folder, env })
      const asked = yield* step("svc-request-restore", "-a", "A3", "-d", "out")
      assert.strictEqual(asked.exitCode, 0, asked.stderr)
      assert.deepInclude(tracked(folder, file)[0], { analysisId: "A3", fileName: "S3.bam" })
      const early = yield* step("svc-resume-restore")
      assert.strictEqual(early.exitCode, 75, early.stderr)
      yield* thaw
      const later = yield* step("svc-resume-restore")
      assert.strictEqual(later.exitCode, 0, later.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam", "S3.bam.bai"])
      assert.deepStrictEqual(tracked(folder, file), [])
      assert.deepInclude(yield* stats, { restores: 1, overlaps: 0 })
    })
  )

  it.live("wrong usage is 64, and asks for nothing", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* archive("1 hour")
      for (const name of ["svc-request-restore", "svc-resume-restore"]) {
        const { exitCode, stderr, stdout } = yield* run(name, ["--wiat", "1h"], { cwd: folder, env })
        assert.deepStrictEqual([exitCode, stdout], [64, ""], stderr)
      }
      assert.deepInclude(yield* stats, { logins: 0, restores: 0 })
    })
  )
})
