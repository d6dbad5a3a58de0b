/** What docs/nextflow.md and README.md show of Nextflow: commands run, configuration is read, the process is compiled and run. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { blocks, pageFiles, pageScripts } from "../Pages.ts"
import { filesBelow, launchPad, nfCoreWhen, workflows } from "./Nextflow.ts"

describe("the documentation of the Nextflow modules", () => {
  it.live(
    "its commands run as they stand there, its configuration and the process of README.md are good",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad(["--restoreDelay", "1s"])
        const script = pageScripts.find(([page]) => page === "docs/nextflow.md")?.[1] ?? ""
        pad.write("page.sh", script)
        mkdirSync(join(pad.folder, "own"))
        for (const [path, text] of pageFiles("docs/nextflow.md")) pad.write(path, text)
        symlinkSync(root, join(pad.folder, "svc-steps"))
        const env = { ...pad.env, HOME: pad.folder, PATH: `${dirname(pad.command)}:${pad.env["PATH"]}` }
        const page = yield* runCommand("bash", ["page.sh"], { cwd: pad.folder, env })
        assert.strictEqual(page.exitCode, 0, page.stdout + page.stderr)
        const delivered = (path: string) =>
          filesBelow(join(pad.folder, path)).filter((name) => /bam$|vcf\.gz$/.test(name))
        assert.deepStrictEqual(delivered("results"), ["one/S1.bam", "slice/S1.ranged.bam", "two/S2.vcf.gz"])
        // On a slow machine it is back before its row is looked at, and then lies there too.
        const restored = delivered("restored").filter((path) => !path.startsWith("old/"))
        assert.deepStrictEqual(restored, ["one/S1.bam", "restored/A3/S3.bam"])

        // The pipeline of the page: one pair is whole; of the others the run says at its end what they lack.
        assert.match(page.stdout, /^one: \d+ lines$/m)
        assert.deepStrictEqual(delivered("pairs/tumour"), ["S1.bam"])
        assert.include(delivered("pairs/normal"), "S2.ranged.bam")
        for (const row of ["TUMOUR (absent)", "TUMOUR (old)"]) {
          const sentence = page.stderr.split("\n").find((line) => line.startsWith(`${row}: `)) ?? ""
          assert.match(sentence, /(?:analysis Z9: not found|S3\.bam .*archived)/, row)
        }
        assert.match(page.stdout, /had no errors/)

        const configs = blocks("docs/nextflow.md", "groovy config")
        assert.strictEqual(configs.length, 2)
        const written = configs.map((text, at) => pad.write(`block-${at}.config`, text))
        const [example = ""] = blocks("README.md", "groovy")
        assert.isBelow(example.split("\n").length, 30)
        // The module that it includes, without the section that makes this linter break off.
        const module = join(pad.folder, "svc", "modules", "svc", "download", "main.nf")
        writeFileSync(module, readFileSync(module, "utf8").replace(nfCoreWhen, ""))
        pad.write("example.nf", example)
        const lint = yield* pad.nextflow(["lint", ...written, "example.nf"])
        assert.strictEqual(lint.exitCode, 0, lint.stdout + lint.stderr)

        const config = ["-c", join(workflows, "conf", "svc.config")]
        const run = yield* pad.run(join(pad.folder, "example.nf"), config)
        assert.strictEqual(run.exitCode, 0, run.stdout + run.stderr)
        assert.deepStrictEqual(
          run.tasks.map(({ status }) => status),
          run.tasks.map(() => "COMPLETED")
        )
        assert.match(run.stdout, /^one has \d+ bytes/m)
      }),
    600_000
  )
})
