/** What goes wrong under the pipelines: who is told, what is tried again, what must not be. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { runCommand, startCommand } from "../../Executables.ts"
import { fault, lingering } from "../../SandboxFaults.ts"
import { folder, sha256 } from "../Ground.ts"
import { filesBelow, type LaunchPad, launchPad, type Run, workflows } from "./Nextflow.ts"
import { account, sheet, writeWorld } from "./Samples.ts"

const known = { SVC_USER: account.user, SVC_PASSWORD: account.password }
const output = (run: Run) => run.stdout + run.stderr
const three = ["B1", "B2", "B3"]

const pad = Effect.fnUntraced(function* (args: ReadonlyArray<string> = []) {
  const made = yield* launchPad(["--strict", "--world", writeWorld(yield* folder), ...args])
  made.write("samples.csv", sheet(three))
  return made
})

/** The `svc-download` processes that work below this folder. */
const downloadsBelow = (path: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
        return /\/svc-download\.js$/.test(words[1] ?? "") && readlinkSync(`/proc/${pid}/cwd`).startsWith(path)
      } catch {
        return false
      }
    })

/** Kills the one download of the pipeline as soon as bytes of a file flow, and gives how many have. */
const killInTransfer = (made: LaunchPad) =>
  made.stats.pipe(
    Effect.flatMap(({ linkBytes, linkInFlight }) => {
      const [pid] = downloadsBelow(made.folder)
      if (pid === undefined || linkInFlight === 0 || linkBytes === 0) return Effect.fail("not yet" as const)
      return Effect.sync(() => process.kill(pid, "SIGKILL")).pipe(Effect.as(linkBytes))
    }),
    Effect.retry(Schedule.spaced("50 millis"))
  )

describe("accounts", () => {
  it.live(
    "S1 a wrong password ends the run at once, after one attempt for all tasks; no password at all needs none",
    () =>
      Effect.gen(function* () {
        const made = yield* pad()
        const wrong = yield* made.run("restore.nf", ["--input", "samples.csv"], { ...known, SVC_PASSWORD: "guess" })
        assert.notStrictEqual(wrong.exitCode, 0)
        assert.deepStrictEqual(
          wrong.tasks.map(({ exit, status }) => ({ exit, status })),
          [{ exit: 77, status: "FAILED" }]
        )
        assert.match(output(wrong), /wrong user name or password|refused/i)
        const seen = yield* made.stats
        assert.deepStrictEqual([seen.failedLogins, seen.logins, seen.linkRequests], [1, 0, 0])

        const missing = yield* made.run("restore.nf", ["--input", "samples.csv"], { SVC_USER: "", SVC_PASSWORD: "" })
        assert.notStrictEqual(missing.exitCode, 0)
        assert.deepStrictEqual(
          missing.tasks.map(({ exit, status }) => ({ exit, status })),
          [{ exit: 78, status: "FAILED" }]
        )
        assert.match(output(missing), /SVC_USER|SVC_PASSWORD/)
        assert.deepStrictEqual((yield* made.stats).requests, seen.requests)
      }),
    600_000
  )
})

describe("retries", () => {
  it.live(
    "P12 a service that is away for a while, and a task killed in mid-transfer: both are tried again, in new work folders",
    () =>
      Effect.gen(function* () {
        const made = yield* pad()
        yield* made.faults([
          // A maintenance page to the first task, whichever it is.
          fault({ plane: "api", after: 0, times: 2 }, { status: 200, html: true }),
          fault({ plane: "link", file: "*.bam", nth: 1 }, { slow: 10_000 })
        ])
        const [run, sent] = yield* Effect.all(
          [made.run("main.nf", ["--input", "samples.csv"], known), killInTransfer(made)],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(run.exitCode, 0, output(run))
        assert.isAbove(sent, 0)
        const failed = run.tasks.filter(({ status }) => status === "FAILED")
        assert.deepStrictEqual(failed.map(({ exit }) => exit).sort(), [137, 69])
        const done = run.tasks.filter(({ status }) => status === "COMPLETED")
        assert.deepStrictEqual(
          done.map(({ name }) => name).sort(),
          three.map((id) => `SVC_DOWNLOAD (r${id})`)
        )
        assert.strictEqual(new Set(run.tasks.map((task) => made.workFolder(task))).size, 5)
        const results = join(made.folder, "results")
        const wholes = three.map((id) => sha256(join(results, `r${id}`, `${id}.bam`)))
        assert.strictEqual(new Set(wholes).size, 1)
        // Nothing half stands under a final name, in the folder of the killed task either.
        for (const task of failed) {
          const names = filesBelow(made.workFolder(task))
          assert.deepStrictEqual(
            names.filter((name) => /(^|\/)[^.][^/]*\.bam$/.test(name)),
            []
          )
        }
      }),
    600_000
  )
})

describe("a machine that fails", () => {
  it.live(
    "P12 an engine that is killed: -resume does what is missing, and nothing else",
    () =>
      Effect.gen(function* () {
        const made = yield* pad()
        yield* made.faults([fault({ plane: "link", file: "B2.bam", nth: 1 }, { slow: 10_000 })])
        const args = [
          "-log",
          "killed.log",
          "run",
          join(workflows, "main.nf"),
          "--input",
          made.write("s.csv", sheet(three))
        ]
        const engine = yield* startCommand(made.command, args, { cwd: made.folder, env: { ...made.env, ...known } })
        const [step = 0] = yield* made.stats.pipe(
          Effect.flatMap(({ files }) =>
            (files["B2/B2.bam"]?.bytes ?? 0) > 0 ? Effect.succeed(downloadsBelow(made.folder)) : Effect.fail("not yet")
          ),
          Effect.retry(Schedule.spaced("50 millis"))
        )
        yield* engine.kill("SIGKILL")
        yield* engine.outcome
        process.kill(step, "SIGKILL")
        const before = (yield* made.stats).files
        const again = yield* made.run("main.nf", ["--input", "s.csv", "-resume"], known)
        assert.strictEqual(again.exitCode, 0, output(again))
        for (const { name, status } of again.tasks) {
          const id = /r(B\d)/.exec(name)?.[1] ?? ""
          const after = (yield* made.stats).files[`${id}/${id}.bam`]?.requests
          const fetched = before[`${id}/${id}.bam`]?.requests ?? 0
          assert.strictEqual(after, status === "CACHED" ? fetched : fetched + 1, name)
        }
        assert.strictEqual(again.tasks.length, 3)
        assert.deepInclude(yield* made.stats, { maxApiInFlight: 1, overlaps: 0 })
      }),
    600_000
  )

  it.live(
    "K1 a full disk of the work folder ends the run with 74 and says so",
    () =>
      Effect.gen(function* () {
        const made = yield* pad()
        const small = join(made.folder, "small")
        mkdirSync(small)
        // A disk of 500 kB, which the files of one row fill, in a name space of its own.
        const mounted = 'mount -t tmpfs -o size=500k tmpfs "$0" && exec "$@"'
        const run = yield* runCommand(
          "unshare",
          [
            ...[
              "-Urm",
              "sh",
              "-c",
              mounted,
              small,
              made.command,
              "-log",
              "full.log",
              "run",
              join(workflows, "main.nf")
            ],
            ...["--input", "samples.csv", "-w", small]
          ],
          { cwd: made.folder, env: { ...made.env, ...known } }
        )
        assert.notStrictEqual(run.exitCode, 0)
        assert.match(run.stderr, /^SVC_DOWNLOAD \(rB\d\): \. has .* free, but /m)
        assert.match(run.stdout + run.stderr, /Command exit status:\s+74/)
      }),
    600_000
  )
})

describe("one account", () => {
  it.live(
    "S7 P8 two pipelines at once into one store: no requests overlap, and each file is fetched once",
    () =>
      Effect.gen(function* () {
        const made = yield* pad()
        yield* made.faults([lingering(4000)])
        const store = join(made.folder, "store")
        // Nextflow gives up when the lock of its history, which two of one launch folder share, is not free within a second.
        const run = (name: string) =>
          made.run("main.nf", ["--input", "samples.csv", "--store", store, "--outdir", name, "-w", `work-${name}`], {
            ...known,
            NXF_CACHE_DIR: join(made.folder, `cache-${name}`)
          })
        const runs = yield* Effect.all([run("one"), run("two")], { concurrency: "unbounded" })
        for (const { exitCode, stderr, stdout } of runs) assert.strictEqual(exitCode, 0, stdout + stderr)
        const files = three.flatMap((id) => [`r${id}/${id}.bam`, `r${id}/${id}.bam.bai`])
        const own = join(store, made.sandbox.url.replace(/[^A-Za-z0-9.]+/g, "_"))
        assert.deepStrictEqual(
          filesBelow(own).filter((path) => !/(^|\/)\./.test(path)),
          files
        )
        const { files: fetched, invalidations, maxApiInFlight, overlaps } = yield* made.stats
        assert.deepStrictEqual(
          { invalidations, maxApiInFlight, overlaps },
          { invalidations: 0, maxApiInFlight: 1, overlaps: 0 }
        )
        for (const [name, { requests }] of Object.entries(fetched)) assert.strictEqual(requests, 1, name)
        const tables = ["one", "two"].map((name) => readFileSync(join(made.folder, name, "files.csv"), "utf8"))
        assert.strictEqual(tables[0], tables[1])
        assert.deepStrictEqual(
          tables[0]?.trim().split("\n").slice(1),
          files.map((path) => `${path.split("/")[0]},${join(own, path)}`)
        )
      }),
    600_000
  )
})
