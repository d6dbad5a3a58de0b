import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ground, namesIn } from "../DownloadGround.ts"
import { run } from "../Executables.ts"

describe("svc-fetch-annotations, as a process", () => {
  it.live("writes the rows of an analysis to a file and to standard output alike", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* ground({ behaviour: { strict: true } })
      const fetch = (...args: ReadonlyArray<string>) => run("svc-fetch-annotations", args, { cwd: folder, env })
      const printed = yield* fetch("A1")
      assert.strictEqual(printed.exitCode, 0, printed.stderr)
      assert.isAbove(printed.stdout.split("\n").length, 2)
      const kept = yield* fetch("A1", "--output", "rows")
      assert.deepStrictEqual([kept.exitCode, kept.stdout], [0, ""], kept.stderr)
      assert.strictEqual(readFileSync(join(folder, "rows"), "utf8"), printed.stdout)
      assert.deepInclude(yield* stats, { overlaps: 0, maxApiInFlight: 1 })
    })
  )

  it.live("what is not there is 66 and no file; wrong usage is 64", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* ground()
      const fetch = (...args: ReadonlyArray<string>) => run("svc-fetch-annotations", args, { cwd: folder, env })
      const usage = yield* fetch("A1", "--fromat", "tsv")
      assert.deepStrictEqual([usage.exitCode, usage.stdout], [64, ""], usage.stderr)
      const missing = yield* fetch("nobody", "--output", "rows")
      assert.strictEqual(missing.exitCode, 66, missing.stderr)
      assert.notInclude(namesIn(folder), "rows")
    })
  )
})
