/** Snakemake with the module, profile and example of workflows/snakemake, as docs/snakemake.md shows them. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { fault, lingering, setFaults } from "../../SandboxFaults.ts"
import { partHasBytes } from "../Download.ts"
import { assertNoPassword, assertQuiet, assertRefused, followPage, ground, stopWhen } from "./Engines.ts"

/** Each test starts Snakemake several times, for seconds of CPU. */
const limit = 600_000

/** The example in the project; returns its folder. */
const copyExample = (project: string) => {
  cpSync(join(root, "workflows/snakemake"), join(project, "snakemake"), { recursive: true })
  return join(project, "snakemake/example")
}

const profile = ["--profile", "../profile", "--cores", "2"]

describe("Snakemake", () => {
  it.live(
    "S7 what docs/snakemake.md shows, beside another workflow of the account: pending ends one job, the next run finishes",
    () =>
      Effect.gen(function* () {
        const place = yield* ground(["--restoreDelay", "2s"])
        yield* setFaults(place.sandbox.url, [lingering(1000)])
        const other = copyExample(place.project)
        const targets = ["reads/A1/S1.tsv", "data/A2/S2.bam", "annotations/A3.json", "annotations/A2.jsonl"]
        const [followed, beside] = yield* Effect.all(
          [
            followPage("docs/snakemake.md", place),
            runCommand("snakemake", [...profile, ...targets], { cwd: other, env: place.env })
          ],
          { concurrency: 2 }
        )
        const { cwd, exitCode, text } = followed
        assert.strictEqual(exitCode, 0, text)
        assert.include(text, "1 restoration pending")
        const example = join(cwd, "snakemake/example")
        for (const sample of [1, 2, 3]) {
          assert.match(readFileSync(join(example, `reads/A${sample}/S${sample}.tsv`), "utf8"), /^chr/)
          assert.include(readFileSync(join(example, `annotations/A${sample}.tsv`), "utf8"), "\n")
        }
        assert.include(readdirSync(join(example, "restore/A2")), "S2.vcf.gz")
        // The workflow of the page: names that only the service knows, a rule under another name, and what has failed at the end.
        const own = join(cwd, "own")
        for (const analysis of ["A1", "A2"]) {
          assert.match(readFileSync(join(own, `reads/${analysis}.tsv`), "utf8"), /^\d+\n$/)
        }
        assert.deepStrictEqual(readdirSync(join(own, "targets/A1")), ["S1.ranged.bam", "S1.ranged.bam.bai"])
        assert.match(text, /analysis Z9: not found/)
        assert.strictEqual(beside.exitCode, 0, beside.stderr)
        assertNoPassword([cwd, place.project], text, beside.stderr)
        assert.include(yield* assertQuiet(place.sandbox), { failedLogins: 0 })
      }),
    limit
  )

  it.live(
    "P12 a job killed in mid-transfer is done again by the next run, and goes on where it stopped",
    () =>
      Effect.gen(function* () {
        const { env, project, sandbox } = yield* ground()
        const cwd = copyExample(project)
        yield* setFaults(sandbox.url, [fault({ plane: "link", file: "*.bam" }, { slow: 20_000 })])
        const target = "data/A1/S1.bam"
        yield* stopWhen("snakemake", [...profile, target], { cwd, env }, partHasBytes(join(cwd, "data/A1"), "S1.bam"))
        assert.isFalse(existsSync(join(cwd, target)))
        yield* setFaults(sandbox.url, [])
        // The lock of a Snakemake that was killed is left behind; its owner is asked to remove it.
        yield* runCommand("snakemake", ["--unlock", ...profile], { cwd, env })
        const { exitCode, stderr } = yield* runCommand("snakemake", [...profile, target, "annotations/A2.jsonl"], {
          cwd,
          env
        })
        assert.strictEqual(exitCode, 0, stderr)
        const verified = yield* runCommand("svc-verify", ["data/A1"], { cwd, env })
        assert.strictEqual(verified.exitCode, 0, verified.stderr)
        assert.include(JSON.stringify(yield* assertQuiet(sandbox)), "bytes=")
        assertNoPassword([project], stderr)
      }),
    limit
  )

  it.live(
    "the linter has nothing to say; regions of all files are handed on to a rule of the host; wrong settings and a table with a typo are named; a failed job says where its log is in at most 30 lines, and leaves what it said and its report",
    () =>
      Effect.gen(function* () {
        const { env, project } = yield* ground()
        const cwd = copyExample(project)
        const snakemake = (args: ReadonlyArray<string>) => runCommand("snakemake", args, { cwd, env })
        const linted = yield* snakemake(["--snakefile", "../Snakefile", "--lint"])
        assert.strictEqual(linted.exitCode, 0, linted.stderr)
        // YAML reads a bare no as false.
        writeFileSync(join(cwd, "no.yaml"), "table: samples.tsv\nsvc: {restore: no}\n")
        const bareNo = yield* snakemake(["--configfile", "no.yaml", "-n", "-p", "data/A1/S1.bam"])
        assert.include(bareNo.stdout, "--restoreArchived no ", bareNo.stderr)
        const wrong = yield* snakemake(["--cores", "1", "--config", "svc={restore: maybe}", "--", "data/A1/S1.bam"])
        assert.include(wrong.stderr, "'maybe' is not one of ['no', 'force', False]")
        writeFileSync(join(cwd, "typo.tsv"), "analysis\tsampel\nA1\tS1\n")
        const typo = yield* snakemake(["--cores", "1", "--config", "table=typo.tsv", "--", "data/A1/S1.bam"])
        assert.include(typo.stderr, "'sample' is a required property")
        // Regions for all files, which a rule of the host counts.
        const regions = ["--config", "svc={args: '--range chr1:1-20000'}", "--", "reads/A1/S1.ranged.tsv"]
        const ranged = yield* snakemake(["--cores", "1", ...regions])
        assert.strictEqual(ranged.exitCode, 0, ranged.stderr)
        assert.match(readFileSync(join(cwd, "reads/A1/S1.ranged.tsv"), "utf8"), /^chr1\t/)
        assert.includeMembers(readdirSync(join(cwd, "data/A1")), ["S1.ranged.bam", "S1.ranged.bam.bai"])
        // A comma separates ids.
        const refused = yield* snakemake(["--cores", "1", "data/A1,A2/S1.bam"])
        assert.strictEqual(refused.exitCode, 1)
        assert.match(refused.stderr, /No rule to produce/)
        const failed = yield* snakemake(["--cores", "1", "data/Z9/S9.bam"])
        assert.strictEqual(failed.exitCode, 1)
        const ofJob = failed.stderr.slice(failed.stderr.indexOf("localrule svc_download"))
        assert.isAtMost(ofJob.split("\n").length, 30, ofJob)
        assert.include(ofJob, "logs/download/Z9/S9.bam.log")
        assert.match(readFileSync(join(cwd, "logs/download/Z9/S9.bam.log"), "utf8"), /analysis Z9: not found/)
        const report = readReport(cwd, "logs/download/Z9/S9.bam.log.report.json")
        assert.strictEqual(report.exitCode, 66)
      }),
    limit
  )

  it.live(
    "below a prefix, beside a rule for data/{analysis}/{sample}.sorted.bam: an index under the name of Picard, odd ids; what does not come fails before its first byte",
    () =>
      Effect.gen(function* () {
        const names = ["-x", "quo'te $(touch y) [ü]"]
        const files = ["bam", "bai"].map((type) => ({
          name: `W.${type}`,
          copyOf: `A1/S1.bam${type === "bai" ? ".bai" : ""}`
        }))
        const { env, project, sandbox } = yield* ground(
          [],
          names.map((id) => ({ id, files }))
        )
        writeFileSync(
          join(project, "Snakefile"),
          `configfile: "config.yaml"

module svc:
    snakefile: "${join(root, "workflows/snakemake/Snakefile")}"
    config: config
    prefix: "ext"

use rule * from svc as svc_*

rule sort:
    input: "ext/data/{analysis}/{sample}.bam"
    output: "ext/data/{analysis}/{sample}.sorted.bam"
    shell: "samtools sort -o {output:q} {input:q}"
`
        )
        writeFileSync(join(project, "config.yaml"), JSON.stringify({ svc: {} }))
        const snakemake = (targets: ReadonlyArray<string>, more = {}) =>
          runCommand("snakemake", ["--cores", "1", "--keep-going", "--", ...targets], {
            cwd: project,
            env: { ...env, ...more }
          })
        const whole = [...names.map((id) => `ext/data/${id}/W.bam`), "ext/data/A1/S1.sorted.bam"]
        const good = yield* snakemake(whole)
        assert.strictEqual(good.exitCode, 0, good.stderr)
        for (const id of names)
          assert.includeMembers(readdirSync(join(project, "ext/data", id)), ["W.bam", "W.bam.bai"])
        assert.isFalse(existsSync(join(project, "y")))
        const before = (yield* assertQuiet(sandbox))["linkBytes"]
        const left = yield* snakemake(["ext/data/A3/S3.bam"])
        assert.strictEqual(left.exitCode, 1)
        assert.include(
          readFileSync(join(project, "ext/logs/download/A3/S3.bam.log"), "utf8"),
          "S3.bam (analysis A3): archived, and not restored: the restore mode is no"
        )
        assert.strictEqual((yield* assertQuiet(sandbox))["linkBytes"], before)

        // Another service: what is there is not taken for its files.
        const other = yield* runCommand("snakemake", ["-n", "--cores", "1", "--", ...whole], {
          cwd: project,
          env: { ...env, SVC_TARGET: "https://other.example.org" }
        })
        assert.match(other.stdout, /svc_download +3/)
      }),
    limit
  )

  it.live(
    "S1 a wrong password is sent three times at most; missing credentials and a service that is down end the run and say so",
    () =>
      Effect.gen(function* () {
        const { credentials, env, project, sandbox, tools } = yield* ground()
        const { SVC_PASSWORD: _, ...rest } = credentials
        const run = (folder: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
          runCommand("snakemake", [...profile, ...args], { cwd: copyExample(join(project, folder)), env })
        const [wrong, missing, down] = yield* Effect.all(
          [
            run("wrong", [], { ...env, SVC_PASSWORD: "guessed" }),
            run("missing", [], { ...tools, ...rest }),
            run("down", ["data/A1/S1.bam"], { ...env, SVC_TARGET: "http://127.0.0.1:9" })
          ],
          { concurrency: 3 }
        )
        assert.strictEqual(wrong.exitCode, 1)
        assert.include(wrong.stderr, "exit status 77")
        assert.include(wrong.stderr, "check user name and password")
        yield* assertRefused(sandbox)
        assert.strictEqual(missing.exitCode, 1)
        assert.match(missing.stderr, /SVC_PASSWORD/)
        assert.strictEqual(down.exitCode, 1)
        assert.include(down.stderr, "exit status 69")
        assert.include(down.stderr, "is unavailable: connection refused")
        assert.isFalse(existsSync(join(project, "down/snakemake/example/data/A1/S1.bam")))
      }),
    limit
  )
})
