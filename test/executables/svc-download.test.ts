import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { run, start, untilOrEnd } from "../Executables.ts"

describe("svc-download, as a process", () => {
  it.live("fetches an analysis whole and a region of it, and keeps what is there", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground({ behaviour: { strict: true } })
      const download = (...args: ReadonlyArray<string>) => run("svc-download", args, { cwd: folder, env })
      const whole = yield* download("-a", "A1,A2", "-f", "bam,bam.bai", "-d", "out", "--reportfile", "r.json")
      assert.strictEqual(whole.exitCode, 0, whole.stderr)
      assert.strictEqual(whole.stdout, "")
      assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam", "S1.bam.bai", "S2.bam", "S2.bam.bai"])
      for (const { action, fileName, sha256: stated } of readReport(folder, "r.json").files) {
        assert.deepStrictEqual([action, stated], ["downloaded", sha256(folder, "out", fileName ?? "")])
      }
      const slice = yield* download("-a", "A1", "-g", "chr17:43,044,295-43,125,364", "-d", "out")
      assert.strictEqual(slice.exitCode, 0, slice.stderr)
      assert.includeMembers([...namesIn(folder, "out")], ["S1.ranged.bam", "S1.ranged.bam.bai"])
      const before = (yield* stats).linkRequests
      const again = yield* download("-a", "A1,A2", "-f", "bam,bam.bai", "-d", "out")
      assert.strictEqual(again.exitCode, 0, again.stderr)
      const { linkRequests, maxApiInFlight, overlaps } = yield* stats
      assert.deepStrictEqual([linkRequests, maxApiInFlight, overlaps], [before, 1, 0])
    })
  )

  it.live("sends a wrong password once and ends with 77; what is not there is 66, wrong usage 64", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground()
      const list = (...args: ReadonlyArray<string>) => run("svc-download", args, { cwd: folder, env })
      const wrong = yield* run("svc-download", ["-a", "A1", "-d", "out"], {
        cwd: folder,
        env: { ...env, SVC_PASSWORD: "CANARY-wrong" }
      })
      assert.strictEqual(wrong.exitCode, 77, wrong.stderr)
      assert.notInclude(wrong.stdout + wrong.stderr, "CANARY")
      assert.deepInclude(yield* stats, { failedLogins: 1, logins: 0 })
      const missing = yield* list("-a", "nobody", "--list")
      assert.strictEqual(missing.exitCode, 66, missing.stderr)
      const usage = yield* list("-a", "A1", "--regoin", "chr1")
      assert.deepStrictEqual([usage.exitCode, usage.stdout], [64, ""])
      assert.match(usage.stderr, /--regoin/)
    })
  )

  it.live("ends with 143 when it is told to, logs out, and leaves nothing under a final name", () =>
    Effect.gen(function* () {
      const { env, folder, setFaults, stats } = yield* ground()
      yield* setFaults([{ when: { plane: "link" }, then: { slow: 20_000 } }])
      const running = yield* start("svc-download", ["-a", "A1", "-f", "bam", "-d", "out"], { cwd: folder, env })
      yield* untilOrEnd(
        running,
        "the file is asked for",
        Effect.map(stats, ({ linkRequests }) => linkRequests > 0)
      )
      yield* running.kill("SIGTERM")
      const { exitCode, stderr } = yield* running.outcome
      assert.strictEqual(exitCode, 143, stderr)
      assert.isTrue(namesIn(folder, "out").every((name) => name.startsWith(".")))
      assert.deepInclude(yield* stats, { logins: 1, logouts: 1 })
    })
  )
})
