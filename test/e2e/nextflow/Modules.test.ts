/** The modules of workflows/nextflow in Nextflow itself: syntax, stubs, true runs against the sandbox. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../../Sources.ts"
import { filesBelow, launchPad, workflows } from "./Nextflow.ts"

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const modules = join(root, "test", "e2e", "nextflow", "modules.nf")

/** What a pipeline showed with `view`, sorted, since tasks end in any order. */
const shown = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => /^[A-Z]+ \S+ /.test(line) && !/^N E X T/.test(line))
    .sort()

describe("the modules for Nextflow", () => {
  it("name the image with the version of package.json", () => {
    const found = filesBelow(workflows)
      .filter((path) => path.endsWith("main.nf") && path.startsWith("modules/"))
      .map((path) => [path, /container "(.*)"/.exec(readFileSync(join(workflows, path), "utf8"))?.[1]])
    assert.isAbove(found.length, 0)
    assert.deepStrictEqual(
      found.filter(([, image]) => image !== `org/svc-steps:${version}`),
      []
    )
  })

  it.live(
    "are accepted by the linter, run as stubs and for real",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad()
        const lint = yield* pad.nextflow(["lint", workflows, modules])
        assert.strictEqual(lint.exitCode, 0, lint.stdout + lint.stderr)

        const stub = yield* pad.run(modules, ["-stub"], { SVC_USER: "", SVC_PASSWORD: "" })
        assert.strictEqual(stub.exitCode, 0, stub.stdout + stub.stderr)
        assert.deepStrictEqual(shown(stub.stdout), [
          "BAM one one.bam one.bam.bai",
          "BAM two two.bam two.bam.bai",
          "VCF one one.vcf.gz one.vcf.gz.tbi",
          "VCF two two.vcf.gz two.vcf.gz.tbi",
          `VERSION SVC_DOWNLOAD svc-steps ${version}`
        ])

        const run = yield* pad.run(modules)
        assert.strictEqual(run.exitCode, 0, run.stdout + run.stderr)
        assert.deepStrictEqual(shown(run.stdout), [
          "BAM one S1.bam S1.bam.bai",
          "VCF two S2.vcf.gz S2.vcf.gz.tbi",
          `VERSION SVC_DOWNLOAD svc-steps ${version}`
        ])
      }),
    180_000
  )
})
