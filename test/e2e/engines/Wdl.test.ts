/** The WDL tasks and workflows with miniwdl, run as plain processes (miniwdl-host), as docs/cwl-wdl.md shows them. */
import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import {
  assertNoPassword,
  assertQuiet,
  assertRefused,
  filesBelow,
  followPage,
  ground,
  isCold,
  password
} from "./Engines.ts"

const limit = 600_000

/** What a run says in its `outputs.json`. */
const outputsOf = (folder: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(folder, "outputs.json"), "utf8"))

const names = (paths: unknown): ReadonlyArray<string> => {
  if (!Array.isArray(paths)) return assert.fail("not a list of files")
  return paths.map((path) => basename(String(path))).sort()
}

describe("WDL", () => {
  it.live(
    "what docs/cwl-wdl.md shows: pending analyses are left out, the others are done, and the second workflow waits",
    () =>
      Effect.gen(function* () {
        const place = yield* ground(["--restoreDelay", "2s"])
        const { cwd, exitCode, text } = yield* followPage("docs/cwl-wdl.md", place, "WDL")
        assert.strictEqual(exitCode, 0, text)
        const first = outputsOf(join(cwd, "first"))
        assert.includeMembers([...names(first["downloads.files"])], ["S1.bam", "S1.bam.bai", "S2.bam", "S2.bam.bai"])
        assert.notInclude(names(first["downloads.files"]), "S3.bam")
        assert.deepStrictEqual(names(first["downloads.restorations"]), ["awaiting-restoration.json"])
        assert.match(readFileSync(String(first["downloads.annotations"]), "utf8"), /\n.*\tA?/)
        const second = outputsOf(join(cwd, "second"))
        assert.include(names(second["resume_restore.files"]), "S3.bam")
        const [pair] = second["resume_restore.bams"] as ReadonlyArray<Record<string, string>>
        assert.deepStrictEqual(names(Object.values(pair ?? {})), ["S3.bam", "S3.bam.bai"])
        assert.strictEqual(second["resume_restore.pending"], false)
        assert.match(text, /Z9: .*analysis Z9: not found/)
        const { "downloads.failures": failures, "downloads.reports": reports } = outputsOf(join(cwd, "rest"))
        assert.lengthOf(failures as ReadonlyArray<string>, 1)
        assert.lengthOf(names(reports), 2)
        const third = outputsOf(join(cwd, "third"))
        // Two seconds may pass between the two tasks, or not.
        assert.strictEqual(third["restore.pending"], !names(third["restore.files"]).includes("S2.vcf.gz"))
        assert.include(yield* assertQuiet(place.sandbox), { failedLogins: 0 })
        assertNoPassword([cwd], text)
      }),
    limit
  )

  it.live(
    "what did not come is a failure with its reason, and no shell reads an id",
    () =>
      Effect.gen(function* () {
        const id = "quo'te $(touch y) -x"
        const files = ["bam", "bam.bai"].map((type) => ({ name: `W.${type}`, copyOf: `A1/S1.${type}` }))
        const { credentials, project, tools } = yield* ground([], [{ id, files }])
        const path = join(project, "credentials.json")
        const [target, username] = [credentials.SVC_TARGET, credentials.SVC_USER]
        writeFileSync(path, JSON.stringify({ target, username, password }), { mode: 0o600 })
        writeFileSync(
          join(project, "inputs.json"),
          JSON.stringify({ settings: path, analyses: ["A3", id], keep_going: true })
        )
        const workflow = join(root, "workflows/wdl/downloads.wdl")
        const args = ["run", "--dir", "run/.", "--input", "inputs.json", workflow]
        const { exitCode, stderr } = yield* runCommand("miniwdl", args, { cwd: project, env: tools })
        assert.strictEqual(exitCode, 0, stderr)
        const { "downloads.failures": failures, "downloads.files": came } = outputsOf(join(project, "run"))
        assert.match(
          (failures as ReadonlyArray<string>).join("\n"),
          /^A3: .*S3\.bam \(analysis A3\): archived, and not restored: .*$/
        )
        assert.includeMembers([...names(came)], ["W.bam", "W.bam.bai"])
        assert.deepStrictEqual(
          filesBelow(project).filter((file) => basename(file) === "y"),
          []
        )
      }),
    limit
  )

  it.live(
    "under svc-gateway a workflow of somebody else takes our BAM with its index for a task that wants both, with one login",
    () =>
      Effect.gen(function* () {
        const { env, project, sandbox } = yield* ground()
        writeFileSync(
          join(project, "host.wdl"),
          `version 1.1
import "svc-steps/workflows/wdl/svc.wdl" as svc

task count {
  input {
    Pair[File, File] reads
  }
  command <<< samtools view -c '~{reads.left}' chr1 >>>
  output {
    Int count = read_int(stdout())
  }
}

workflow host {
  input {
    File settings
  }
  scatter (analysis in ["A1", "A2"]) {
    call svc.download { input: settings, analyses = [analysis] }
    scatter (reads in download.bams) {
      call count { input: reads }
    }
  }
  output {
    Array[Int] counts = flatten(count.count)
    Array[Pair[File, File]] bams = flatten(download.bams)
  }
}
`
        )
        // Of the command's environment a task of WDL sees nothing: address and token come by the file.
        const script = `umask 077
printf '{"target": "%s", "token": "%s", "service": "%s"}' "$SVC_TARGET" "$SVC_TOKEN" "$SVC_SERVICE" > settings.json
exec miniwdl run --dir run/. host.wdl settings=settings.json`
        const ran = yield* runCommand("svc-gateway", ["--", "sh", "-c", script], { cwd: project, env })
        assert.strictEqual(ran.exitCode, 0, ran.stderr)
        const { "host.bams": bams, "host.counts": counts } = outputsOf(join(project, "run"))
        assert.lengthOf(counts as ReadonlyArray<number>, 2)
        assert.isAbove((counts as ReadonlyArray<number>)[0] ?? 0, 0)
        assert.deepStrictEqual(
          (bams as ReadonlyArray<Record<string, string>>).map(({ left = "", right = "" }) => [
            basename(left),
            basename(right)
          ]),
          [
            ["S1.bam", "S1.bam.bai"],
            ["S2.bam", "S2.bam.bai"]
          ]
        )
        assert.include(yield* assertQuiet(sandbox), { logins: 1 })
      }),
    limit
  )

  it.live(
    "a restoration that stays pending is a success that says so, and one that its store has in cold storage is none",
    () =>
      Effect.gen(function* () {
        const restore = ({ credentials, project, tools }: Effect.Success<ReturnType<typeof ground>>) => {
          const path = join(project, "credentials.json")
          const [target, username] = [credentials.SVC_TARGET, credentials.SVC_USER]
          writeFileSync(path, JSON.stringify({ target, username, password }), { mode: 0o600 })
          const workflow = join(root, "workflows/wdl/restore.wdl")
          const args = ["run", "--dir", "run/.", workflow, `settings=${path}`, "analyses=A3", "analyses=A1"]
          return runCommand("miniwdl", args, { cwd: project, env: tools })
        }
        const cold = yield* ground(["--restoreDelay", "1ms"])
        yield* isCold(cold.sandbox)
        const failed = yield* restore(cold)
        assert.notStrictEqual(failed.exitCode, 0, failed.stderr)
        assert.include(failed.stderr, "75")
        const slow = yield* ground(["--restoreDelay", "1h"])
        const { project, sandbox } = slow
        const { exitCode, stderr } = yield* restore(slow)
        assert.strictEqual(exitCode, 0, stderr)
        const outputs = outputsOf(join(project, "run"))
        assert.strictEqual(outputs["restore.pending"], true)
        const stored = JSON.parse(readFileSync(String(outputs["restore.still_pending"]), "utf8"))
        assert.lengthOf(stored, 1)
        // What waits for another service is in the file too, and is not pending here.
        const elsewhere = { ...stored[0], target: "https://other.example.org/" }
        writeFileSync(join(project, "foreign.json"), JSON.stringify([elsewhere]), { mode: 0o600 })
        const tasks = join(root, "workflows/wdl/svc.wdl")
        const inputs = [`settings=${join(project, "credentials.json")}`, "restorations=foreign.json"]
        const args = ["run", "--dir", "foreign/.", "--task", "resume_restore", tasks, ...inputs]
        const foreign = yield* runCommand("miniwdl", args, { cwd: project, env: slow.tools })
        assert.strictEqual(foreign.exitCode, 0, foreign.stderr)
        assert.strictEqual(outputsOf(join(project, "foreign"))["resume_restore.pending"], false)
        yield* assertQuiet(sandbox)
        assertNoPassword([project], stderr)
      }),
    limit
  )

  it.live(
    "S1 a wrong password is sent three times at most by a whole scatter, and nothing is tried again",
    () =>
      Effect.gen(function* () {
        const { project, sandbox, tools } = yield* ground()
        const credentials = { target: sandbox.url, username: "pipeline", password: "gu3ssed-wr0ng" }
        const inputs = [`settings=${join(project, "credentials.json")}`, "analyses=A1", "analyses=A2", "analyses=A4"]
        writeFileSync(join(project, "credentials.json"), JSON.stringify(credentials), { mode: 0o600 })
        const workflow = join(root, "workflows/wdl/downloads.wdl")
        const { exitCode, stderr } = yield* runCommand(
          "miniwdl",
          ["run", "--verbose", "--dir", "run/.", workflow, ...inputs],
          {
            cwd: project,
            env: tools
          }
        )
        assert.notStrictEqual(exitCode, 0)
        assert.include(stderr, "check user name and password")
        yield* assertRefused(sandbox)
        const kept = filesBelow(project).filter((path) => basename(path) !== "credentials.json")
        assert.deepStrictEqual(
          kept.filter((path) => readFileSync(path).includes("gu3ssed-wr0ng")),
          []
        )
      }),
    limit
  )
})
