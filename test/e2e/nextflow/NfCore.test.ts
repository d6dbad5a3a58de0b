/** The modules under nf-core's own linter. */
import { readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { folder } from "../Ground.ts"

const here = join(root, "test", "e2e", "nf-core")

interface Finding {
  readonly kind: "failed" | "warned" | "passed"
  readonly test?: string
  readonly count?: number
}

describe("nf-core's linter", () => {
  it.live(
    "finds nothing in the modules but what is inherent in them, each with its reason in inherent.json",
    () =>
      Effect.gen(function* () {
        const own = yield* folder
        // It asks Nextflow for the containers of the modules.
        const path = [join(root, "test", "e2e", "nextflow"), process.env["PATH"]].join(delimiter)
        const { exitCode, stderr, stdout } = yield* runCommand(
          join(root, ".e2e", "python", "bin", "python"),
          [join(here, "lint.py"), own],
          { env: { PATH: path, HOME: own, LC_ALL: "C.UTF-8" } }
        )
        assert.strictEqual(exitCode, 0, stderr)
        const findings: ReadonlyArray<Finding> = stdout
          .trim()
          .split("\n")
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line))
        const inherent = Object.keys(JSON.parse(readFileSync(join(here, "inherent.json"), "utf8")))
        const found = findings.flatMap(({ test }) => test ?? [])
        assert.deepStrictEqual(
          findings.filter(({ test }) => test !== undefined && !inherent.includes(test)),
          []
        )
        assert.sameMembers([...new Set(found)], inherent)
        // That it looked at all: more than fifty things in each of the four modules.
        assert.isAbove(findings.find(({ kind }) => kind === "passed")?.count ?? 0, 50 * 4)
      }),
    600_000
  )
})
