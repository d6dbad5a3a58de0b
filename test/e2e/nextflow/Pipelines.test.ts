/** The pipelines of workflows/nextflow, stubbed and for real, with an account from Nextflow's own store of secrets. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { lingering } from "../../SandboxFaults.ts"
import { folder, sha256 } from "../Ground.ts"
import { filesBelow, type LaunchPad, launchPad, type Run, workflows } from "./Nextflow.ts"
import { account, ids, sheet, trace, writeWorld } from "./Samples.ts"

const nobody = { SVC_USER: "", SVC_PASSWORD: "" }
const known = { SVC_USER: account.user, SVC_PASSWORD: account.password }
const statuses = (run: Run) => run.tasks.map(({ name, status }) => `${status} ${name}`).sort()
const output = (run: Run) => run.stdout + run.stderr

/** Every file of the launch folder, work folders, logs and reports included, in which the password stands. */
const leaks = (pad: LaunchPad) =>
  filesBelow(pad.folder).filter((path) => readFileSync(join(pad.folder, path)).includes(trace))

const tenAnalyses = Effect.fnUntraced(function* (args: ReadonlyArray<string> = []) {
  const world = writeWorld(yield* folder)
  return yield* launchPad(["--strict", "--world", world, ...args])
})

describe("parameters and sample sheets", () => {
  it("the schema names the parameters of nextflow.config with their defaults", () => {
    const config = /^params \{\n(.*?)^\}/ms.exec(readFileSync(join(workflows, "nextflow.config"), "utf8"))?.[1] ?? ""
    const schema = JSON.parse(readFileSync(join(workflows, "nextflow_schema.json"), "utf8"))
    const described = Object.values<{ properties: Record<string, { default?: unknown }> }>(schema.$defs)
      .flatMap(({ properties }) => Object.entries(properties))
      .map(([name, { default: value = null }]) => [name, value])
    const set = [...config.matchAll(/^ +(\w+) += (.*)$/gm)].map(([, name, value = ""]) => [
      name,
      value.startsWith("System.getenv(") ? null : JSON.parse(value.replaceAll("'", '"'))
    ])
    assert.deepStrictEqual(new Map(described as never), new Map(set as never))
  })
})

describe("main.nf", () => {
  it.live(
    "S7 S10 goes from a sample sheet to files with any password, kept out of everything it writes, and resumes from its cache",
    () =>
      Effect.gen(function* () {
        const pad = yield* tenAnalyses()
        yield* pad.faults([lingering(2000)])
        pad.write("twice.csv", "id,analysis,colour\none,A1,red\none,,\na/b,A2,\n")
        const refused = yield* pad.run("main.nf", ["--input", "twice.csv"], nobody)
        assert.notStrictEqual(refused.exitCode, 0)
        for (const part of [
          /the column colour is unknown/,
          /one has neither analysis nor sample nor lims/,
          /the id 'a\/b' cannot name a folder/,
          /the id one comes twice/
        ]) {
          assert.match(output(refused), part)
        }

        pad.write(
          "samples.csv",
          "id,analysis,sample,lims,range,bed,filetypes\n" +
            "whole,A1,,,,,\nvariants,,S2,,,,vcf.gz;vcf.gz.tbi\nslice,A1,,,chr1:1-20000,,bam\nold,B5,,,,,\nabsent,Z9,,,,,\n"
        )
        for (const [name, value] of Object.entries(known)) {
          const set = yield* pad.nextflow(["secrets", "set", name, value])
          assert.strictEqual(set.exitCode, 0, set.stderr)
        }
        // Without the limit of one task at a time, the lock of the account alone keeps them apart. Nextflow wants the profile here too.
        const own = pad.write(
          "own.config",
          "profiles { secrets { process { withLabel: svc_session { maxForks = 5 } } } }\n"
        )
        const args = ["--input", "samples.csv", "-profile", "secrets", "-c", own]
        const reports = ["-with-report", "report.html", "-with-timeline", "timeline.html"]
        const run = yield* pad.run("main.nf", [...args, ...reports], nobody)
        // What is not there fails the run, and not the other rows.
        assert.notStrictEqual(run.exitCode, 0, output(run))
        assert.deepStrictEqual(statuses(run), [
          "COMPLETED SVC_DOWNLOAD (slice)",
          "COMPLETED SVC_DOWNLOAD (variants)",
          "COMPLETED SVC_DOWNLOAD (whole)",
          "FAILED SVC_DOWNLOAD (absent)",
          "FAILED SVC_DOWNLOAD (old)"
        ])
        assert.deepStrictEqual(
          run.tasks.filter(({ exit }) => exit !== 0).map(({ exit }) => exit),
          [66, 66]
        )
        for (const sentence of [
          /^SVC_DOWNLOAD \(absent\): analysis Z9: not found/m,
          /^SVC_DOWNLOAD \(old\): B5\.bam \(analysis B5\): archived, and not restored: /m
        ]) {
          assert.match(run.stderr, sentence)
        }
        const results = join(pad.folder, "results")
        const files: ReadonlyArray<string> = ["slice/S1.ranged.bam", "slice/S1.ranged.bam.bai"].concat([
          ...["variants/S2.vcf.gz", "variants/S2.vcf.gz.tbi"],
          ...["whole/S1.bam", "whole/S1.bam.bai"]
        ])
        assert.deepStrictEqual(filesBelow(results), [
          "files.csv",
          "pipeline_info/versions.yml",
          "slice.report.json",
          ...files.slice(0, 2),
          "variants.report.json",
          ...files.slice(2, 4),
          "whole.report.json",
          ...files.slice(4)
        ])
        // Nothing is copied: the work folder has the same file.
        assert.strictEqual(statSync(join(results, "whole/S1.bam")).nlink, 2)
        const table = readFileSync(join(results, "files.csv"), "utf8")
        assert.deepStrictEqual(table.trim().split("\n"), [
          "id,file",
          ...files.map((path) => `${path.split("/")[0]},${join(results, path)}`)
        ])
        const before = yield* pad.stats
        assert.strictEqual(before.failedLogins, 0)
        assert.deepStrictEqual([before.maxApiInFlight, before.overlaps], [1, 0])

        const again = yield* pad.run("main.nf", [...args, "-resume"], nobody)
        assert.deepStrictEqual(
          statuses(again).filter((line) => !line.startsWith("CACHED")),
          ["FAILED SVC_DOWNLOAD (absent)", "FAILED SVC_DOWNLOAD (old)"]
        )
        assert.strictEqual(again.tasks.length, 5)
        assert.strictEqual(readFileSync(join(results, "files.csv"), "utf8"), table)

        // Each row is among the files or among the missing, with its reason; no byte of a row comes that is not whole.
        const allowed = yield* pad.run("main.nf", [...args, "-resume", "--allow_missing"], nobody)
        assert.strictEqual(allowed.exitCode, 0, output(allowed))
        assert.match(output(allowed), /old: missing: B5\.bam/)
        assert.deepStrictEqual(
          filesBelow(results).filter((path) => /absent|old|missing/.test(path)),
          ["absent.report.json", "missing.csv", "old.report.json"]
        )
        assert.match(
          readFileSync(join(results, "missing.csv"), "utf8"),
          /^id,reason\nabsent,"analysis Z9: not found .*"\nold,"B5\.bam \(analysis B5\): archived, .*"\n$/
        )
        assert.isUndefined((yield* pad.stats).files["B5/B5.bam.bai"])

        assert.deepStrictEqual(leaks(pad), [])
      }),
    600_000
  )
})

describe("-profile test", () => {
  it.live(
    "needs nothing but the sandbox: in a shell that knows neither the service nor the steps, in one command",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad()
        const env = { PATH: "/usr/bin:/bin", SVC_TARGET: "", ...nobody }
        const run = yield* pad.run(workflows, ["-profile", "test"], env)
        assert.strictEqual(run.exitCode, 0, output(run))
        assert.includeMembers(
          [...filesBelow(join(pad.folder, "results-test"))],
          ["files.csv", "whole/S1.bam", "variants/S2.vcf.gz", "region/S1.ranged.bam", "region/S1.ranged.bam.bai"]
        )
        assert.strictEqual((yield* pad.stats).logins, 0)
      }),
    600_000
  )
})

describe("restore.nf", () => {
  it.live(
    "a pending restoration in the middle of ten analyses: the nine others come, and what is awaited is written down",
    () =>
      Effect.gen(function* () {
        const pad = yield* tenAnalyses(["--restoreDelay", "1h"])
        pad.write("samples.csv", sheet())
        pad.write("one.csv", sheet(["B1"]))
        const stub = yield* pad.run("restore.nf", ["--input", "one.csv", "--outdir", "stub", "-stub"], nobody)
        assert.strictEqual(stub.exitCode, 0, output(stub))

        const run = yield* pad.run("restore.nf", ["--input", "samples.csv"], known)
        assert.strictEqual(run.exitCode, 0, output(run))
        assert.match(output(run), /Pending: B5\.bam \(B5\)\. Run again later with --tracking/)
        const results = join(pad.folder, "results")
        const whole = sha256(join(results, "rB1", "B1.bam"))
        for (const id of ids.filter((id) => id !== "B5")) {
          assert.strictEqual(sha256(join(results, `r${id}`, `${id}.bam`)), whole, id)
        }
        const pendingFile = join(results, "restored.awaiting-restoration.json")
        const pending = JSON.parse(readFileSync(pendingFile, "utf8"))
        assert.deepStrictEqual(
          pending.map(({ fileName }: { fileName: string }) => fileName),
          ["B5.bam"]
        )
        const { overlaps, restores } = yield* pad.stats
        assert.deepStrictEqual({ overlaps, restores }, { overlaps: 0, restores: 1 })

        // A request to another service is not pending here.
        const elsewhere = { ...pending[0], fileName: "E1.bam", target: "https://other.example.org/" }
        writeFileSync(pendingFile, JSON.stringify([...pending, elsewhere]))
        const args = ["--tracking", pendingFile, "--outdir", "later", "--wait", "1s", "--poll", "1s"]
        const later = yield* pad.run("restore.nf", args, known)
        assert.strictEqual(later.exitCode, 0, output(later))
        assert.match(output(later), /Pending: B5\.bam \(B5\)\. Run again later with --tracking/)
        assert.deepStrictEqual(statuses(later), ["COMPLETED SVC_RESUMERESTORE (restored)"])
        const script = readFileSync(join(pad.workFolder(later.tasks[0]), ".command.sh"), "utf8")
        assert.include(script, "--wait='1s' --poll='1s' --pendingOk")
        assert.strictEqual((yield* pad.stats).restores, 1)
        assert.deepStrictEqual(leaks(pad), [])
      }),
    600_000
  )
})
