import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run, startSandbox } from "../Executables.ts"

describe("svc-sandbox, as a process", () => {
  it.live("prints one line and serves", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* startSandbox(["--strict"])
      assert.lengthOf(lines, 1)
      const stats = yield* Effect.promise(async () => (await fetch(`${url}/__sandbox/stats`)).json())
      assert.deepInclude(stats, { logins: 0, overlaps: 0 })
    })
  )

  it.live("wrong usage is 64, a world that is not there 66", () =>
    Effect.gen(function* () {
      const usage = yield* run("svc-sandbox", ["--stirct"])
      assert.deepStrictEqual([usage.exitCode, usage.stdout], [64, ""], usage.stderr)
      const nothing = yield* run("svc-sandbox", ["--world", "/nothing.json"])
      assert.deepStrictEqual([nothing.exitCode, nothing.stdout], [66, ""], nothing.stderr)
    })
  )
})
