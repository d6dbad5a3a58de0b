/** Waiting for restorations, and being stopped while waiting. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, namesIn, partBytes, readReport, sha256, stoppedInMidFile } from "../../DownloadGround.ts"
import { untilOrEnd } from "../../Executables.ts"
import {
  archive,
  entry,
  file,
  overdueArchive,
  reference,
  startWaiting,
  store,
  thawedWhenItWaits,
  tracked
} from "../../RestorationGround.ts"

describe("waiting", () => {
  it.live("SIGTERM ends it with 75 and the pending line, and everything is kept", () =>
    Effect.gen(function* () {
      const here = yield* archive("1 hour")
      const { folder, request } = here
      assert.strictEqual((yield* request(["A3", "-d", "out"])).exitCode, 0)
      const before = readFileSync(join(folder, file), "utf8")
      const running = yield* startWaiting(here, "svc-resume-restore", ["--wait", "1h", "--poll", "10m"])
      yield* running.kill("SIGTERM")
      const { exitCode, stderr } = yield* running.outcome
      assert.strictEqual(exitCode, 75, stderr)
      assert.match(
        stderr,
        /\n\S+ \[info\]: 1 restoration pending, the next expected at .*run again later: svc-resume-restore/
      )
      assert.strictEqual(readFileSync(join(folder, file), "utf8"), before)
    })
  )

  it.live("SIGTERM ends it with what failed, with --pendingOk too, as the end of the time would", () =>
    Effect.gen(function* () {
      const here = yield* archive("1 hour")
      const { folder, setFaults } = here
      const args = ["--wait", "1h", "--poll", "10m", "--pendingOk"]
      const asked = { restoreEstimation: "2999-01-01T00:00:00Z", requestTime: "2998-12-31T23:00:00Z" }
      const pending = entry("A3", {}, asked)
      const cold = entry("A1", {}, { fileName: "S1.bam" })
      const gone = entry("A1", {}, { fileName: "S9.bam" })
      const body = "<Error><Code>InvalidObjectState</Code></Error>"
      yield* setFaults([fault({ plane: "link" }, { status: 403, body })])
      for (const [entries, said, code] of [
        [[pending], "1 restoration pending", 0],
        [[pending, gone], "1 restoration pending", 66],
        [[cold], "1 restoration requested", 75]
      ] as const) {
        store(folder, ...entries)
        const running = yield* startWaiting(here, "svc-resume-restore", args)
        yield* running.kill("SIGTERM")
        const { exitCode, stderr } = yield* running.outcome
        assert.include(stderr, `${said}; looking again at`)
        assert.strictEqual(exitCode, code, stderr)
      }
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

  it.live("a stop in mid-file of a later look is one, although it waited before", () =>
    Effect.gen(function* () {
      const here = yield* overdueArchive()
      const { folder, request, setFaults, thaw } = here
      assert.strictEqual((yield* request(["A3", "-d", "out", "-f", "bam"])).exitCode, 0)
      const args = ["--wait", "1h", "--poll", "1s", "--pendingOk"]
      const running = yield* startWaiting(here, "svc-resume-restore", args)
      yield* setFaults([fault({ plane: "link" }, { slow: 40_000 })])
      yield* thaw
      yield* untilOrEnd(
        running,
        "bytes are in a part",
        Effect.sync(() => partBytes(folder, "out") > 0)
      )
      yield* running.kill("SIGTERM")
      const { exitCode, stderr } = yield* running.outcome
      assert.strictEqual(exitCode, 143, stderr)
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
})
