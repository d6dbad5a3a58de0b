/** Every command that README.md and docs/ show in a `sh` block does what it says. */
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run, runCommand, startSandbox } from "../Executables.ts"
import { quietPort } from "../Ports.ts"
import { root } from "../Root.ts"
import { folder } from "./Ground.ts"
import { pageScripts } from "./Pages.ts"

/** Pages whose commands need more than a shell and Node: the test that runs them. */
const elsewhere: Readonly<Record<string, string>> = {
  "docs/archive.md": "engines/Schedules.test.ts",
  "docs/cwl-wdl.md": "engines/Cwl.test.ts and engines/Wdl.test.ts",
  "docs/image.md": "Image.test.ts",
  "docs/nextflow.md": "nextflow/Documentation.test.ts and slurm/Slurm.test.ts",
  "docs/snakemake.md": "engines/Snakemake.test.ts"
}

/** The script with a free port in place of each that its page names after `--port`: somebody may listen on those here. */
const onFreePorts = Effect.fnUntraced(function* (script: string) {
  let changed = script
  for (const port of new Set([...script.matchAll(/--port (\d+)/g)].map(([, port = ""]) => port))) {
    changed = changed.replaceAll(new RegExp(`\\b${port}\\b`, "g"), `${yield* quietPort}`)
  }
  return changed
})

const targets = "chr7\t117480024\t117668665\nchr17\t43044294\t43125364\n"

describe("the commands of", () => {
  it("the other pages are run by a test that is there", () => {
    const tests = Object.values(elsewhere).flatMap((names) => names.split(" and "))
    assert.deepStrictEqual(
      tests.filter((name) => !existsSync(`${root}test/e2e/${name}`)),
      []
    )
  })

  for (const [page, script] of pageScripts.filter(([page]) => !(page in elsewhere))) {
    it.live(`${page} run as they stand there`, () =>
      Effect.gen(function* () {
        const sandbox = yield* startSandbox()
        const cwd = yield* folder
        for (const name of ["data", "my-files"]) mkdirSync(join(cwd, name))
        // The tour begins in a clone.
        for (const name of ["test", "workflows"]) symlinkSync(`${root}${name}`, join(cwd, name))
        writeFileSync(join(cwd, "panel.bed"), targets)
        writeFileSync(join(cwd, "targets.bed.gz"), gzipSync(targets))
        const env = {
          PATH: [`${root}dist/bin`, process.env["PATH"]].join(delimiter),
          HOME: cwd,
          SVC_TARGET: sandbox.url,
          SVC_USER: sandbox.user,
          SVC_PASSWORD: sandbox.password,
          SVC_LOCK_DIR: join(cwd, "locks")
        }
        const made = yield* run("svc-download", ["-a", "A1", "-d", join(cwd, "data")], { env })
        assert.strictEqual(made.exitCode, 0, made.stderr)
        for (const name of ["S1.bam", "S1.bam.bai"]) copyFileSync(join(cwd, "data", name), join(cwd, "my-files", name))
        writeFileSync(join(cwd, "page.sh"), yield* onFreePorts(script))
        const { exitCode, stdout, stderr } = yield* runCommand("bash", ["page.sh"], { cwd, env })
        assert.strictEqual(exitCode, 0, `${stderr}\n${stdout.slice(-2_000)}`)
      })
    )
  }
})
