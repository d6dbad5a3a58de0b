/** `--samplesheet`: what a run has brought, for the pipeline that comes next. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { fault, ground, readReport } from "../DownloadGround.ts"
import { runWarm } from "../WarmExecutables.ts"

const all = ["-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi", "-d", "out"]

const cellsOf = (path: string): ReadonlyArray<ReadonlyArray<string>> =>
  readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","))

describe("--samplesheet", () => {
  it.live("has a row for each analysis, with absolute paths of files that are there; again with what was kept", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const sheet = join(folder, "sheet.csv")
      for (const _ of ["fetched", "kept"]) {
        const done = yield* download(["A1", "A2", ...all, "--samplesheet", "sheet.csv"])
        assert.strictEqual(done.exitCode, 0, done.stderr)
        const [header, ...rows] = cellsOf(sheet)
        assert.deepStrictEqual(header, ["analysis", "sample", "person", "bam", "bai", "vcf", "tbi"])
        assert.deepStrictEqual(
          rows.map(([analysis]) => analysis),
          ["A1", "A2"]
        )
        for (const [, sample, person, ...files] of rows) {
          assert.match(sample ?? "", /^S\d$/)
          assert.match(person ?? "", /^LIMS-/)
          assert.deepStrictEqual(
            files,
            ["bam", "bam.bai", "vcf.gz", "vcf.gz.tbi"].map((type) => join(folder, "out", `${sample}.${type}`))
          )
          assert.isTrue(files.every((file) => existsSync(file)))
        }
      }
    })
  )

  it.live("slices come with their own index, also those that were there already", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const args = ["A1", "-d", "out", "-f", "bam,vcf.gz", "-g", "chr7", "--samplesheet", "sheet.tsv"]
      for (const _ of ["cut", "kept"]) {
        const columns = ["--samplesheetColumns", "id=analysis,bam=bam,bai=bai,tbi=tbi"]
        const done = yield* download([...args, ...columns, "--reportfile", "r.json"])
        assert.strictEqual(done.exitCode, 0, done.stderr)
        // A workflow takes what the report names: an index that is not there is lost for it.
        const named = readReport(folder, "r.json").files.map(({ index }) => index?.path)
        assert.deepStrictEqual(named, ["out/S1.ranged.bam.bai", "out/S1.ranged.vcf.gz.tbi"])
        const files = ["S1.ranged.bam", "S1.ranged.bam.bai", "S1.ranged.vcf.gz.tbi"]
        const row = ["A1", ...files.map((name) => join(folder, "out", name))].join("\t")
        assert.strictEqual(readFileSync(join(folder, "sheet.tsv"), "utf8"), `id\tbam\tbai\ttbi\n${row}\n`)
      }
    })
  )

  it.live("a row that lacks a file is left out and said, or kept with an empty cell; the exit code stays", () =>
    Effect.gen(function* () {
      const { download, folder, setFaults } = yield* ground()
      yield* setFaults([fault({ plane: "link", file: "S2.bam" }, { status: 410 })])
      const args = ["A1", "A2", ...all, "--samplesheet", "sheet.csv"]
      const strict = yield* download(args)
      assert.notStrictEqual(strict.exitCode, 0)
      assert.include(strict.stderr, "sheet.csv: analysis A2 lacks bam")
      assert.lengthOf(cellsOf(join(folder, "sheet.csv")), 2)
      const partial = yield* download([...args, "--samplesheetPartial"])
      assert.strictEqual(partial.exitCode, strict.exitCode)
      assert.strictEqual(cellsOf(join(folder, "sheet.csv"))[2]?.[3], "")
    })
  )

  it.live("a restored file gets its row in the run that brings it", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground({ behaviour: { restoreDelay: Duration.millis(100) } })
      const args = ["-a", "A3", "-d", "out", "-f", "bam,bam.bai", "--samplesheet", "sheet.csv"]
      const done = yield* download([...args, "--restoreArchived", "force", "--wait", "1m", "--poll", "1s"])
      assert.strictEqual(done.exitCode, 0, done.stderr)
      assert.strictEqual(cellsOf(join(folder, "sheet.csv"))[1]?.[3], join(folder, "out", "S3.bam"))
    })
  )

  it.live(
    "a sheet with rows stays when a run comes to no files: a refused login, a resume with nothing to resume",
    () =>
      Effect.gen(function* () {
        const { download, env, folder } = yield* ground()
        assert.strictEqual((yield* download(["A1", "-d", "out", "--samplesheet", "s.csv"])).exitCode, 0)
        const before = readFileSync(join(folder, "s.csv"), "utf8")
        const resumed = yield* runWarm("svc-resume-restore", ["--samplesheet", "s.csv"], { cwd: folder, env })
        assert.strictEqual(resumed.exitCode, 0, resumed.stderr)
        const refused = yield* download(["A1", "-d", "out", "--samplesheet", "s.csv"], { SVC_PASSWORD: "wr0ng-one" })
        assert.strictEqual(refused.exitCode, 77, refused.stderr)
        assert.strictEqual(readFileSync(join(folder, "s.csv"), "utf8"), before)
      })
  )

  it.live("refuses before anything is asked: another name, columns that are none, a file that is no samplesheet", () =>
    Effect.gen(function* () {
      const { download, folder, stats } = yield* ground()
      const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["--samplesheet", "sheet.txt"], /sheet\.txt: the name of a samplesheet ends in \.csv \(commas\) or \.tsv/],
        [["--samplesheet", "s.csv", "--samplesheetColumns", "bam"], /"bam" is no column: write NAME=FIELD/],
        [["--samplesheetPartial"], /give --samplesheet FILE too/],
        [["--samplesheet", "s.csv", "--list"], /--samplesheet lists files that are there/],
        [["--samplesheet", "notes.csv"], /notes\.csv is there and is no samplesheet with these columns/]
      ]
      writeFileSync(join(folder, "notes.csv"), "my,own,notes\n")
      for (const [args, message] of wrong) {
        const done = yield* download(["A1", "-d", "out", ...args])
        assert.strictEqual(done.exitCode, 64, done.stderr)
        assert.match(done.stderr, message)
      }
      assert.strictEqual((yield* stats).logins, 0)
      rmSync(join(folder, "notes.csv"))
    })
  )
})
