/** The modules of workflows/nextflow in Nextflow itself: syntax, descriptions, stubs, true runs against the sandbox. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../../Root.ts"
import { launchPad, nfCoreWhen, workflows } from "./Nextflow.ts"
import { readSnapshots, runTests, writeSnapshots } from "./Snapshots.ts"

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const here = join(root, "test", "e2e", "nextflow")
const modules = readdirSync(join(workflows, "modules", "svc")).sort()
const read = (...path: ReadonlyArray<string>) => readFileSync(join(workflows, ...path), "utf8")

/** What a pipeline showed with `view`, sorted, since tasks end in any order. */
const shown = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => /^(?:BAM|VCF|RESTORED|PENDING|ANNOTATIONS|VERSION) /.test(line))
    .sort()

const versions = modules.map((name) => `VERSION SVC_${name.toUpperCase()} svc-steps ${version}`)

describe("the modules for Nextflow", () => {
  it("name the image with the version of package.json, and so does the pipeline", () => {
    assert.deepStrictEqual(modules, ["download", "fetchannotations", "requestrestore", "resumerestore"])
    for (const name of modules) {
      assert.include(read("modules", "svc", name, "main.nf"), `container "org/svc-steps:${version}"`)
    }
    assert.match(read("nextflow.config"), new RegExp(`version\\s+= '${version.replaceAll(".", "\\.")}'`))
  })

  it("describe every output that they have, and no other", () => {
    for (const name of modules) {
      const outputs = read("modules", "svc", name, "main.nf").matchAll(/emit: (\w+)/g)
      const described = read("modules", "svc", name, "meta.yml").split(/^output:\n/m)[1] ?? ""
      assert.deepStrictEqual(
        [...(described.split(/^\w/m)[0] ?? "").matchAll(/^ {2}(\w+):$/gm)].map(([, output]) => output),
        [...outputs].map(([, output]) => output),
        name
      )
    }
  })

  it.live(
    "are accepted by the linter, and run in one session at a time",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad(["--strict"])
        const copy = join(pad.folder, "linted", "workflows", "nextflow")
        cpSync(workflows, copy, { recursive: true })
        const author = join(pad.folder, "linted", "test", "e2e", "nextflow")
        cpSync(here, author, { recursive: true })
        for (const name of modules) {
          const path = join(copy, "modules", "svc", name, "main.nf")
          const text = readFileSync(path, "utf8")
          assert.include(text, nfCoreWhen)
          writeFileSync(path, text.replace(nfCoreWhen, ""))
        }
        const lint = yield* pad.nextflow(["lint", copy, author])
        assert.strictEqual(lint.exitCode, 0, lint.stdout + lint.stderr)

        const real = yield* pad.run(join(here, "modules.nf"), ["-c", join(here, "modules.config")])
        assert.strictEqual(real.exitCode, 0, real.stdout + real.stderr)
        assert.deepStrictEqual(
          shown(real.stdout),
          [
            "ANNOTATIONS rows rows.jsonl true",
            "ANNOTATIONS targets targets.tsv true",
            "BAM one S1.bam [S1.bam.bai]",
            "BAM slice S1.ranged.bam [S1.ranged.bam.bai]",
            "PENDING old []",
            "RESTORED old S3.bam S3.bam.bai",
            "VCF two S2.vcf.gz [S2.vcf.gz.tbi]",
            ...versions
          ].sort()
        )
        const { maxApiInFlight, overlaps } = yield* pad.stats
        assert.deepStrictEqual({ maxApiInFlight, overlaps }, { maxApiInFlight: 1, overlaps: 0 })
      }),
    600_000
  )

  it.live(
    "give what their snapshots say, for real and as stubs without an account (UPDATE_SNAPSHOTS=1 writes them)",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad(["--restoreDelay", "1h"])
        const results = yield* runTests(pad, modules)
        assert.strictEqual(results.length, 7)
        if (process.env["UPDATE_SNAPSHOTS"] === "1") writeSnapshots(results)
        for (const { content, module, title } of results) {
          assert.deepStrictEqual([content], readSnapshots(module)[title]?.content, `${module}: ${title}`)
        }
      }),
    600_000
  )
})
