/** The package as npm hands it to strangers: packed, and installed in a folder of theirs. */
import { delimiter, dirname, join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { folderUntilTheEnd, runCommand } from "../Executables.ts"
import { root } from "../Root.ts"

/** What npm needs of this machine: where its registry and its cache are. Not that scripts are ignored, as they are in this project. */
const npmSettings = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => /^(?:HOME|NODE_EXTRA_CA_CERTS|npm_config_(?:registry|cafile|cache|userconfig))$/i.test(name))
    .map(([name, value]) => [name, value ?? ""])
)
/** With the Node of this test in front. */
export const env = { ...npmSettings, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) }

const packages = folderUntilTheEnd("svc-packed-")

/** The tarball that would be published, made once for the tests of a file. */
export const packed: Effect.Effect<string> = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const made = yield* runCommand(process.execPath, [`${root}scripts/package.ts`, packages], { env })
      assert.strictEqual(made.exitCode, 0, made.stderr)
      return join(packages, made.stdout.trim())
    })
  )
)
