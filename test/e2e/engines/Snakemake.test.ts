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
        assert.include(readdirSync(join(example, "restored/A2")), "S2.vcf.gz")
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
        const { exitCode, stderr } = yield* runCommand(
          "snakemake",
          [...profile, target, "annotations/A2.jsonl", "api/get-person/LIMS-0001.json"],
          { cwd, env }
        )
        assert.strictEqual(exitCode, 0, stderr)
        const verified = yield* runCommand("svc-verify", ["data/A1"], { cwd, env })
        assert.strictEqual(verified.exitCode, 0, verified.stderr)
        assert.include(JSON.stringify(yield* assertQuiet(sandbox)), "bytes=")
        assert.isObject(JSON.parse(readFileSync(join(cwd, "api/get-person/LIMS-0001.json"), "utf8")))
        assertNoPassword([project], stderr)
      }),
    limit
  )

  it.live(
    "the linter has nothing to say; wrong settings and a table with a typo are named; a failed job says why without a profile too, and leaves what it said and its report",
    () =>
      Effect.gen(function* () {
        const { env, project } = yield* ground()
        const cwd = copyExample(project)
        const snakemake = (args: ReadonlyArray<string>) => runCommand("snakemake", args, { cwd, env })
        const linted = yield* snakemake(["--snakefile", "../Snakefile", "--lint"])
        assert.strictEqual(linted.exitCode, 0, linted.stderr)
        // YAML reads a bare no as false.
        writeFileSync(join(cwd, "no.yaml"), "table: samples.tsv\nrestore: no\n")
        const bareNo = yield* snakemake(["--configfile", "no.yaml", "-n", "-p", "data/A1/S1.bam"])
        assert.include(bareNo.stdout, "--restoreArchived no ", bareNo.stderr)
        const wrong = yield* snakemake(["--cores", "1", "--config", "restore=maybe", "--", "data/A1/S1.bam"])
        assert.include(wrong.stderr, "'maybe' is not one of ['no', 'force', False]")
        writeFileSync(join(cwd, "typo.tsv"), "analysis\tsampel\nA1\tS1\n")
        const typo = yield* snakemake(["--cores", "1", "--config", "table=typo.tsv", "--", "data/A1/S1.bam"])
        assert.include(typo.stderr, "'sample' is a required property")
        const failed = yield* snakemake(["--cores", "1", "data/Z9/S9.bam"])
        assert.strictEqual(failed.exitCode, 1)
        assert.match(failed.stderr, /^\S+ \[error\]: analysis Z9: not found/m)
        assert.match(readFileSync(join(cwd, "logs/download/Z9/S9.bam.log"), "utf8"), /analysis Z9: not found/)
        const report = readReport(cwd, "logs/download/Z9/S9.bam.report.json")
        assert.strictEqual(report.exitCode, 66)
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
