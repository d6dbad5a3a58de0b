import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../Executables.ts"
import { root } from "../Root.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const product = JSON.parse(readFileSync(`${root}package.json`, "utf8"))

describe("svc-steps, as a process", () => {
  for (const name of Object.keys(product.bin)) {
    it.live(`dist/bin/${name} starts on the Node of this clone, with any PATH`, () =>
      Effect.map(
        runCommand(`${root}dist/bin/${name}`, ["--version"], { env: { PATH: "/usr/bin:/bin" } }),
        ({ exitCode, stderr, stdout }) =>
          assert.deepStrictEqual([exitCode, stdout], [0, `${product.version}\n`], stderr)
      )
    )
  }

  it.live("say what is missing where somebody copied one of dist/bin alone, as engines do that follow links", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder("svc-copied-")
      copyFileSync(`${root}dist/bin/svc-download`, join(folder, "svc-download"))
      const { exitCode, stderr } = yield* runCommand(join(folder, "svc-download"), ["--version"], {
        env: { PATH: "/usr/bin:/bin" }
      })
      assert.strictEqual(exitCode, 127)
      assert.match(stderr, /^svc-download: \S+ is a copy, .* link .*\n$/)
    })
  )
})
