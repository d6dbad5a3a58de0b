/** The restoration file between processes: layouts, damage, several runs at once. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { namesIn } from "../../DownloadGround.ts"
import { archive, entry, file, store, tracked } from "../../RestorationGround.ts"

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

  it.live(
    "overdue requests for another target are warned of in every look, those of which somebody may fetch the files are not",
    () =>
      Effect.gen(function* () {
        const { folder, resume, stats } = yield* archive("1 hour", online)
        // As the schedules look.
        const night = ["--pendingOk", "--loglevel", "warn"]
        const other = (target: string, restoreEstimation: string) => entry("B1", {}, { target, restoreEstimation })
        const waiting = other("https://second.example/", new Date().toISOString())
        store(folder, waiting)
        const quiet = yield* resume(night)
        assert.deepInclude(quiet, { exitCode: 0, stderr: "" })
        assert.match((yield* resume([])).stderr, /1 restoration for https:\/\/second\.example\/, left alone\n/)
        // The service has moved, and its new address has requests of its own.
        const late = other("https://first.example", "2020-01-01T00:00:00Z")
        const others = [late, { ...late, analysisId: "B2" }, waiting]
        store(folder, ...others)
        const moved =
          /^\S+ \[warn\]: \S+: 2 restorations for https:\/\/first\.example\/ overdue, left alone by a run for http\S+; if the service has moved, .*\n$/
        const alone = yield* resume(night)
        assert.strictEqual(alone.exitCode, 0)
        assert.match(alone.stderr, moved)
        assert.strictEqual((yield* stats).logins, 0)
        store(folder, entry("A3"), ...others)
        const mixed = yield* resume(night)
        assert.strictEqual(mixed.exitCode, 0, mixed.stderr)
        assert.match(mixed.stderr, moved)
        assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam"])
        assert.lengthOf(tracked(folder, file), 3)
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
      const { download, folder } = yield* archive("0 seconds", online)
      const original = JSON.stringify({
        restorations: [
          { analysisId: "A3", fileName: "S3.bam", requestTime: "2026-01-01T00:00:00Z", status: "available" },
          { analysisId: "X1", fileName: "X1.bam", status: "pending", target: "another" }
        ],
        lastUpdated: "2026-01-01T00:00:00Z"
      })
      writeFileSync(join(folder, file), original, { mode: 0o600 })
      const outcome = yield* download(["--resumeArchivedDownloads", "-d", "out", "--checksums", "md5", "-g", "chr1"])
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S3.bam", "S3.bam.bai", "S3.bam.bai.md5", "S3.bam.md5"])
      assert.deepStrictEqual(outcome.stderr.match(/--.*no effect.*/g), [
        "--range: no effect on stored requests, which are resumed as they were made"
      ])
      assert.deepStrictEqual(
        tracked(folder, file).map(({ target }) => target),
        ["another"]
      )
      assert.strictEqual(readFileSync(join(folder, `${file}.bak`), "utf8"), original)
    })
  )

  it.live(
    "an option that some requests store themselves is said to have no effect on these, and has one on the others",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* archive("0 seconds", online)
        mkdirSync(join(folder, "other"))
        const bare = { analysisId: "A3", fileName: "S3.bam", options: { filetypes: ["bam"] } }
        store(folder, bare, entry("A3", { destination: "other" }))
        const outcome = yield* download([
          "--resumeArchivedDownloads",
          "-d",
          "out",
          "-f",
          "vcf.gz",
          "--layout",
          "analysis"
        ])
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        assert.deepStrictEqual(outcome.stderr.match(/--.*no effect.*/g), [
          "--destination: no effect on 1 of 2 stored requests, which are resumed as they were made",
          "--filetypes: no effect on stored requests, which are resumed as they were made"
        ])
        assert.deepStrictEqual([namesIn(folder, "out", "A3"), namesIn(folder, "other", "A3")], [["S3.bam"], ["S3.bam"]])
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
      assert.match(readFileSync(join(folder, "run.log"), "utf8"), /^\S+ \d+ \[info\]: 1 restoration pending/)
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
    300_000
  )
})
