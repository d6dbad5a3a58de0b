/** What all executables share on the way to their work: what Node has compiled, and streams that cannot be written to. */
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

  for (const [name, ...words] of [
    ["svc-steps"],
    ["svc-steps", "--help"],
    ["svc-download", "--help"],
    ["svc-api", "--version"]
  ] as const) {
    const shell = (script: string) => runCommand("bash", ["--norc", "-c", script, `${root}dist/bin/${name}`, ...words])

    it.live(
      `K10 what ${[name, ...words].join(" ")} prints: a full disk is exit 74, and a reader who has gone no defect`,
      () =>
        Effect.gen(function* () {
          const full = yield* shell('"$0" "$@" > /dev/full')
          assert.deepStrictEqual([full.exitCode, full.stderr], [74, "Error: Cannot write to standard output: ENOSPC\n"])
          const gone = yield* shell('exec 4> >(true); wait $!; "$0" "$@" >&4')
          assert.deepStrictEqual([gone.exitCode, gone.stderr], [141, ""])
        })
    )
  }

  it.live("K10 words that nobody can see are still exit 64", () =>
    Effect.map(
      runCommand("bash", ["--norc", "-c", '"$0" downlaod 2> /dev/full', `${root}dist/bin/svc-steps`]),
      ({ exitCode }) => assert.strictEqual(exitCode, 64)
    )
  )
})
