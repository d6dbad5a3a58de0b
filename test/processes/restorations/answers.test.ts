/** What the service answers about archived files, and what a run makes of it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { fault, namesIn, readReport } from "../../DownloadGround.ts"
import { archive, entry, file, store, tracked } from "../../RestorationGround.ts"

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
            behaviour: { restoreEstimation: estimate }
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
        behaviour: { rearchiveAfter: Duration.millis(100) }
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
