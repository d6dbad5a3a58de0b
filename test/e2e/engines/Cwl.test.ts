/** The CWL tools and workflows with cwltool, without containers, as docs/cwl-wdl.md shows them. */
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { runCommand } from "../../Executables.ts"
import { assertNoPassword, assertQuiet, assertRefused, followPage, ground } from "./Engines.ts"

const limit = 600_000
const variables = ["SVC_TARGET", "SVC_USER", "SVC_PASSWORD", "SVC_LOCK_DIR"]
const preserve = variables.flatMap((name) => ["--preserve-environment", name])

/** `cwltool --validate --strict` for each file, in one process. */
const validateEach = `
import sys
from cwltool.main import main
sys.exit(sum(main(["--validate", "--strict", path]) for path in sys.argv[1:]))`

describe("CWL", () => {
  it.live(
    "what docs/cwl-wdl.md shows: pending analyses are left out, the others are done, and the second workflow waits",
    () =>
      Effect.gen(function* () {
        const place = yield* ground(["--restoreDelay", "2s"])
        const { cwd, exitCode, text } = yield* followPage("docs/cwl-wdl.md", place, "CWL")
        assert.strictEqual(exitCode, 0, text)
        const first = readdirSync(join(cwd, "first"))
        assert.includeMembers(first, [
          "S1.bam",
          "S1.bam.bai",
          "S2.bam",
          "S2.bam.bai",
          "annotations.tsv",
          "A1.report.json",
          "A3.report.json",
          "awaiting-restoration.json"
        ])
        assert.notInclude(first, "S3.bam")
        assert.includeMembers(readdirSync(join(cwd, "second")), ["S3.bam", "report.json"])
        assert.include(readdirSync(join(cwd, "fourth")), "awaiting-restoration.json")
        assert.include(yield* assertQuiet(place.sandbox), { failedLogins: 0 })
        assertNoPassword([cwd], text)
      }),
    limit
  )

  it.live(
    "all files are valid; a failed job of a scatter says why on the console and in its report, and lists and names are given on the command line",
    () =>
      Effect.gen(function* () {
        const { env, project } = yield* ground()
        const folder = join(project, "svc-steps/workflows/cwl")
        const cwltool = (args: ReadonlyArray<string>) => runCommand("cwltool", args, { cwd: project, env })
        const files = readdirSync(folder).map((name) => join(folder, name))
        assert.isAbove(files.length, 5)
        const checked = yield* runCommand("python3", ["-c", validateEach, ...files], { cwd: project, env })
        assert.strictEqual(checked.exitCode, 0, checked.stderr)
        const lists = ["--analyses", "A1", "--analyses", "Z9", "--filetypes", "bam", "--annotations_name", "rows.tsv"]
        const ran = yield* cwltool([
          ...["--no-container", ...preserve, "--on-error", "continue"],
          ...[join(folder, "downloads.cwl"), ...lists]
        ])
        assert.strictEqual(ran.exitCode, 1, ran.stderr)
        assert.include(ran.stderr, "analysis Z9: not found")
        assert.includeMembers(readdirSync(project), ["A1.report.json", "S1.bam", "Z9.report.json", "rows.tsv"])
        const { exitCode } = readReport(project, "Z9.report.json")
        assert.strictEqual(exitCode, 66)
      }),
    limit
  )

  it.live(
    "a tool that ends with 75 is a temporary failure, after its outputs are there",
    () =>
      Effect.gen(function* () {
        const { env, project } = yield* ground(["--restoreDelay", "1h"])
        const job = { analyses: ["A1", "A2"], filetypes: ["vcf.gz"], restore: "force" }
        writeFileSync(join(project, "one.json"), JSON.stringify(job))
        const tool = join(project, "svc-steps/workflows/cwl/download.cwl")
        const one = yield* runCommand("cwltool", ["--no-container", ...preserve, tool, "one.json"], {
          cwd: project,
          env
        })
        assert.strictEqual(one.exitCode, 1, one.stderr)
        assert.include(one.stderr, "Final process status is temporaryFail")
        const there = readdirSync(project)
        assert.includeMembers(there, ["S1.vcf.gz", "awaiting-restoration.json", "report.json"])
        assert.notInclude(there, "S2.vcf.gz")
      }),
    limit
  )

  it.live(
    "L15 what was asked for and does not come fails its job, unless require_all is false; the others are done",
    () =>
      Effect.gen(function* () {
        const { env, project } = yield* ground()
        const cwltool = (...args: ReadonlyArray<string>) =>
          runCommand(
            "cwltool",
            [
              ...["--no-container", ...preserve, "--on-error", "continue"],
              ...[join(project, "svc-steps/workflows/cwl/downloads.cwl"), ...args]
            ],
            { cwd: project, env }
          )
        writeFileSync(join(project, "strict.json"), JSON.stringify({ analyses: ["A1", "A3"] }))
        const strict = yield* cwltool("strict.json")
        assert.strictEqual(strict.exitCode, 1, strict.stderr)
        assert.include(
          strict.stderr,
          "S3.bam (analysis A3): archived, and not restored: there is no terminal to ask on"
        )
        assert.include(strict.stderr, "Final process status is permanentFail")
        assert.strictEqual(readReport(project, "A3.report.json").exitCode, 66)
        assert.include(readdirSync(project), "S1.bam")
        writeFileSync(join(project, "some.json"), JSON.stringify({ analyses: ["A1", "A3"], require_all: false }))
        const some = yield* cwltool("some.json")
        assert.strictEqual(some.exitCode, 0, some.stderr)
        assert.strictEqual(readReport(project, "A3.report.json").exitCode, 0)
      }),
    limit
  )

  it.live(
    "S1 a wrong password is sent three times at most by a whole scatter; missing credentials, and a host that is not the service (69), are told apart",
    () =>
      Effect.gen(function* () {
        const { env, project, sandbox, tools } = yield* ground()
        const tool = (name: string) => join(project, "svc-steps/workflows/cwl", name)
        const cwltool = (args: ReadonlyArray<string>, variables: Readonly<Record<string, string>>) =>
          runCommand("cwltool", ["--no-container", ...preserve, "--on-error", "continue", ...args], {
            cwd: project,
            env: variables
          })
        const job = join(project, "job.json")
        writeFileSync(job, JSON.stringify({ analyses: ["A1", "A2", "A3"] }))
        const [wrong, missing, down] = yield* Effect.all(
          [
            cwltool([tool("downloads.cwl"), job], { ...env, SVC_PASSWORD: "guessed" }),
            cwltool([tool("fetch-annotations.cwl"), job], { ...tools, SVC_TARGET: sandbox.url }),
            cwltool([tool("download.cwl"), job], { ...env, SVC_TARGET: sandbox.linkHost })
          ],
          { concurrency: 3 }
        )
        assert.strictEqual(wrong.exitCode, 1, wrong.stderr)
        assert.include(wrong.stderr, "check user name and password")
        assert.include(wrong.stderr, "Final process status is permanentFail")
        yield* assertRefused(sandbox)
        assert.strictEqual(missing.exitCode, 1, missing.stderr)
        assert.include(missing.stderr, "SVC_USER")
        assert.strictEqual(down.exitCode, 1, down.stderr)
        assert.include(down.stderr, "Final process status is temporaryFail")
        assertNoPassword([project], wrong.stderr, missing.stderr, down.stderr)
      }),
    limit
  )

  it.live(
    "under svc-gateway a workflow of somebody else takes our BAM with its index for a tool that wants one, with one login",
    () =>
      Effect.gen(function* () {
        const { env, project, sandbox } = yield* ground()
        writeFileSync(
          join(project, "host.cwl"),
          `cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: {analyses: "string[]"}
steps:
  get: {run: svc-steps/workflows/cwl/download.cwl, in: {analyses: analyses}, out: [bams]}
  count:
    scatter: bam
    in: {bam: get/bams}
    out: [counts]
    run:
      class: CommandLineTool
      baseCommand: [samtools, view, -c]
      inputs:
        bam: {type: File, secondaryFiles: [.bai], inputBinding: {position: 1}}
        region: {type: string, default: "chr1:1-20000", inputBinding: {position: 2}}
      stdout: counts.txt
      outputs: {counts: stdout}
outputs:
  counts: {type: "File[]", outputSource: count/counts}
  bams: {type: "File[]", outputSource: get/bams}
`
        )
        const own = ["SVC_TARGET", "SVC_TOKEN", "SVC_SERVICE"].flatMap((name) => ["--preserve-environment", name])
        const cwltool = ["cwltool", "--no-container", ...own, "host.cwl", "--analyses", "A1", "--analyses", "A2"]
        const ran = yield* runCommand("svc-gateway", ["--", ...cwltool], { cwd: project, env })
        assert.strictEqual(ran.exitCode, 0, ran.stderr)
        assert.includeMembers(readdirSync(project), ["S1.bam", "S1.bam.bai", "S2.bam", "S2.bam.bai", "counts.txt"])
        assert.include(yield* assertQuiet(sandbox), { logins: 1 })
      }),
    limit
  )
})
