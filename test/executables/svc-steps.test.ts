import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run, runCommand } from "../Executables.ts"
import { root } from "../Root.ts"

const product = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

describe("svc-steps, as a process", () => {
  it.live("starts each step by its name, and says which there are for a name that is none", () =>
    Effect.gen(function* () {
      const version = yield* run("svc-steps", ["download", "--version"])
      assert.deepStrictEqual([version.exitCode, version.stdout], [0, `${product.version}\n`])
      const none = yield* run("svc-steps", ["downlaod"])
      assert.deepStrictEqual([none.exitCode, none.stdout], [64, ""])
      assert.match(none.stderr, /download/)
    })
  )

  for (const name of Object.keys(product.bin)) {
    it.live(`dist/bin/${name} starts on the Node of this clone, with any PATH`, () =>
      Effect.map(
        runCommand(`${root}dist/bin/${name}`, ["--version"], { env: { PATH: "/usr/bin:/bin" } }),
        ({ exitCode, stderr, stdout }) =>
          assert.deepStrictEqual([exitCode, stdout], [0, `${product.version}\n`], stderr)
      )
    )
  }

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
