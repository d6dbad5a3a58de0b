/** The single executable (`npm run binary`) in place of the modules: made twice with the same bytes, and held to the tests of processes. */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
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

/**
 * What could differ in one file with a Node of its own: that each step starts, does its main job and ends with its code; terminal
 * and signals, spans, secrets, a place that nobody can write to; then proxies, TLS and private authorities. What the modules in it
 * do beyond that is proven where they run on Node.
 */
const suites = Object.entries({
  executables: ["steps.transcript", "svc-download.test.ts", "svc-gateway.test.ts", "svc-sandbox.test.ts"],
  processes: ["terminal", "telemetry", "secrets", "surroundings", "restorations/terminal", "restorations/waiting"].map(
    (name) => `${name}.test.ts`
  ),
  e2e: ["Proxy.test.ts", "Tls.test.ts"]
})

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

  it.live(
    `passes ${suites.flatMap(([, names]) => names).join(", ")}`,
    () =>
      Effect.gen(function* () {
        const links = join(place, "links")
        mkdirSync(links)
        const { bin, version } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
        for (const command of Object.keys(bin)) symlinkSync(join(place, "one", name), join(links, command))
        const dispatched = yield* runCommand(join(links, "svc-steps"), ["download", "--version"])
        assert.deepStrictEqual([dispatched.exitCode, dispatched.stdout], [0, `${version}\n`], dispatched.stderr)
        const files = suites.flatMap(([project, names]) => names.map((name) => `test/${project}/${name}`))
        // Of several filters, vitest says nothing of one that finds no file.
        assert.deepStrictEqual(
          files.filter((file) => !existsSync(`${root}${file}`)),
          []
        )
        const run = yield* runCommand(
          process.execPath,
          [
            `${root}node_modules/vitest/vitest.mjs`,
            "run",
            ...suites.flatMap(([project]) => ["--project", project]),
            ...files,
            "--reporter=dot",
            "--silent=passed-only",
            // Another file is under way beside this one.
            "--no-file-parallelism"
          ],
          { env: { SVC_BINARY: links } }
        )
        assert.strictEqual(run.exitCode, 0, run.stdout + run.stderr)
      }),
    patience
  )
})
