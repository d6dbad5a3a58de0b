/** The single executable (`npm run binary`) in place of the modules: made twice with the same bytes, and held to the tests of processes. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folderUntilTheEnd, runCommand } from "../Executables.ts"
import { root } from "../Root.ts"

const patience = 1_800_000
const place = folderUntilTheEnd("svc-binary-")
const name = `svc-steps-linux-${process.arch}`

const make = Effect.fnUntraced(function* (folder: string) {
  const made = yield* runCommand(process.execPath, [`${root}scripts/binary.ts`, "--outdir", join(place, folder)])
  assert.strictEqual(made.exitCode, 0, made.stderr)
  return join(place, folder, name)
})

/** Terminal, signals, archive, spans and secrets; then proxies, TLS and private authorities. */
const suites: Readonly<Record<string, ReadonlyArray<string>>> = {
  processes: [
    "test/processes/download.test.ts",
    "test/processes/terminal.test.ts",
    "test/processes/telemetry.test.ts",
    "test/processes/secrets.test.ts",
    "test/processes/surroundings.test.ts",
    "test/processes/restorations"
  ],
  e2e: ["test/e2e/Proxy.test.ts", "test/e2e/Tls.test.ts"]
}

describe("the binary", () => {
  it.live(
    "is made with the same bytes again, and names its licences, parts and checksum",
    () =>
      Effect.gen(function* () {
        const [one, two] = [yield* make("one"), yield* make("two")]
        assert.isTrue(readFileSync(one).equals(readFileSync(two)))
        const summed = yield* runCommand("sha256sum", ["-c", `${name}.sha256`], { cwd: join(place, "one") })
        assert.strictEqual(summed.stdout, `${name}: OK\n`)
        assert.match(readFileSync(`${one}.licenses.txt`, "utf8"), /^node-linux-\w+ 24\.[\d.]+ /m)
        const { components } = JSON.parse(readFileSync(`${one}.cdx.json`, "utf8"))
        assert.includeMembers(
          components.map((part: { readonly name: string }) => part.name),
          ["effect", "node"]
        )
      }),
    patience
  )

  for (const [project, files] of Object.entries(suites)) {
    it.live(
      `passes ${files.join(", ")}`,
      () =>
        Effect.gen(function* () {
          const links = join(place, project)
          mkdirSync(links)
          const { bin } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
          for (const name of Object.keys(bin))
            symlinkSync(join(place, "one", `svc-steps-linux-${process.arch}`), join(links, name))
          const run = yield* runCommand(
            process.execPath,
            [
              `${root}node_modules/vitest/vitest.mjs`,
              "run",
              "--project",
              project,
              ...files,
              "--reporter=dot",
              "--silent=passed-only"
            ],
            { env: { SVC_BINARY: links } }
          )
          assert.strictEqual(run.exitCode, 0, run.stdout + run.stderr)
        }),
      patience
    )
  }
})
