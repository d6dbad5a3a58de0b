import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground } from "../DownloadGround.ts"
import { type Outcome, run } from "../Executables.ts"
import { runWarm } from "../WarmExecutables.ts"

/** Without the times of log lines. */
const timeless = ({ stderr, ...rest }: Outcome) => ({ ...rest, stderr: stderr.replaceAll(/^\d{4}-\S+ /gm, "") })

describe("executables that follow each other in one process", () => {
  it.live("read, say and end as those with a process of their own, and leave nothing to the next", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const { SVC_PASSWORD: _, ...nobody } = env
      for (const [args, of, exitCode] of [
        [["-s", "@-", "--list"], { env, input: "S1\r\nS2\r\n" }, 0],
        [["-a", "A1", "--list"], { env: nobody }, 78],
        [["-a", "nobody", "--list"], { env }, 66],
        [["-a", "A1", "--list", "--loglevel", "x"], { env }, 64],
        [["--version"], {}, 0]
      ] as const) {
        const own = yield* run("svc-download", args, { cwd: folder, ...of })
        assert.strictEqual(own.exitCode, exitCode, own.stderr)
        const warm = yield* runWarm("svc-download", args, { cwd: folder, ...of })
        assert.deepStrictEqual(timeless(warm), timeless(own))
      }
    })
  )

  it.live("one beside another has a process of its own", () =>
    Effect.gen(function* () {
      const { download } = yield* ground()
      const both = yield* Effect.all([download(["--version"]), download(["--help"])], { concurrency: 2 })
      assert.deepStrictEqual(
        both.map(({ exitCode }) => exitCode),
        [0, 0]
      )
      assert.notInclude(both[0].stdout, "svc-download")
      assert.include(both[1].stdout, "svc-download")
    })
  )
})
