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
})
