import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground, namesIn } from "../DownloadGround.ts"
import { start, untilOrEnd } from "../Executables.ts"

describe("svc-download, as a process", () => {
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
