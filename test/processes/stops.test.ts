/** `svc-download` as a process that is stopped in the middle of a file or a slice, and what the next run makes of it. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, ground, namesIn, readReport, sha256, stoppedInMidFile } from "../DownloadGround.ts"
import { start, untilOrEnd } from "../Executables.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

describe("a run that is stopped", () => {
  it.live(
    "P4 P12 SIGTERM in mid-transfer ends with 143 and a logout; the next run, elsewhere, goes on where it was",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        const { env, folder, setFaults, stats } = place
        const args = ["-a", "A1", "-f", "bam", "-d", "out", "--reportfile", "r.json"]
        yield* setFaults([fault({ plane: "link" }, { slow: 40_000 })])
        const end = yield* stoppedInMidFile(place, "svc-download", args, "SIGTERM")
        assert.strictEqual(end.exitCode, 143, end.stderr)
        assert.match(end.stderr, /Stopped by SIGTERM/)
        const broken = readReport(folder, "r.json")
        assert.isNull(broken.exitCode)
        assert.strictEqual(broken.files[0]?.error?.tag, "Stopped")
        assert.deepStrictEqual(
          namesIn(folder, "out").filter((name) => !name.startsWith(".")),
          []
        )
        const halfway = yield* stats
        assert.strictEqual(halfway.logouts, 1)

        yield* setFaults([])
        // As a pipeline does: the next attempt has a working folder of its own.
        const elsewhere = join(folder, "attempt-2")
        mkdirSync(elsewhere)
        const again = ["-a", "A1", "-f", "bam", "-d", join(folder, "out"), "--reportfile", "r.json"]
        const outcome = yield* runWarm("svc-download", again, { cwd: elsewhere, env })
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        const [file] = readReport(elsewhere, "r.json").files
        assert.isAbove(file?.resumedFrom ?? 0, 0)
        assert.strictEqual((yield* stats).linkBytes - halfway.linkBytes < (file?.bytes ?? 0), true)
        assert.deepStrictEqual(namesIn(folder, "out"), [file?.fileName ?? ""])
      })
  )

  it.live(
    "--limitRate: a file that would take minutes is stopped at its first kilobytes; without a limit it is done",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        writeFileSync(join(place.folder, "svc.json"), JSON.stringify({ limitRate: "1k" }))
        const limited: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
          ["out/option", ["--limitRate", "1k"]],
          ["out/file", ["--config", "svc.json"]]
        ]
        for (const [folder, more] of limited) {
          mkdirSync(join(place.folder, folder))
          const args = ["-a", "A1", "-f", "bam", "-d", folder, "--reportfile", "r.json"]
          const end = yield* stoppedInMidFile(place, "svc-download", [...args, ...more], "SIGTERM", folder)
          assert.strictEqual(end.exitCode, 143, end.stderr)
          assert.strictEqual((yield* place.download(args)).exitCode, 0)
          const [file] = readReport(place.folder, "r.json").files
          assert.isAbove(file?.resumedFrom ?? 0, 0)
          // The rest would have taken minutes.
          assert.isAbove((file?.bytes ?? 0) - (file?.resumedFrom ?? 0), 120_000)
        }
      })
  )

  it.live(
    "P4 SIGTERM in a slice ends with 143 and leaves nothing; the next run is byte for byte one that was not stopped",
    () =>
      Effect.gen(function* () {
        const { download, env, folder, setFaults, stats } = yield* ground()
        const args = words`-a A1 -g ${"chr7 chr13 chr1"} --reportfile r.json -d`
        // The third request for the BAM is the first for records.
        yield* setFaults([fault({ plane: "link", file: "*.bam", nth: 3 }, { slow: 10_000 })])
        const running = yield* start("svc-download", [...args, "out"], { cwd: folder, env })
        yield* untilOrEnd(
          running,
          "records come",
          Effect.map(
            stats,
            ({ faultsFired }) => faultsFired > 0 && namesIn(folder, "out").some((name) => name.endsWith(".part"))
          )
        )
        yield* running.kill("SIGTERM")
        const end = yield* running.outcome
        assert.strictEqual(end.exitCode, 143, end.stderr)
        assert.deepStrictEqual(namesIn(folder, "out"), [])
        assert.match(end.stderr, /^\S+ \[info\]: 0 files whole, 1 slice starts again: run the same command to go on$/m)
        const { error } = readReport(folder, "r.json").files[0] ?? {}
        assert.strictEqual(error?.tag, "Stopped")
        assert.match(error?.message ?? "", /before this slice was whole; the next run starts it again$/)
        yield* setFaults([])
        mkdirSync(join(folder, "calm"))
        for (const into of ["out", "calm"]) assert.strictEqual((yield* download([...args, into])).exitCode, 0)
        assert.deepStrictEqual(namesIn(folder, "out"), words`S1.ranged.bam S1.ranged.bam.bai`)
        for (const name of namesIn(folder, "out"))
          assert.strictEqual(sha256(folder, "out", name), sha256(folder, "calm", name))
      })
  )
})
