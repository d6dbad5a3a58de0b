/**
 * Archived files as processes: policy, requests, resuming and waiting against the sandbox; faults of answers, entries and
 * files; several runs at once.
 */
import { spawn } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import type { SandboxOptions } from "../sandbox/Sandbox.ts"
import { fault, type Ground, ground, namesIn, readReport, sha256, stoppedInMidFile } from "./DownloadGround.ts"
import { executable, run, start, untilOrEnd } from "./Executables.ts"
import { makeForwardClock } from "./servers/ForwardClock.ts"

const tracked = (...path: ReadonlyArray<string>): ReadonlyArray<Record<string, unknown>> =>
  JSON.parse(readFileSync(join(...path), "utf8"))
const file = "awaiting-restoration.json"

/** A sandbox whose archived files come back after `delay`. */
const archive = Effect.fnUntraced(function* (delay: Duration.Input, options: SandboxOptions = {}) {
  const here = yield* ground({
    ...options,
    switches: { restoreDelay: Duration.fromInputUnsafe(delay), ...options.switches }
  })
  const step =
    (name: string) =>
    (args: ReadonlyArray<string>, cwd = here.folder) =>
      run(name, args, { cwd, env: here.env })
  return { ...here, request: step("svc-request-restore"), resume: step("svc-resume-restore") }
})

/** Entries for analyses that exist only in the file. */
const entry = (analysisId: string, options: object = {}, more: object = {}) => ({
  analysisId,
  fileName: "S3.bam",
  restoreEstimation: "2026-01-01T00:00:00Z",
  options: { destination: "out", overwrite: false, filetypes: ["bam"], ...options },
  ...more
})
const store = (folder: string, ...entries: ReadonlyArray<object>) =>
  writeFileSync(join(folder, file), JSON.stringify(entries), { mode: 0o600 })

/** The sandbox's own bytes of a file, fetched after everything has thawed. */
const reference = Effect.fnUntraced(function* ({ download, folder }: Pick<Ground, "download" | "folder">) {
  mkdirSync(join(folder, "reference"))
  const outcome = yield* download(["-a", "A3", "-f", "bam,bam.bai", "-d", "reference"])
  assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
  return sha256(folder, "reference", "S3.bam")
})

/** Restorations whose estimate is now, while the service, an hour behind, works on them until they are thawed. */
const overdueArchive = Effect.fnUntraced(function* (switches: SandboxOptions["switches"] = {}) {
  const { clock } = yield* makeForwardClock(-Duration.toMillis(Duration.hours(1)))
  // Links that have not ended before they are used.
  const options = { switches: { linkLifetime: Duration.hours(2), ...switches } }
  const here = yield* Effect.provideService(archive("1 hour", options), Clock.Clock, clock)
  return { ...here, thaw: Effect.provideService(here.thaw, Clock.Clock, clock) }
})

/** Runs a step that waits for restorations; all of them end when it has looked once in vain. */
const thawedWhenItWaits = Effect.fnUntraced(function* (
  { env, folder, thaw }: Ground,
  step: string,
  args: ReadonlyArray<string>
) {
  const running = yield* start(step, [...args, "--wait", "60s", "--poll", "1s"], { cwd: folder, env })
  yield* untilOrEnd(
    running,
    "it waits",
    Effect.sync(() => running.stderr().includes("looking again at"))
  )
  yield* thaw
  return yield* running.outcome
}, Effect.scoped)

describe("request and resume", () => {
  it.live(
    "P12 request, pending, a restart in another folder, resume: the file is right and nothing is left to wait for",
    () =>
      Effect.gen(function* () {
        const here = yield* archive("1 hour", { switches: { strict: true } })
        const { folder, request, resume, stats, thaw } = here
        const [first, second] = [join(folder, "first"), join(folder, "second")]
        for (const task of [first, second]) mkdirSync(join(task, "out"), { recursive: true })

        const asked = yield* request(["A3", "-d", "out"], first)
        assert.strictEqual(asked.exitCode, 0, asked.stderr)
        assert.match(asked.stderr, /asking for its restoration: restoreArchived is force/)
        assert.match(asked.stderr, /Restoration of analysis A3 requested, expected at \d{4}-/)
        assert.deepStrictEqual(namesIn(first, "out"), [])
        const [stored] = tracked(first, file)
        assert.deepInclude(stored, { analysisId: "A3", fileName: "S3.bam", target: `${here.env["SVC_TARGET"]}/` })
        assert.strictEqual(asked.stderr.includes(here.password), false)

        copyFileSync(join(first, file), join(second, file))
        const early = yield* resume([], second)
        assert.strictEqual(early.exitCode, 75, early.stderr)
        const lines = early.stderr.trimEnd().split("\n")
        assert.match(
          lines.at(-1) ?? "",
          /^1 restoration pending, the next expected at .*: run again later: svc-resume-restore -t http:\S+ --restorationFile awaiting-restoration\.json$/
        )
        assert.deepStrictEqual(tracked(second, file), tracked(first, file))

        yield* thaw
        const later = yield* resume(["--reportfile", "r.json"], second)
        assert.strictEqual(later.exitCode, 0, later.stderr)
        assert.match(later.stderr, /S3\.bam \(analysis A3\): done; 0 entries remain/)
        assert.deepStrictEqual(tracked(second, file), [])
        assert.deepStrictEqual(namesIn(second, "out"), ["S3.bam", "S3.bam.bai"])
        assert.strictEqual(sha256(second, "out", "S3.bam"), yield* reference(here))
        assert.deepStrictEqual(
          readReport(second, "r.json").files.map(({ action, fileName }) => [fileName, action]),
          [
            ["S3.bam", "downloaded"],
            ["S3.bam.bai", "downloaded"]
          ]
        )
        const seen = yield* stats
        assert.deepStrictEqual([seen.restores, seen.overlaps, seen.maxApiInFlight], [1, 0, 1])
        assert.strictEqual(seen.logins, seen.logouts)

        // The failed attempt of a pipeline begins again from what the first step gave out.
        mkdirSync(join(first, "again"))
        const again = yield* resume([], first)
        assert.strictEqual(again.exitCode, 0, again.stderr)
        assert.deepStrictEqual(tracked(first, file), [])
      })
  )

  it.live("is idempotent: one request, one entry, however often it is asked", () =>
    Effect.gen(function* () {
      const { folder, request, stats } = yield* archive("1 hour")
      for (let times = 0; times < 2; times++) {
        const outcome = yield* request(["A3", "-d", "out"])
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      }
      assert.strictEqual(tracked(folder, file).length, 1)
      assert.strictEqual((yield* stats).requests["requestRestore"], 1)
      rmSync(join(folder, file))
      // The outputs of a failed job are lost; the service still knows.
      const lost = yield* request(["A3", "-d", "out"])
      assert.match(lost.stderr, /it is being restored already/)
      assert.strictEqual(tracked(folder, file).length, 1)
      assert.strictEqual((yield* stats).requests["requestRestore"], 1)
    })
  )

  it.live("writes an empty list when nothing is archived, and asks only for the requested types", () =>
    Effect.gen(function* () {
      const { folder, request, stats } = yield* archive("1 hour")
      for (const args of [["A1"], ["A3", "-f", "bam.bai"]]) {
        const outcome = yield* request(args)
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        assert.strictEqual(readFileSync(join(folder, file), "utf8"), "[]\n")
      }
      assert.strictEqual((yield* stats).restores, 0)
    })
  )

  it.live(
    "svc-download asks, remembers and ends with 75; with --pendingOk 0; in plan, list and links mode it asks nothing",
    () =>
      Effect.gen(function* () {
        const { download, folder, stats } = yield* archive("1 hour")
        for (const mode of ["--plan", "--list", "--links"]) {
          yield* download(["-a", "A3", "-d", "out", "--restoreArchived", "force", mode])
          assert.isFalse(existsSync(join(folder, file)), mode)
        }
        assert.strictEqual((yield* stats).restores, 0)
        const asked = yield* download(["-a", "A3", "-d", "out", "--restoreArchived", "force", "--reportfile", "r.json"])
        assert.strictEqual(asked.exitCode, 75, asked.stderr)
        const report = readReport(folder, "r.json")
        assert.strictEqual(report.exitCode, 75)
        assert.deepStrictEqual(
          report.files.map(({ fileName, action, reason }) => [fileName, action, reason]),
          [
            ["S3.bam", "skipped", "pending"],
            ["S3.bam.bai", "downloaded", null]
          ]
        )
        const fine = yield* download(["--resumeArchivedDownloads", "--pendingOk"])
        assert.strictEqual(fine.exitCode, 0, fine.stderr)
        assert.match(fine.stderr.trimEnd().split("\n").at(-1) ?? "", /^1 restoration pending/)
        const status = yield* download(["--resumeArchivedDownloads", "--list"])
        assert.strictEqual(status.exitCode, 75)
        assert.match(
          status.stdout,
          /^Analysis ID: A3\n {2}S3\.bam {2}\[ARCHIVED\] {2}requested, expected at \d{4}-\S+Z\n$/
        )
        assert.strictEqual((yield* stats).restores, 1)
      })
  )

  it.live("svc-download --wait stays until what it asked for is back, and leaves the other requests alone", () =>
    Effect.gen(function* () {
      const here = yield* overdueArchive({ strict: true })
      const { download, folder, stats } = here
      store(folder, entry("A1", {}, { fileName: "S1.bam" }))
      const wanted = ["-a", "A1,A3", "-f", "bam,bam.bai", "-d", "out", "--restoreArchived", "force"]
      const outcome = yield* thawedWhenItWaits(here, "svc-download", [...wanted, "--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.match(outcome.stderr, /1 restoration pending; looking again at /)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam", "S1.bam.bai", "S3.bam", "S3.bam.bai"])
      assert.strictEqual(sha256(folder, "out", "S3.bam"), yield* reference(here))
      const report = readReport(folder, "r.json")
      assert.deepStrictEqual(
        [report.exitCode, report.files.map(({ action, fileName }) => [fileName, action]).sort()],
        [0, ["S1.bam", "S1.bam.bai", "S3.bam", "S3.bam.bai"].map((name) => [name, "downloaded"])]
      )
      assert.deepStrictEqual(
        tracked(folder, file).map(({ fileName }) => fileName),
        ["S1.bam"]
      )
      const seen = yield* stats
      assert.deepStrictEqual([seen.restores, seen.overlaps], [1, 0])

      // Nothing to wait for is no reason to wait.
      const nothing = yield* download(["-a", "A1", "-d", "out", "--wait", "1h"])
      assert.strictEqual(nothing.exitCode, 0, nothing.stderr)
    })
  )

  it.live("svc-download --wait ends with 75 when the time is up, and the requests stay", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* archive("1 hour")
      const wait = ["--wait", "1s", "--poll", "1s"]
      const late = yield* download(["-a", "A3", "-f", "bam", "-d", "out", "--restoreArchived", "force", ...wait])
      assert.strictEqual(late.exitCode, 75, late.stderr)
      assert.match(late.stderr.trimEnd().split("\n").at(-1) ?? "", /^1 restoration pending, the next expected at /)
      assert.strictEqual(tracked(folder, file).length, 1)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
    })
  )

  it.live("L14 ask and all without a terminal mean no, said in the log, and nothing waits for an answer", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* archive("1 hour")
      for (const mode of ["ask", "all", "no"]) {
        const outcome = yield* download(["-a", "A3", "-f", "bam", "-d", "out", "--restoreArchived", mode])
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        const reason =
          mode === "no"
            ? "restoreArchived is no"
            : `restoreArchived is ${mode}, and there is no terminal to ask on; run svc-request-restore`
        assert.include(outcome.stderr, `S3.bam (analysis A3): archived, skipped: ${reason}`)
      }
      assert.isFalse(existsSync(join(folder, file)))
      assert.strictEqual((yield* stats).restores, 0)
    })
  )

  it.live("--maxRestores bounds what is paid for", () =>
    Effect.gen(function* () {
      const frozen = (id: string) => ({ id, files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam", archived: true }] })
      const { folder, request, stats } = yield* archive("1 hour", {
        world: { analyses: ["B1", "B2", "B3"].map(frozen) }
      })
      const outcome = yield* request(["B1", "B2", "B3", "-f", "bam", "--maxRestores", "2"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.include(outcome.stderr, "B3.bam (analysis B3): archived, skipped: --maxRestores 2 is used up")
      assert.deepStrictEqual(
        tracked(folder, file).map(({ analysisId }) => analysisId),
        ["B1", "B2"]
      )
      assert.strictEqual((yield* stats).restores, 2)
    })
  )

  it.live("C3 whatever TZ says, every time that is written is UTC", () =>
    Effect.gen(function* () {
      const { env, folder } = yield* archive("1 hour")
      // Fourteen hours ahead of UTC, none, and no time zone at all.
      for (const [number, TZ] of ["Pacific/Kiritimati", "", "Nowhere/Land"].entries()) {
        const [store, log] = [`${number}.json`, `${number}.log`]
        const args = ["A3", "-d", "out", "--restorationFile", store, "--logfile", log]
        const outcome = yield* run("svc-request-restore", args, { cwd: folder, env: { ...env, TZ } })
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        const written = [
          String(tracked(folder, store)[0]?.["requestTime"]),
          ...readFileSync(join(folder, log), "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => line.slice(0, line.indexOf(" ")))
        ]
        assert.isAbove(written.length, 1)
        for (const time of written) {
          assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
          assert.isBelow(Math.abs(Date.parse(time) - Date.now()), 3_600_000)
        }
      }
    })
  )

  it.live("a data file and its index, each with an entry, are counted and reported once", () =>
    Effect.gen(function* () {
      const { folder, request, resume, thaw } = yield* archive("1 hour", {
        world: {
          analyses: [
            {
              id: "B1",
              files: [
                { name: "B1.bam", copyOf: "A1/S1.bam", archived: true },
                { name: "B1.bam.bai", copyOf: "A1/S1.bam.bai", archived: true }
              ]
            }
          ]
        }
      })
      assert.strictEqual((yield* request(["B1", "-d", "out"])).exitCode, 0)
      assert.strictEqual(tracked(folder, file).length, 2)
      yield* thaw
      const outcome = yield* resume(["--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.match(outcome.stderr, /: 2 downloaded /)
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ fileName }) => fileName),
        ["B1.bam", "B1.bam.bai"]
      )
    })
  )

  it.live("K2 what has come back and does not fit is refused, said once, and its request stays", () =>
    Effect.gen(function* () {
      const { folder, request, resume, thaw } = yield* archive("1 hour", {
        world: {
          analyses: [
            { id: "B1", files: [{ name: "B1.vcf.gz", copyOf: "A1/S1.vcf.gz", archived: true, listedSize: 4e15 }] }
          ]
        }
      })
      assert.strictEqual((yield* request(["B1", "-d", "out", "-f", "vcf.gz"])).exitCode, 0)
      yield* thaw
      const outcome = yield* resume([])
      assert.strictEqual(outcome.exitCode, 74, outcome.stderr)
      assert.lengthOf(outcome.stderr.match(/bytes free, but 4000000000000000 are needed/g) ?? [], 1)
      assert.strictEqual(tracked(folder, file).length, 1)
    })
  )

  it.live("cuts the stored regions out of what came back, and only those", () =>
    Effect.gen(function* () {
      const { folder, request, resume, thaw } = yield* archive("1 hour")
      const asked = yield* request(["A3", "-d", "out", "-f", "bam", "-g", "chr1:1-20000"])
      assert.strictEqual(asked.exitCode, 0, asked.stderr)
      yield* thaw
      const outcome = yield* resume(["-d", "."])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.ranged.bam", "S3.ranged.bam.bai"])
      assert.deepStrictEqual(tracked(folder, file), [])
    })
  )
})

describe("answers of the service", () => {
  it.live("S6 a restoration whose answer was lost is in the file, and asked for twice at most", () =>
    Effect.gen(function* () {
      const { folder, request, setFaults, stats } = yield* archive("1 hour")
      yield* setFaults([fault({ endpoint: "requestRestore", times: 1 }, { loseAnswer: true })])
      const first = yield* request(["A3"])
      assert.strictEqual(first.exitCode, 0, first.stderr)
      const second = yield* request(["A3"])
      assert.strictEqual(second.exitCode, 0, second.stderr)
      assert.strictEqual(tracked(folder, file).length, 1)
      assert.isAtMost((yield* stats).requests["requestRestore"] ?? 0, 2)
    })
  )

  it.live("S6 a request that never arrived stays remembered as one to repeat", () =>
    Effect.gen(function* () {
      const { folder, request, setFaults, stats } = yield* archive("1 hour")
      yield* setFaults([fault({ endpoint: "requestRestore", times: 1 }, { reset: "head" })])
      const first = yield* request(["A3"])
      assert.strictEqual(first.exitCode, 69, first.stderr)
      assert.strictEqual(tracked(folder, file)[0]?.["status"], "requesting")
      const second = yield* request(["A3"])
      assert.strictEqual(second.exitCode, 0, second.stderr)
      assert.strictEqual(tracked(folder, file)[0]?.["status"], "pending")
      assert.strictEqual(tracked(folder, file).length, 1)
      assert.strictEqual((yield* stats).restores, 1)
    })
  )

  it.live("a clear no is not remembered and fails", () =>
    Effect.gen(function* () {
      const { folder, request, setFaults } = yield* archive("1 hour")
      const no = JSON.stringify({ success: false, response: null, errorMessageId: "NO_BUDGET" })
      yield* setFaults([
        fault(
          { endpoint: "requestRestore" },
          { status: 200, body: no, headers: { "content-type": "application/json" } }
        )
      ])
      const outcome = yield* request(["A3"])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.include(outcome.stderr, "NO_BUDGET")
      assert.deepStrictEqual(tracked(folder, file), [])
    })
  )

  it.live("L10 L11 an estimate that is over, no time, or missing: the flags decide, and the entry keeps its text", () =>
    Effect.gen(function* () {
      const estimates = ["1970-01-01T00:00:00Z", "in a while", "null", "9999-12-31T23:59:59+02:00"]
      yield* Effect.forEach(
        estimates,
        Effect.fnUntraced(function* (estimate) {
          const { folder, request, resume, thaw } = yield* archive("1 hour", {
            switches: { restoreEstimation: estimate }
          })
          assert.strictEqual((yield* request(["A3", "-d", "out", "-f", "bam"])).exitCode, 0)
          assert.strictEqual(tracked(folder, file)[0]?.["restoreEstimation"], estimate === "null" ? null : estimate)
          const early = yield* resume([])
          assert.strictEqual(early.exitCode, 75, early.stderr)
          yield* thaw
          const outcome = yield* resume([])
          assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
          assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
        }),
        { concurrency: "unbounded", discard: true }
      )
    })
  )

  it.live("L6 a restored copy that is gone again is asked for again, once in a day", () =>
    Effect.gen(function* () {
      const { folder, request, resume, stats } = yield* archive("100 millis", {
        switches: { rearchiveAfter: Duration.millis(100) }
      })
      assert.strictEqual((yield* request(["A3", "-d", "out", "-f", "bam"])).exitCode, 0)
      yield* Effect.sleep("300 millis")
      const again = yield* resume(["--logfile", "again.log"])
      assert.strictEqual(again.exitCode, 75, again.stderr)
      assert.match(
        readFileSync(join(folder, "again.log"), "utf8"),
        /S3\.bam \(analysis A3\): archived, .* asking again/
      )
      assert.strictEqual((yield* stats).restores, 2)
      const [kept] = tracked(folder, file)
      assert.isString(kept?.["askedAgain"])
      yield* Effect.sleep("300 millis")
      const later = yield* resume(["--reportfile", "r.json"])
      assert.strictEqual(later.exitCode, 75, later.stderr)
      assert.include(later.stderr, "it was asked for again less than a day ago")
      assert.match(later.stderr, /\n1 requested restoration not under way: run again later: /)
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ action, reason }) => [action, reason]),
        [["skipped", "archived"]]
      )
      assert.strictEqual((yield* stats).restores, 2)
      assert.deepStrictEqual(tracked(folder, file)[0], kept)
    })
  )

  it.live("L6 with --restoreArchived no nothing is asked for, nothing is called pending, and the entry stays", () =>
    Effect.gen(function* () {
      const { download, folder, resume, stats } = yield* archive("1 hour")
      store(folder, entry("A3", { layout: "analysis", range: "chr1:1-1000" }))
      const listed = yield* resume(["--list", "--format", "json"])
      assert.strictEqual(listed.exitCode, 0, listed.stderr)
      const [shown] = JSON.parse(listed.stdout).restorations
      assert.deepInclude(shown, { status: "notRequested", path: join(folder, "out", "A3", "S3.ranged.bam") })
      const left = yield* resume(["--restoreArchived", "no", "--reportfile", "r.json", "--logfile", "no.log"])
      assert.strictEqual(left.exitCode, 0, left.stderr)
      const report = readReport(folder, "r.json")
      assert.strictEqual(report.exitCode, 0)
      const said = [listed, left].map(({ stderr, stdout }) => stderr + stdout).join("")
      const written = ["r.json", "no.log"].map((name) => readFileSync(join(folder, name), "utf8")).join("")
      assert.notInclude(said + written, "pending")
      assert.strictEqual((yield* stats).restores, 0)
      assert.deepStrictEqual(tracked(folder, file), [entry("A3", { layout: "analysis", range: "chr1:1-1000" })])
      // The same as svc-download, and without the ban.
      const asked = yield* download(["--resumeArchivedDownloads"])
      assert.strictEqual(asked.exitCode, 75, asked.stderr)
      assert.strictEqual((yield* stats).restores, 1)
    })
  )

  it.live("L12 an analysis that is gone fails with 66 and stays, and the others are served", () =>
    Effect.gen(function* () {
      const { folder, resume } = yield* archive("0 seconds", {
        world: { analyses: [{ id: "A3", files: [{ name: "S3.bam", archived: false }] }] }
      })
      store(folder, entry("A99"), entry("A3"), entry("A3", {}, { fileName: "S9.bam" }))
      const outcome = yield* resume(["--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 66, outcome.stderr)
      assert.deepStrictEqual(tracked(folder, file), [entry("A99"), entry("A3", {}, { fileName: "S9.bam" })])
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ action, error }) => [action, error?.tag ?? null]),
        [
          ["failed", "NotFound"],
          ["downloaded", null],
          ["failed", "NotFound"]
        ]
      )
    })
  )

  it.live("L13 a file whose index is still archived waits for it", () =>
    Effect.gen(function* () {
      const { folder, resume } = yield* archive("1 hour", {
        world: {
          analyses: [
            {
              id: "A3",
              files: [
                { name: "S3.bam", archived: false },
                { name: "S3.bam.bai", archived: true }
              ]
            }
          ]
        }
      })
      for (const options of [{ filetypes: ["bam", "bam.bai"] }, { range: "chr1:1-1000" }]) {
        store(folder, entry("A3", options))
        const outcome = yield* resume([])
        assert.strictEqual(outcome.exitCode, 75, outcome.stderr)
        assert.deepStrictEqual(namesIn(folder, "out"), [])
      }
    })
  )
})

describe("the restoration file", () => {
  const online = { world: { analyses: [{ id: "A3", files: [{ name: "S3.bam", archived: false }] }] } }

  it.live("T1 absent or empty: nothing to do, and nobody logs in", () =>
    Effect.gen(function* () {
      const { folder, resume, stats } = yield* archive("1 hour")
      const absent = yield* resume([])
      assert.strictEqual(absent.exitCode, 0)
      assert.match(absent.stderr, /awaiting-restoration\.json does not exist, so there are no restorations to resume\n/)
      store(folder)
      const empty = yield* resume([])
      assert.strictEqual(empty.exitCode, 0)
      assert.match(empty.stderr, /awaiting-restoration\.json has no restorations for http/)
      assert.strictEqual((yield* stats).logins, 0)
    })
  )

  it.live("T2 a corrupt file ends every step with 65, is the same afterwards, and nothing was asked of anybody", () =>
    Effect.gen(function* () {
      const { download, folder, request, resume, stats } = yield* archive("1 hour")
      for (const body of ["", "\0\0\0\0", '[{"analysisId": "A3", "fileNa']) {
        writeFileSync(join(folder, file), body)
        const force = ["-a", "A3", "-f", "bam", "-d", "out", "--restoreArchived", "force"]
        for (const outcome of [yield* resume([]), yield* request(["A3"]), yield* download(force)]) {
          assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
          assert.match(outcome.stderr, /repair it, or move it away/)
        }
        assert.strictEqual(readFileSync(join(folder, file), "utf8"), body)
      }
      assert.strictEqual((yield* stats).restores, 0)
    })
  )

  it.live("T3 the object layout is resumed with the options of this run, and kept beside the array", () =>
    Effect.gen(function* () {
      const { folder, resume } = yield* archive("0 seconds", online)
      const original = JSON.stringify({
        restorations: [
          { analysisId: "A3", fileName: "S3.bam", requestTime: "2026-01-01T00:00:00Z", status: "available" },
          { analysisId: "X1", fileName: "X1.bam", status: "pending", target: "another" }
        ],
        lastUpdated: "2026-01-01T00:00:00Z"
      })
      writeFileSync(join(folder, file), original, { mode: 0o600 })
      const outcome = yield* resume(["-d", "out"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam", "S3.bam.bai"])
      assert.deepStrictEqual(
        tracked(folder, file).map(({ target }) => target),
        ["another"]
      )
      assert.strictEqual(readFileSync(join(folder, `${file}.bak`), "utf8"), original)
    })
  )

  it.live("T6 T7 duplicates are one download, other options another, and bad entries stay and are reported", () =>
    Effect.gen(function* () {
      const { folder, resume, stats } = yield* archive("0 seconds", online)
      mkdirSync(join(folder, "other"))
      const bad = { analysisId: "A3", fileName: "../../S3.bam", "x-note": 1 }
      store(folder, entry("A3"), entry("A3", { overwrite: false }), bad, entry("A3", { destination: "other" }))
      const outcome = yield* resume([])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.match(outcome.stderr, /entry 3 is kept but not used/)
      assert.deepStrictEqual(tracked(folder, file), [bad])
      assert.deepStrictEqual([namesIn(folder, "out"), namesIn(folder, "other")], [["S3.bam"], ["S3.bam"]])
      assert.strictEqual((yield* stats).linkRequests, 2)
    })
  )

  it.live(
    "T16 T17 a stored folder that is not there, or is a file, or a hostile path: an error for that entry, which stays",
    () =>
      Effect.gen(function* () {
        const { folder, resume } = yield* archive("0 seconds", online)
        writeFileSync(join(folder, "plain"), "x")
        const hostile = [
          entry("A3", { destination: "gone" }),
          entry("A3", { destination: "plain" }),
          entry("A3", { destination: join(folder, "no", "..", "..", "x") }),
          entry("A3", { bed: "missing.bed" })
        ]
        store(folder, ...hostile, entry("A3", { restorationFile: "/nowhere/else.json" }))
        mkdirSync(join(folder, "elsewhere"))
        // The folder of the file counts, not that of the process.
        const outcome = yield* resume(["--restorationFile", `../${file}`], join(folder, "elsewhere"))
        assert.strictEqual(outcome.exitCode, 73, outcome.stderr)
        assert.deepStrictEqual(tracked(folder, file), hostile)
        assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
        assert.deepStrictEqual(namesIn(folder, "elsewhere"), [])
      })
  )

  it.live("T17 the paths of another tool begin at the folder that it stood in", () =>
    Effect.gen(function* () {
      const { folder, resume } = yield* archive("0 seconds", online)
      mkdirSync(join(folder, "ar", "ar"), { recursive: true })
      const stored = entry("A3", { destination: "ar", restorationFile: `ar/${file}` })
      const lost = entry("A3", { destination: "out", restorationFile: `moved/${file}` })
      writeFileSync(join(folder, "ar", file), JSON.stringify([stored, lost]), { mode: 0o600 })
      const outcome = yield* resume(["--restorationFile", `ar/${file}`])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.match(outcome.stderr, /entry 2 is kept but not used: .* make them absolute/)
      assert.deepStrictEqual(namesIn(folder, "ar"), ["S3.bam", "ar", file])
      assert.deepStrictEqual(namesIn(folder, "ar", "ar"), [])
      assert.deepStrictEqual(tracked(folder, "ar", file), [lost])
    })
  )

  it.live("T7 an entry that cannot be used is to be mended: running again is no advice", () =>
    Effect.gen(function* () {
      const { folder, resume } = yield* archive("1 hour", online)
      store(
        folder,
        { analysisId: "A3", fileName: "../S3.bam" },
        entry("X1", {}, { target: "https://elsewhere.example/" })
      )
      const outcome = yield* resume(["-d", ".", "--overwrite", "--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.notInclude(outcome.stderr + readFileSync(join(folder, "r.json"), "utf8"), "Run the same command again")
      assert.include(outcome.stderr, "svc-steps restorations")
      assert.match(outcome.stderr, /--destination, --overwrite: no effect on stored requests/)
      const status = yield* resume(["--list"])
      assert.match(
        status.stdout,
        /Of another target, not looked at: https:\/\/elsewhere\.example\/\n {2}S3\.bam \(analysis X1\)/
      )
    })
  )

  it.live("what is pending is no error in the log", () =>
    Effect.gen(function* () {
      const { folder, request, resume } = yield* archive("1 hour")
      assert.strictEqual((yield* request(["A3", "-d", "out"])).exitCode, 0)
      const outcome = yield* resume(["--loglevel", "error", "--logfile", "run.log"])
      assert.strictEqual(outcome.exitCode, 75)
      assert.match(outcome.stderr, /^1 restoration pending/)
      assert.match(readFileSync(join(folder, "run.log"), "utf8"), /^\S+ \[info\]: 1 restoration pending/)
    })
  )

  it.live(
    "T9 T10 four resumers and two requesters at once: each file once, no entry lost",
    () =>
      Effect.gen(function* () {
        const online = ["B1", "B2", "B3"].map((id) => ({ id, files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam" }] }))
        const frozen = ["C1", "C2"].map((id) => ({
          id,
          files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam", archived: true }]
        }))
        const { folder, request, resume } = yield* archive("1 hour", { world: { analyses: [...online, ...frozen] } })
        store(folder, ...online.map(({ id }) => entry(id, {}, { fileName: `${id}.bam` })), entry("A99"))
        const outcomes = yield* Effect.all(
          [
            ...Array.from({ length: 4 }, () => resume([])),
            ...frozen.map(({ id }) => request([id, "-f", "bam", "-d", "out"]))
          ],
          { concurrency: "unbounded" }
        )
        for (const { exitCode, stderr } of outcomes) assert.include([0, 66, 69, 75], exitCode, stderr)
        // A run that met another one on the same file left its entry to it.
        yield* resume([])
        assert.deepStrictEqual(namesIn(folder, "out"), ["B1.bam", "B2.bam", "B3.bam"])
        const left = tracked(folder, file).map(({ analysisId }) => analysisId)
        assert.deepStrictEqual([...left].sort(), ["A99", "C1", "C2"])
        assert.deepStrictEqual(
          namesIn(folder).filter((name) => name.includes(file)),
          [file]
        )
      }),
    120_000
  )
})

describe("at a terminal", () => {
  const [ctrlC, ctrlD] = ["\u0003", "\u0004"]
  const frozen = (id: string) => ({ id, files: [{ name: `${id}.bam`, copyOf: "A1/S1.bam", archived: true }] })

  /** Answers each question as it is asked. */
  const asked = Effect.fnUntraced(function* (mode: string, answers: ReadonlyArray<string>) {
    const { env, folder, stats } = yield* archive("1 hour", { world: { analyses: ["B1", "B2"].map(frozen) } })
    const command = `'${process.execPath}' '${executable("svc-download")}' -a B1,B2 -f bam -d out --restoreArchived ${mode}`
    const child = spawn(
      "script",
      ["-qec", `${command}; code=$?; stty -a | grep -o ' -*echo '; echo "code=$code"`, "/dev/null"],
      {
        cwd: folder,
        env: { PATH: process.env["PATH"], TERM: "xterm", SHELL: "/bin/sh", ...env }
      }
    )
    let [screen, next] = ["", 0]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text
      while (screen.split("[y/N]").length - 1 > next && next < answers.length) {
        const answer = answers[next++] ?? ""
        child.stdin.write(answer === ctrlC || answer === ctrlD ? answer : `${answer}\r`)
      }
    })
    yield* Effect.callback<void>((resume) => {
      child.once("close", () => resume(Effect.void))
    })
    const stored = existsSync(join(folder, file)) ? tracked(folder, file).map(({ analysisId }) => analysisId) : []
    return { screen, stored, restores: (yield* stats).restores, questions: screen.split("[y/N]").length - 1 }
  })

  it.live("ask asks for each file, and only a clear yes is one", () =>
    Effect.gen(function* () {
      const { questions, restores, screen, stored } = yield* asked("ask", ["", "yes"])
      assert.match(
        screen,
        /B1\.bam \(analysis B1, [\d.]+ KiB\) is archived\. Restore it\? That takes hours and may cost money\./
      )
      assert.include(screen, "archived, skipped: asked for this file, the answer was no")
      assert.include(screen, "asking for its restoration: asked for this file, the answer was yes")
      assert.deepStrictEqual([questions, stored, restores], [2, ["B2"], 1])
      assert.include(screen, "code=75")
    })
  )

  it.live("all asks once, with number and size of what it is about", () =>
    Effect.gen(function* () {
      const no = yield* asked("all", ["maybe"])
      assert.match(
        no.screen,
        /Restore 2 archived files of 2 analyses, [\d.]+ KiB\? That takes hours and may cost money\./
      )
      assert.deepStrictEqual([no.questions, no.stored, no.restores], [1, [], 0])
      assert.include(no.screen, "code=0")
      const yes = yield* asked("all", ["y"])
      assert.deepStrictEqual([yes.questions, yes.stored, yes.restores], [1, ["B1", "B2"], 2])
    })
  )

  it.live("Y3 Ctrl-D at a question is no, and the run goes on", () =>
    Effect.gen(function* () {
      const { questions, restores, screen, stored } = yield* asked("ask", [ctrlD, "y"])
      assert.include(screen, "archived, skipped: asked for this file, the answer was no")
      assert.include(screen, "code=75")
      assert.match(screen, / echo /)
      assert.deepStrictEqual([questions, stored, restores], [2, ["B2"], 1])
      const all = yield* asked("all", [ctrlD])
      assert.include(all.screen, "code=0")
      assert.strictEqual(all.restores, 0)
    })
  )

  it.live("Y3 Ctrl-C at a question ends with 130, nothing asked for, the terminal as it was", () =>
    Effect.gen(function* () {
      const { restores, screen, stored } = yield* asked("ask", ["yes", ctrlC])
      assert.include(screen, "code=130")
      assert.match(screen, / echo /)
      assert.deepStrictEqual([stored, restores], [[], 0])
    })
  )
})

describe("svc-steps restorations", () => {
  const work = Effect.fnUntraced(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "restorations-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    mkdirSync(join(folder, "out"))
    return {
      folder,
      restorations: (...args: ReadonlyArray<string>) => run("svc-steps", ["restorations", ...args], { cwd: folder })
    }
  })

  it.live("adds, lists and prunes, and leaves everything else as it is", () =>
    Effect.gen(function* () {
      const { folder, restorations } = yield* work()
      const old = entry("A7", {}, { "x-note": [1] })
      store(folder, old, { nonsense: true })
      const added = yield* restorations("add", "A3", "S3.bam", "--target", "http://127.0.0.1:9", "--destination", "out")
      assert.strictEqual(added.exitCode, 0, added.stderr)
      assert.deepInclude(tracked(folder, file)[2], { analysisId: "A3", target: "http://127.0.0.1:9/" })

      const shown = yield* restorations("list")
      assert.match(
        shown.stdout,
        /^A7 {2}S3\.bam {2}expected at 2026-01-01T00:00:00Z {2}into out\nentry 2 cannot be used: /
      )
      assert.match(shown.stdout, /\nA3 {2}S3\.bam {2}expected at an unknown time {2}into out {2}requested /)
      const json = JSON.parse((yield* restorations("list", "--format", "json")).stdout)
      assert.strictEqual(json.schema, "svc.requests/1")
      assert.deepStrictEqual(json.requests[0].options, old.options)

      assert.strictEqual((yield* restorations("prune")).exitCode, 64)
      assert.strictEqual((yield* restorations("prune", "--before", "yesterday")).exitCode, 64)
      const pruned = yield* restorations("prune", "--before", "2026-02-01", "--unusable")
      assert.strictEqual(pruned.exitCode, 0, pruned.stderr)
      assert.match(pruned.stderr, /2 taken out, 1 left/)
      assert.deepStrictEqual(
        tracked(folder, file).map(({ analysisId }) => analysisId),
        ["A3"]
      )
    })
  )

  it.live("T17 refuses what a download would refuse", () =>
    Effect.gen(function* () {
      const { folder, restorations } = yield* work()
      const add = (...args: ReadonlyArray<string>) => restorations("add", ...args)
      const target = ["--target", "http://127.0.0.1:9"]
      for (const args of [
        ["A3", "S3.bam"],
        ["A3", "../S3.bam", ...target],
        ["A3", "S3.txt", ...target],
        ["A3", "S3.bam", ...target, "--destination", "gone"],
        ["A3", "S3.bam", ...target, "--range", "chr1:9-1"],
        ["A3", "S3.bam", "--target", "http://user:secret@127.0.0.1"]
      ]) {
        const outcome = yield* add(...args)
        assert.strictEqual(outcome.exitCode, 64, `${args.join(" ")}: ${outcome.stderr}`)
        assert.notInclude(outcome.stderr, "secret")
      }
      assert.isFalse(existsSync(join(folder, file)))
    })
  )
})

describe("waiting", () => {
  it.live("SIGTERM ends it with 75 and the pending line, and everything is kept", () =>
    Effect.gen(function* () {
      const { env, folder, request } = yield* archive("1 hour")
      assert.strictEqual((yield* request(["A3", "-d", "out"])).exitCode, 0)
      const before = readFileSync(join(folder, file), "utf8")
      const running = yield* start("svc-resume-restore", ["--wait", "1h", "--poll", "10m"], { cwd: folder, env })
      yield* untilOrEnd(
        running,
        "it waits",
        Effect.sync(() => running.stderr().includes("looking again at"))
      )
      yield* running.kill("SIGTERM")
      const { exitCode, stderr } = yield* running.outcome
      assert.strictEqual(exitCode, 75, stderr)
      assert.match(stderr, /\n1 restoration pending, the next expected at .*run again later: svc-resume-restore/)
      assert.strictEqual(readFileSync(join(folder, file), "utf8"), before)
    })
  )

  it.live("P4 the report of a resume that SIGTERM stops in mid-file names every file, and the next run goes on", () =>
    Effect.gen(function* () {
      const here = yield* archive("1 hour")
      const { folder, request, resume, setFaults, thaw } = here
      assert.strictEqual((yield* request(["A3", "-d", "out"])).exitCode, 0)
      yield* thaw
      yield* setFaults([fault({ plane: "link" }, { slow: 40_000 })])
      const stopped = yield* stoppedInMidFile(here, "svc-resume-restore", ["--reportfile", "stopped.json"], "SIGTERM")
      assert.strictEqual(stopped.exitCode, 143, stopped.stderr)
      const { exitCode, files } = readReport(folder, "stopped.json")
      assert.strictEqual(exitCode, null)
      assert.deepStrictEqual(
        files.map(({ action, error, fileName }) => [fileName, action, error?.tag]),
        [
          ["S3.bam", "failed", "Stopped"],
          ["S3.bam.bai", "failed", "Stopped"]
        ]
      )
      assert.match(files[0]?.error?.message ?? "", /was whole; the next run resumes it$/)
      assert.match(files[1]?.error?.message ?? "", /transfer of this file began; the next run fetches it$/)
      assert.strictEqual(tracked(folder, file).length, 1)
      yield* setFaults([])
      assert.strictEqual((yield* resume(["--reportfile", "next.json"])).exitCode, 0)
      assert.isAbove(readReport(folder, "next.json").files[0]?.resumedFrom ?? 0, 0)
    })
  )

  it.live("gets over a lost session, and logs in for each look", () =>
    Effect.gen(function* () {
      const here = yield* overdueArchive()
      const { folder, request, setFaults, stats } = here
      assert.strictEqual((yield* request(["A3", "-d", "out", "-f", "bam"])).exitCode, 0)
      yield* setFaults([fault({ endpoint: "getFileDownloadLinks", times: 1 }, { invalidate: "redirect" })])
      const outcome = yield* thawedWhenItWaits(here, "svc-resume-restore", [])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
      // One of the request, two of the first look, one of each of the next.
      assert.isAtLeast((yield* stats).logins, 4)
    })
  )

  it.live("a rejected password ends it at once", () =>
    Effect.gen(function* () {
      const { env, folder, stats } = yield* archive("1 hour")
      store(folder, entry("A3"))
      const outcome = yield* run("svc-resume-restore", ["--wait", "1h"], {
        cwd: folder,
        env: { ...env, SVC_PASSWORD: "wrong" }
      })
      assert.strictEqual(outcome.exitCode, 77, outcome.stderr)
      assert.strictEqual((yield* stats).failedLogins, 1)
      assert.deepStrictEqual(tracked(folder, file), [entry("A3")])
      rmdirSync(join(folder, "out"))
    })
  )

  it.live("--wait with what downloads nothing, and --once with it, are refused", () =>
    Effect.gen(function* () {
      const { download, resume } = yield* archive("1 hour")
      assert.strictEqual((yield* download(["-a", "A3", "--wait", "1h", "--list"])).exitCode, 64)
      assert.strictEqual((yield* resume(["--once", "--wait", "1h"])).exitCode, 64)
    })
  )
})
