/** Archived files as processes: policy, requests and resuming against the sandbox. */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { namesIn, readReport, sha256 } from "../../DownloadGround.ts"
import { run } from "../../Executables.ts"
import {
  archive,
  entry,
  file,
  overdueArchive,
  reference,
  store,
  thawedWhenItWaits,
  tracked
} from "../../RestorationGround.ts"

describe("request and resume", () => {
  it.live(
    "P12 request, pending, a restart in another folder, resume: the file is right and nothing is left to wait for",
    () =>
      Effect.gen(function* () {
        const here = yield* archive("1 hour", { behaviour: { strict: true } })
        const { folder, request, resume, stats, thaw } = here
        const [first, second] = [join(folder, "first"), join(folder, "second")]
        for (const task of [first, second]) mkdirSync(join(task, "out"), { recursive: true })

        const asked = yield* request(["A3", "-d", "out"], first)
        assert.strictEqual(asked.exitCode, 0, asked.stderr)
        assert.match(asked.stderr, /asking for its restoration: the restore mode is force/)
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
    "svc-download asks, remembers and ends with 75; with --pendingOk 0; in plan and list mode it asks nothing",
    () =>
      Effect.gen(function* () {
        const { download, folder, stats } = yield* archive("1 hour")
        for (const mode of ["--plan", "--list"]) {
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
        const quiet = yield* download(["--resumeArchivedDownloads", "--pendingOk", "--loglevel", "warn"])
        assert.deepStrictEqual([quiet.exitCode, quiet.stdout, quiet.stderr], [0, "", ""])
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
            ? "the restore mode is no"
            : `the restore mode is ${mode}, and there is no terminal to ask on; run svc-request-restore`
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
      assert.include(
        outcome.stderr,
        "B3.bam (analysis B3): archived, skipped: no more than 2 restorations may be asked for; --maxRestores says how many"
      )
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
      assert.lengthOf(outcome.stderr.match(/ free, but .* need(?:s|) 3\.6 PiB/g) ?? [], 1)
      assert.strictEqual(tracked(folder, file).length, 1)
    })
  )
})
