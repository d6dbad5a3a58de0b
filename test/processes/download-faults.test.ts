/**
 * `svc-download` as a process when things go wrong: hostile names, wrong indexes, full disks and stops in the middle.
 * Secrets are secrets.test.ts and the common rule of faults/. What a single transfer survives is tested beside `core/src/transfer`.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fault, ground, namesIn, readReport, sha256, stoppedInMidFile } from "../DownloadGround.ts"
import { runWarm } from "../WarmExecutables.ts"

const vcf = { copyOf: "A1/S1.vcf.gz" }

describe("names", () => {
  it.live("Z1 Y4 hostile names are refused, shown harmless, and leave nothing outside the destination", () =>
    Effect.gen(function* () {
      const names = [
        "../up.vcf.gz",
        "/etc/x.vcf.gz",
        "a\\b.vcf.gz",
        "-x.vcf.gz",
        "e\u001b[2J.vcf.gz",
        "CON.vcf.gz",
        "n\u0000.vcf.gz",
        "s.vcf.gz "
      ]
      const { download, folder, stats } = yield* ground({
        world: { analyses: [{ id: "B1", files: [...names, "fine.vcf.gz"].map((name) => ({ name, ...vcf })) }] }
      })
      const outcome = yield* download(["-a", "B1", "-f", "vcf.gz", "-d", "out", "--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 73, outcome.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["fine.vcf.gz"])
      assert.deepStrictEqual(namesIn(folder), ["locks", "out", "r.json"])
      assert.notInclude(outcome.stderr, "\u001b")
      assert.include(outcome.stderr, "\\u001b[2J")
      const report = readReport(folder, "r.json")
      assert.strictEqual(report.files.filter(({ error }) => error?.tag === "UnsafeName").length, names.length)
      assert.deepStrictEqual(Object.keys((yield* stats).files), ["B1/fine.vcf.gz"])
    })
  )

  it.live("Z1 an analysis whose id is a path gets no folder", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground({
        world: { analyses: [{ id: "..", personLimsId: "L9", files: [{ name: "a.vcf.gz", ...vcf }] }] }
      })
      const outcome = yield* download(["-l", "L9", "-f", "vcf.gz", "-d", "out", "--layout", "analysis"])
      assert.notStrictEqual(outcome.exitCode, 0)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      assert.deepStrictEqual(namesIn(folder), ["locks", "out"])
    })
  )

  it.live("D17 equal names collide before any byte moves, also when they differ in case only", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground({
        world: {
          analyses: [
            { id: "B1", files: [{ name: "s.vcf.gz", ...vcf }] },
            { id: "B2", files: [{ name: "S.VCF.GZ", ...vcf }] }
          ]
        }
      })
      const flat = yield* download(["-a", "B1,B2", "-f", "vcf.gz", "-d", "out"])
      assert.strictEqual(flat.exitCode, 73, flat.stderr)
      assert.match(flat.stderr, /exists in several analyses \(B1, B2\); use --layout analysis/)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      assert.strictEqual((yield* stats).linkRequests, 0)
      const own = yield* download(["-a", "B1,B2", "-f", "vcf.gz", "-d", "out", "--layout", "analysis"])
      assert.strictEqual(own.exitCode, 0, own.stderr)
    })
  )
})

describe("contents", () => {
  it.live("D7 the index of another file gets no name, its data file does", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground({
        world: {
          analyses: [
            {
              id: "B1",
              files: [
                { name: "b.vcf.gz", ...vcf },
                { name: "b.vcf.gz.tbi", copyOf: "A2/S2.vcf.gz.tbi" }
              ]
            }
          ]
        }
      })
      const outcome = yield* download(["-a", "B1", "-f", "vcf.gz,vcf.gz.tbi", "-d", "out"])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.match(outcome.stderr, /b\.vcf\.gz\.tbi: .*not the index of b\.vcf\.gz/)
      assert.deepStrictEqual(
        namesIn(folder, "out").filter((name) => !name.startsWith(".")),
        ["b.vcf.gz"]
      )
      // Asked for alone it is checked against the file that is here.
      const alone = yield* download(["-a", "B1", "-f", "vcf.gz.tbi", "-d", "out"])
      assert.strictEqual(alone.exitCode, 65, alone.stderr)
    })
  )

  it.live("D3 a web page under the name of a BAM file gets no name", () =>
    Effect.gen(function* () {
      const page = Buffer.from("<html>Not here</html>").toString("base64")
      const { download, folder } = yield* ground({
        world: { analyses: [{ id: "B1", files: [{ name: "b.bam", base64: page }] }] }
      })
      const outcome = yield* download(["-a", "B1", "-f", "bam", "-d", "out"])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.deepStrictEqual(
        namesIn(folder, "out").filter((name) => !name.startsWith(".")),
        []
      )
    })
  )

  it.live("--overwrite keeps the old file when the new one cannot be had, and its index as well", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground()
      const both = ["-a", "A1", "-f", "vcf.gz,vcf.gz.tbi", "-d", "out"]
      assert.strictEqual((yield* download(both)).exitCode, 0)
      const names = namesIn(folder, "out")
      const before = names.map((name) => [name, sha256(folder, "out", name), statSync(join(folder, "out", name)).ino])
      yield* setFaults([fault({ plane: "link", file: "*.vcf.gz" }, { status: 403 })])
      const outcome = yield* download([...both, "--overwrite", "--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 77, outcome.stderr)
      assert.deepStrictEqual(
        names.map((name) => [name, sha256(folder, "out", name), statSync(join(folder, "out", name)).ino]),
        before
      )
      assert.deepStrictEqual(
        readReport(folder, "r.json").files.map(({ error }) => error?.tag),
        ["LinkForbidden", "LinkForbidden"]
      )
    })
  )
})

describe("what is said", () => {
  it.live("what keeps a data file away is said once, and its index has a line of its own", () =>
    Effect.gen(function* () {
      const { download, setFaults } = yield* ground()
      yield* setFaults([fault({ plane: "link", file: "*.bam" }, { status: 403 })])
      const outcome = yield* download(["-a", "A1", "-d", "out"])
      assert.strictEqual(outcome.exitCode, 77, outcome.stderr)
      const errors = outcome.stderr.split("\n").filter((line) => line.includes("[error]: S1.bam"))
      assert.lengthOf(errors, 2)
      assert.match(errors[0] ?? "", /: S1\.bam: \S+ refuses its link \(status 403\)/)
      assert.match(errors[1] ?? "", /: S1\.bam\.bai: not downloaded, because S1\.bam was not$/)
    })
  )
})

describe("what was there before", () => {
  it.live("a damaged data file that is kept is named, not the index that is fetched for it", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const data = join(folder, "out", "S1.bam")
      assert.strictEqual((yield* download(["-a", "A1", "-d", "out", "-f", "bam"])).exitCode, 0)
      writeFileSync(data, new Uint8Array(statSync(data).size))
      const outcome = yield* download(["-a", "A1", "-d", "out"])
      assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
      assert.match(outcome.stderr, /S1\.bam\.bai: cannot be checked, as S1\.bam beside it is damaged: not a BGZF file/)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S1.bam"])
    })
  )
})

describe("disk and report", () => {
  it.live("K2 a run that cannot fit is refused with numbers before a byte moves", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground({
        world: { analyses: [{ id: "B1", files: [{ name: "b.vcf.gz", ...vcf, listedSize: 4e15 }] }] }
      })
      const outcome = yield* download(["-a", "B1", "-f", "vcf.gz", "-d", "out", "--reportfile", "r.json"])
      assert.strictEqual(outcome.exitCode, 74, outcome.stderr)
      assert.lengthOf(outcome.stderr.match(/out has [\d.]+ \wi?B free, but all files together need 3\.6 PiB/g) ?? [], 1)
      assert.strictEqual((yield* stats).linkRequests, 0)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      assert.strictEqual(readReport(folder, "r.json").files[0]?.error?.tag, "DiskTooSmall")
    })
  )

  it.live("K10 a report that cannot be written is 74, and the files are there", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const outcome = yield* download(["-a", "A1", "-f", "vcf.gz", "-d", "out", "--reportfile", "/dev/full"])
      assert.strictEqual(outcome.exitCode, 74, outcome.stderr)
      assert.match(outcome.stderr, /Cannot write the report \/dev\/full: the disk is full/)
      assert.strictEqual(namesIn(folder, "out").length, 1)
      const early = yield* download(["-a", "A1", "-d", "out", "--reportfile", "no/r.json"])
      assert.strictEqual(early.exitCode, 73, early.stderr)
    })
  )
})

describe("links", () => {
  it.live("L3 a link that stays forbidden ends with 77, and stops no other file", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults, stats } = yield* ground()
      yield* setFaults([fault({ plane: "link", file: "*.vcf.gz" }, { status: 403 })])
      const outcome = yield* download(["-a", "A1", "-f", "bam,vcf.gz", "-d", "out"])
      assert.strictEqual(outcome.exitCode, 77, outcome.stderr)
      assert.match(
        namesIn(folder, "out")
          .filter((name) => !name.startsWith("."))
          .join(),
        /^[^,]+\.bam$/
      )
      assert.strictEqual((yield* stats).logins, 1)
    })
  )
})

describe("stops", () => {
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
})
