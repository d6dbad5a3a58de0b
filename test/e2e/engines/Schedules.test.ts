/** The schedules of workflows/schedules: each is read by its own parser where there is one, and the command in it is run. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Outcome, runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { words } from "../../Words.ts"
import { stats } from "../Download.ts"
import { folder } from "../Ground.ts"
import { assertNoPassword, assertQuiet, followPage, ground, isCold, password, setFaults } from "./Engines.ts"

const limit = 600_000
const text = (name: string) => readFileSync(join(root, "workflows/schedules", name), "utf8")

type Place = Effect.Success<ReturnType<typeof ground>>

const configOf = (home: string) => join(home, ".config/svc-steps/config.json")

/** A folder as a schedule expects it at /srv/svc, the home of its user: restorations asked for just now, and the configuration file. */
const workFolder = Effect.fnUntraced(function* ({ env, project, sandbox }: Place) {
  yield* Effect.promise(() => fetch(`${sandbox.url}/__sandbox/reset`, { method: "POST" }))
  const cwd = mkdtempSync(join(project, "srv-"))
  mkdirSync(dirname(configOf(cwd)), { recursive: true })
  writeFileSync(configOf(cwd), JSON.stringify({ target: sandbox.url, username: "pipeline", password }), { mode: 0o600 })
  const asked = yield* runCommand("svc-request-restore", ["A3"], { cwd, env })
  assert.strictEqual(asked.exitCode, 0, asked.stderr)
  return cwd
})

/** The same for nightly.sh, and a night as cron starts it. */
const nightOf = Effect.fnUntraced(function* (place: Place) {
  const cwd = yield* workFolder(place)
  mkdirSync(join(cwd, "data"))
  const { PATH, SVC_LOCK_DIR } = place.tools
  writeFileSync(join(cwd, "nightly.sh"), text("nightly.sh").replace("PATH=/usr/local/bin", `PATH=${PATH}`), {
    mode: 0o755
  })
  // As in /etc/cron.daily.
  const script = join(mkdtempSync(join(place.project, "cron-")), "nightly")
  symlinkSync(join(cwd, "nightly.sh"), script)
  // What cron gives.
  const env = { HOME: cwd, SVC_LOCK_DIR, LOGNAME: "svc", SHELL: "/bin/sh", PATH: "/usr/bin:/bin" }
  return { cwd, env, script, night: runCommand(script, [], { cwd: "/", env }) }
})

/** The keys of a unit file; of a key that comes twice, the last. */
const unit = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key = "", value = ""]) => [key, value]))

/** Runs a Python program of a few lines on the packages of the engines; it prints JSON. */
const python = Effect.fnUntraced(function* (program: string, file: string, { env }: Place) {
  const args = ["-c", program, join(root, "workflows/schedules", file)]
  const { exitCode, stderr, stdout } = yield* runCommand("python3", args, { env })
  assert.strictEqual(exitCode, 0, stderr)
  return JSON.parse(stdout)
})

/** The keyword arguments of the calls in a Python file that are literals, by the name of what is called. */
const readCalls = `
import ast, json, sys
calls = {}
for node in ast.walk(ast.parse(open(sys.argv[1]).read())):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        values = {k.arg: k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)}
        calls.setdefault(node.func.id, {}).update(values)
print(json.dumps(calls))`

const readYaml = `
import json, sys, yaml
print(json.dumps(yaml.safe_load(open(sys.argv[1]))))`

/** Each schedule: the command in it, run in `cwd` as the scheduler would. */
const schedules: ReadonlyArray<{
  readonly name: string
  readonly run: (cwd: string, place: Place) => Effect.Effect<Outcome>
}> = [
  {
    name: "cron",
    run: (cwd, { tools }) => {
      const [line = ""] = text("crontab")
        .split("\n")
        .filter((line) => /^[\d*]/.test(line))
      const command = line.split(" ").slice(5).join(" ").replaceAll("/srv/svc", cwd)
      return runCommand("sh", ["-c", command], { env: { ...tools, HOME: cwd } })
    }
  },
  {
    name: "systemd",
    run: (cwd, { tools }) => {
      const { ExecStart = "" } = unit("svc-resume-restore.service")
      mkdirSync(join(cwd, "credentials"))
      writeFileSync(join(cwd, "credentials/settings.json"), readFileSync(configOf(cwd)), {
        mode: 0o400
      })
      const command = ExecStart.replaceAll("/srv/svc", cwd)
        .replace("/usr/local/bin/", "")
        // biome-ignore lint/suspicious/noTemplateCurlyInString: systemd's.
        .replace("${CREDENTIALS_DIRECTORY}", join(cwd, "credentials"))
      return runCommand("sh", ["-c", command], { cwd, env: tools })
    }
  },
  {
    name: "Kubernetes",
    run: (cwd, place) =>
      Effect.gen(function* () {
        const job = (yield* python(readYaml, "cronjob.yaml", place)).spec.jobTemplate.spec.template.spec.containers[0]
        const secrets: Readonly<Record<string, string>> = { user: "pipeline", password }
        const env = job.env.map((entry: EnvEntry) => [
          entry.name,
          (entry.value ?? secrets[entry.valueFrom.secretKeyRef.key] ?? "")
            .replace("https://lab.example.org", place.sandbox.url)
            .replace("/data", cwd)
        ])
        const args = job.args.map((arg: string) => arg.replace("/data", cwd))
        return yield* runCommand("svc-steps", args, { cwd: root, env: { ...place.tools, ...Object.fromEntries(env) } })
      })
  },
  {
    name: "Airflow",
    run: (cwd, place) =>
      Effect.gen(function* () {
        const { BashOperator } = yield* python(readCalls, "airflow_dag.py", place)
        assert.strictEqual(BashOperator.cwd, "/srv/svc")
        return yield* runCommand("bash", ["-c", BashOperator.bash_command], { cwd, env: place.env })
      })
  }
]

interface EnvEntry {
  readonly name: string
  readonly value?: string
  readonly valueFrom: { readonly secretKeyRef: { readonly key: string } }
}

describe("schedules", () => {
  it.live(
    "the command of each: ends well while something is pending, fetches it when it is back, and fails when its store has it in cold storage",
    () =>
      Effect.gen(function* () {
        const slow = yield* ground(["--restoreDelay", "1h"])
        const fast = yield* ground(["--restoreDelay", "1ms"])
        for (const { name, run } of schedules) {
          const waiting = yield* workFolder(slow)
          const first = yield* run(waiting, slow)
          assert.strictEqual(first.exitCode, 0, `${name}: ${first.stderr}`)
          assert.notInclude(readdirSync(waiting), "S3.bam", name)
          const back = yield* workFolder(fast)
          const second = yield* run(back, fast)
          assert.strictEqual(second.exitCode, 0, `${name}: ${second.stderr}`)
          assert.includeMembers(readdirSync(back), ["S3.bam", "S3.bam.bai"], name)
          assert.deepStrictEqual(JSON.parse(readFileSync(join(back, "awaiting-restoration.json"), "utf8")), [], name)
          yield* assertQuiet(fast.sandbox)
          const cold = yield* workFolder(fast)
          yield* isCold(fast.sandbox)
          const third = yield* run(cold, fast)
          assert.strictEqual(third.exitCode, 75, `${name}: ${third.stderr}`)
        }
        assertNoPassword([slow.project, fast.project])
      }),
    limit
  )

  it.live(
    "nightly.sh: all that there is, in silence, as cron starts it; then only what is new, and says what is wrong",
    () =>
      Effect.gen(function* () {
        const place = yield* ground(["--restoreDelay", "1ms"])
        const { cwd, env, night, script } = yield* nightOf(place)
        const quiet = { exitCode: 0, stdout: "", stderr: "" }
        const first = yield* night
        assert.deepStrictEqual(first, { ...first, ...quiet })
        assert.includeMembers(readdirSync(cwd), ["S3.bam", "S3.bam.bai"])
        assert.includeMembers(readdirSync(join(cwd, "data")), ["S1.bam", "S1.vcf.gz", "S2.bam.bai"])
        assert.include(readFileSync(join(cwd, "samples.csv"), "utf8"), `A1,S1,LIMS-0001,${cwd}/data/S1.bam,`)
        const { linkBytes } = yield* stats({ ...place.sandbox, user: "", password: "" })
        const second = yield* night
        assert.deepStrictEqual(second, { ...second, ...quiet })
        assert.deepInclude(yield* assertQuiet(place.sandbox), { linkBytes })

        // A service that has moved leaves requests to its old address.
        const stored = join(cwd, "awaiting-restoration.json")
        const times = { requestTime: "2020-01-01T00:00:00Z", restoreEstimation: null }
        const old = { analysisId: "A3", fileName: "S3.bam", target: "https://old.example.org/", ...times }
        writeFileSync(stored, JSON.stringify([old]), { mode: 0o600 })
        const moved = yield* night
        assert.deepInclude(moved, { exitCode: 0, stdout: "" })
        assert.match(moved.stderr, /^\S+ \[warn\]: .* for https:\/\/old\.example\.org\/ overdue, .*\n$/)
        writeFileSync(stored, "[]")

        // The night before is still at work.
        const held = yield* runCommand("flock", [join(cwd, "nightly.lock"), script], { cwd: "/", env })
        assert.deepInclude(held, { exitCode: 75, stdout: "" })
        assert.match(held.stderr, /still at work/)

        // One file that is not what the service lists, beside analyses without any.
        writeFileSync(join(cwd, "data/S1.bam"), "other")
        const differs = yield* night
        assert.strictEqual(differs.exitCode, 73, differs.stderr)
        assert.match(
          differs.stderr,
          /^data\/S1\.bam exists with .*; move it away, .*\nsvc-download ended with 73; see nightly\.log\n$/
        )

        // A password that is wrong is sent by one step of the night.
        writeFileSync(
          configOf(cwd),
          JSON.stringify({ target: place.sandbox.url, username: "pipeline", password: "wrong" })
        )
        const refused = yield* night
        assert.strictEqual(refused.exitCode, 77, refused.stderr)
        assert.match(refused.stderr, /^Error: .* refused the login of pipeline.*\nsvc-api ended with 77;/)
        assert.deepInclude(yield* stats({ ...place.sandbox, user: "", password: "" }), { failedLogins: 1 })
        assertNoPassword([cwd])
      }),
    limit
  )

  it.live(
    "nightly.sh: a step that fails keeps no other from its work, and the code of the first is that of the night; a missing tool is said",
    () =>
      Effect.gen(function* () {
        const place = yield* ground(["--restoreDelay", "1ms"])
        const { cwd, env, night, script } = yield* nightOf(place)
        const stored = join(cwd, "awaiting-restoration.json")
        writeFileSync(stored, JSON.stringify([...JSON.parse(readFileSync(stored, "utf8")), { fileName: "of-nothing" }]))
        yield* setFaults(place.sandbox, [{ when: { endpoint: "getAnalyses" }, then: { status: 422 } }])
        const unlisted = yield* night
        assert.strictEqual(unlisted.exitCode, 65, unlisted.stderr)
        assert.match(unlisted.stderr, /\nsvc-api ended with 65;.*\n(?:.*\n)*svc-resume-restore ended with 65;/)
        assert.includeMembers(readdirSync(cwd), ["S3.bam", "S3.bam.bai"])
        assert.deepStrictEqual(readdirSync(join(cwd, "data")), [])
        yield* setFaults(place.sandbox, [])
        writeFileSync(join(cwd, "data/S1.bam"), "other")
        const listed = yield* night
        assert.strictEqual(listed.exitCode, 65, listed.stderr)
        assert.match(
          listed.stderr,
          /\nsvc-resume-restore ended with 65;.*\n.*S1\.bam exists.*\nsvc-download ended with 73;/
        )
        assert.includeMembers(readdirSync(join(cwd, "data")), ["S1.vcf.gz", "S2.bam", "S2.bam.bai"])
        // By a link beside whose own folder it lies, as in two labs that share one script, it works there.
        const lab = join(cwd, "lab")
        mkdirSync(join(lab, "data"), { recursive: true })
        symlinkSync(join(cwd, "nightly.sh"), join(lab, "nightly"))
        writeFileSync(join(lab, "config.json"), "no settings", { mode: 0o600 })
        const own = { ...env, SVC_CONFIG: join(lab, "config.json") }
        const wrong = yield* runCommand(join(lab, "nightly"), [], { cwd: "/", env: own })
        assert.strictEqual(wrong.exitCode, 78, wrong.stderr)
        assert.includeMembers(readdirSync(lab), ["last.log", "nightly.lock"])
        const bare = join(cwd, "bin")
        mkdirSync(bare)
        for (const tool of ["dirname", "readlink"]) symlinkSync(`/usr/bin/${tool}`, join(bare, tool))
        writeFileSync(script, text("nightly.sh").replace(/^PATH=.*$/m, `PATH=${bare}`))
        const lacking = yield* runCommand(script, [], { cwd: "/", env })
        assert.deepInclude(lacking, { exitCode: 78, stdout: "" })
        assert.match(lacking.stderr, /^nightly\.sh needs jq, which is not in its PATH \(.*\): .*\n$/)
        assertNoPassword([cwd])
      }),
    limit
  )

  it.live(
    "nightly.sh: a step that is stopped, or cannot be started, ends the night; one that breaks does not",
    () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const script = join(cwd, "nightly.sh")
        writeFileSync(script, text("nightly.sh").replace("PATH=/usr/local/bin", `PATH=${cwd}`), { mode: 0o755 })
        const steps = ["svc-api", "svc-resume-restore", "svc-download"]
        for (const [ends, code, ran] of [
          ["svc-api", 130, 1],
          ["svc-api", 127, 1],
          ["svc-api", 134, 2],
          ["svc-resume-restore", 143, 2],
          ["svc-resume-restore", 134, 3],
          ["svc-download", 143, 3]
        ] as const) {
          writeFileSync(join(cwd, "awaiting-restoration.json"), "[]")
          writeFileSync(join(cwd, "ran"), "")
          for (const step of steps) {
            const lines = [
              "#!/bin/sh",
              `echo ${step} >> ran`,
              `echo '{"id": "A1"}'`,
              `exit ${step === ends ? code : 0}`
            ]
            writeFileSync(join(cwd, step), lines.join("\n"), { mode: 0o755 })
          }
          const night = yield* runCommand(script, [], { cwd: "/", env: {} })
          assert.deepInclude(night, {
            exitCode: code,
            stderr: `${ends} ended with ${code}; see nightly.log\n`
          })
          assert.strictEqual(readFileSync(join(cwd, "ran"), "utf8"), `${steps.slice(0, ran).join("\n")}\n`)
        }
      }),
    limit
  )

  it.live(
    "nightly.sh: an outage beside analyses without files is 69, by the names of what failed; what was listed and is no more is missed",
    () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        const write = (name: string, ...lines: ReadonlyArray<string>) =>
          writeFileSync(join(cwd, name), lines.map((line) => `${line}\n`).join(""), { mode: 0o755 })
        writeFileSync(join(cwd, "nightly.sh"), text("nightly.sh").replace("PATH=/usr/local/bin", `PATH=${cwd}`), {
          mode: 0o755
        })
        mkdirSync(join(cwd, "data"))
        write("svc-api", "#!/bin/sh", "cat listed")
        write("svc-resume-restore", "#!/bin/sh")
        write("svc-download", "#!/bin/sh", "cp report report.json", "cp sheet samples.new.csv", 'exit "$(cat code)"')
        const night = Effect.fnUntraced(function* (
          ids: ReadonlyArray<string>,
          rows: ReadonlyArray<string>,
          code: number,
          ...failed: ReadonlyArray<readonly [analysisId: string, fileName: string | null, exit: number]>
        ) {
          write("listed", ...ids.map((id) => JSON.stringify({ id })))
          write("sheet", "analysis,bam", ...rows.map((id) => `${id},${id}.bam`))
          write("code", `${code}`)
          const files = failed.map(([analysisId, fileName, exit]) => ({
            analysisId,
            fileName,
            action: "failed",
            reason: exit === 66 ? "missing" : null,
            error: {
              message: exit === 66 ? `analysis ${analysisId} lacks files` : "host is away",
              advice: "again",
              exit
            }
          }))
          write("report", JSON.stringify({ files }))
          const { exitCode, stderr } = yield* runCommand(join(cwd, "nightly.sh"), [], { cwd: "/", env: {} })
          const sheet = readFileSync(join(cwd, "samples.csv"), "utf8").match(/^A\d/gm)
          const last = readFileSync(join(cwd, "nightly.log"), "utf8").trim().split("\n").at(-1)
          assert.match(last ?? "", new RegExp(`Z the night ended with ${exitCode}$`))
          return [exitCode, stderr, sheet?.toSorted().join()]
        })
        const all = ["A1", "A2", "A3"]
        const away = (name: string) => `${name}: host is away; again\nsvc-download ended with 69; see nightly.log\n`
        assert.deepStrictEqual(yield* night(all, ["A1"], 69, ["A2", "S2.bam", 69]), [69, away("S2.bam"), "A1"])
        assert.deepStrictEqual(yield* night(all, ["A1", "A2"], 66, ["A3", null, 66]), [0, "", "A1,A2"])
        assert.deepStrictEqual(yield* night(all, ["A1"], 66, ["A3", null, 66], ["A2", "S2.bam", 69]), [
          69,
          away("S2.bam"),
          "A1,A2"
        ])
        const five = [1, 2, 3, 4, 5].map((n) => ["A2", n === 1 ? null : `S${n}.bam`, 69] as const)
        assert.deepStrictEqual(yield* night(all, [], 69, ...five), [69, away("A2, S2.bam, S3.bam and 2 more"), "A1,A2"])
        const missed = "no more in samples.csv, as the service does not list their files: A2 \n"
        assert.deepStrictEqual(yield* night(all, ["A1"], 66, ["A2", null, 66]), [66, missed, "A1"])
        assert.deepStrictEqual(yield* night(all, ["A1"], 0), [0, "", "A1"])
        const none = "analyses that the service lists no more: A1 A2 A3 \n"
        assert.deepStrictEqual(yield* night([], [], 0), [66, none, "A1"])
        assert.deepStrictEqual(yield* night(all, ["A1"], 0), [0, "", "A1"])
      }),
    limit
  )

  it.live(
    "what docs/archive.md shows",
    () =>
      Effect.gen(function* () {
        const place = yield* ground(["--restoreDelay", "2s"])
        const { cwd, exitCode, text } = yield* followPage("docs/archive.md", place)
        assert.strictEqual(exitCode, 0, text)
        assert.include(text, "1 restoration pending")
        assert.include(readdirSync(join(cwd, "data")), "S3.bam")
        assertNoPassword([cwd], text)
      }),
    limit
  )

  it.live(
    "systemd accepts the units, and little of the system is exposed",
    () =>
      Effect.gen(function* () {
        const { project, tools } = yield* ground()
        const bin = tools.PATH.split(":").find((folder) => readdirSync(folder).includes("svc-resume-restore")) ?? ""
        for (const name of ["svc-resume-restore.service", "svc-resume-restore.timer"]) {
          writeFileSync(join(project, name), text(name).replace("/usr/local/bin", bin))
        }
        const analyze = (args: ReadonlyArray<string>) =>
          runCommand("systemd-analyze", args, { cwd: project, env: { SYSTEMD_COLORS: "0" } })
        const units = ["./svc-resume-restore.service", "./svc-resume-restore.timer"]
        assert.deepInclude(yield* analyze(["verify", ...units]), { exitCode: 0, stderr: "" })
        const exposure = yield* analyze(words`security --offline=true --threshold=20 ./svc-resume-restore.service`)
        assert.strictEqual(exposure.exitCode, 0, exposure.stdout.slice(-300))
        const { OnCalendar = "" } = unit("svc-resume-restore.timer")
        assert.strictEqual((yield* analyze(["calendar", OnCalendar])).exitCode, 0)
        const { LoadCredential } = unit("svc-resume-restore.service")
        assert.match(LoadCredential ?? "", /^settings\.json:\//)
      }),
    limit
  )

  it.live(
    "Kubernetes: never two at a time, no root, a read-only root, secrets by reference, no second try after 64, 77 and 78",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        const cron = yield* python(readYaml, "cronjob.yaml", place)
        assert.strictEqual(cron.kind, "CronJob")
        assert.strictEqual(cron.spec.concurrencyPolicy, "Forbid")
        const job = cron.spec.jobTemplate.spec
        const pod = job.template.spec
        const [container] = pod.containers
        assert.strictEqual(pod.securityContext.runAsNonRoot, true)
        assert.deepInclude(container.securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
        const [rule] = job.podFailurePolicy.rules
        assert.deepStrictEqual(rule.onExitCodes, {
          containerName: container.name,
          operator: "In",
          values: [64, 77, 78]
        })
        // What the API server demands of a podFailurePolicy.
        assert.strictEqual(pod.restartPolicy, "Never")
        const mounted = container.volumeMounts.map((mount: EnvEntry) => mount.name).sort()
        assert.deepStrictEqual(pod.volumes.map((volume: EnvEntry) => volume.name).sort(), mounted)
      }),
    limit
  )

  it.live(
    "the Job for any engine gets the files by the token of a gateway, and is repeated for what its page says alone",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        const job = yield* python(readYaml, "job.yaml", place)
        const pod = job.spec.template.spec
        const [container] = pod.containers
        const [{ action, onExitCodes }] = job.spec.podFailurePolicy.rules
        const { containerName, operator, values } = onExitCodes
        assert.deepStrictEqual([action, containerName, operator], ["FailJob", container.name, "NotIn"])
        const table = readFileSync(join(root, "docs/pipelines.md"), "utf8")
        const [, repeated = ""] = /^\| ([\d, ]+) \| repeat, three times at most \|$/m.exec(table) ?? []
        assert.deepStrictEqual(values, repeated.split(", ").map(Number))
        assert.strictEqual(job.spec.backoffLimit, 3)
        // What the API server demands of a podFailurePolicy.
        assert.strictEqual(pod.restartPolicy, "Never")
        const mounted = container.volumeMounts.map((mount: EnvEntry) => mount.name)
        assert.deepStrictEqual(
          pod.volumes.map((volume: EnvEntry) => volume.name),
          mounted
        )
        assert.deepStrictEqual(
          container.env.map((entry: EnvEntry) => entry.name),
          ["SVC_TARGET", "SVC_TOKEN"]
        )
        const args = container.args.map((arg: string) => arg.replace("/data", place.project))
        const ran = yield* runCommand("svc-gateway", ["--", "svc-steps", ...args], place)
        assert.strictEqual(ran.exitCode, 0, ran.stderr)
        assert.includeMembers(readdirSync(place.project), ["A1.report.json", "S1.bam", "S1.bam.bai"])
      }),
    limit
  )

  it.live(
    "cron and Airflow: the times are ones they know, and one run of the DAG at a time",
    () =>
      Effect.gen(function* () {
        const bounds = [59, 23, 31, 12, 7]
        const lines = text("crontab")
          .split("\n")
          .filter((line) => line !== "" && !line.startsWith("#") && !/^[A-Z]+=/.test(line))
        assert.strictEqual(lines.length, 1)
        // A percent sign would be a line end for cron.
        assert.notInclude(lines[0], "%")
        const fields = (lines[0] ?? "").split(" ").slice(0, 5)
        fields.forEach((field, place) => {
          const [, from, step] = /^(\*|\d+)(?:\/(\d+))?$/.exec(field) ?? assert.fail(`not a time: ${field}`)
          for (const value of [from === "*" ? "1" : from, step ?? "1"])
            assert.isAtMost(Number(value), bounds[place] ?? 0)
        })
        const { BashOperator, DAG } = yield* python(readCalls, "airflow_dag.py", yield* ground())
        assert.deepInclude(DAG, { max_active_runs: 1, catchup: false })
        assert.deepInclude(BashOperator, { retries: 0 })
        // 75 is also what only operators can mend.
        assert.notProperty(BashOperator, "skip_on_exit_code")
      }),
    limit
  )
})
