/** What all executables share on the way to their work: what Node has compiled. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

describe("svc-steps", () => {
  it.live("keeps what Node compiles in a home that is there, and makes none that is not", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder("svc-home-")
      const start = (env: Record<string, string>) =>
        runCommand(`${root}dist/bin/svc-steps`, ["--version"], {
          env: { PATH: "/usr/bin:/bin", XDG_CACHE_HOME: "", ...env }
        })
      for (const env of [{ HOME: join(folder, "home") }, { XDG_CACHE_HOME: join(folder, "home", "cache") }]) {
        assert.strictEqual((yield* start(env)).exitCode, 0)
        assert.deepStrictEqual(readdirSync(folder), [])
      }
      yield* start({ HOME: folder })
      assert.deepStrictEqual(readdirSync(folder), [".cache"])
    })
  )
})
