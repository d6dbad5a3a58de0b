/** `--checksums`: files that coreutils check, for whole files and slices, on every way on which files come. */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { fault, ground, namesIn, readReport } from "../DownloadGround.ts"
import { runWarm } from "../WarmExecutables.ts"
import { words } from "../Words.ts"

/** Checks all of them as a user does, and gives the names that were right. */
const checked = (folder: string, kind: "md5" | "sha256"): ReadonlyArray<string> => {
  const sums = namesIn(folder).filter((name) => name.endsWith(`.${kind}`))
  const said = execFileSync(`${kind}sum`, ["-c", ...sums], { cwd: folder, encoding: "utf8" })
  return said
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/: OK$/, ""))
    .sort()
}

describe("--checksums", () => {
  for (const kind of ["md5", "sha256"] as const) {
    it.live(`${kind}: beside whole files and slices, and added to whole files where only they are missing`, () =>
      Effect.gen(function* () {
        const { download, folder, stats } = yield* ground()
        const args = ["-a", "A1", "-d", "out", "--checksums", kind]
        const whole = yield* download([...args, "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi", "--reportfile", "r.json"])
        assert.strictEqual(whole.exitCode, 0, whole.stderr)
        const files = ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"]
        assert.deepStrictEqual(checked(join(folder, "out"), kind), files)
        const proofs = readReport(folder, "r.json").files.map(({ provenBy }) => provenBy)
        assert.deepStrictEqual(proofs, ["md5", "md5", "md5", "md5"])
        const slice = yield* download([...args, "-g", "chr7", "-f", "bam,vcf.gz"])
        assert.strictEqual(slice.exitCode, 0, slice.stderr)
        const all = words`S1.bam S1.bam.bai S1.ranged.bam S1.ranged.bam.bai S1.ranged.vcf.gz S1.ranged.vcf.gz.tbi S1.vcf.gz
          S1.vcf.gz.tbi`
        assert.deepStrictEqual(checked(join(folder, "out"), kind), all)
        const before = (yield* stats).linkRequests
        for (const name of all) rmSync(join(folder, "out", `${name}.${kind}`))
        assert.strictEqual((yield* download([...args, "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi"])).exitCode, 0)
        // What a slice should be nobody states.
        const kept = yield* download([...args, "-g", "chr7", "-f", "bam,vcf.gz"])
        assert.strictEqual(kept.exitCode, 0, kept.stderr)
        assert.include(kept.stderr, "S1.ranged.bam: kept without a checksum, as nothing states what it should be")
        assert.deepStrictEqual(checked(join(folder, "out"), kind), files)
        assert.strictEqual((yield* stats).linkRequests, before)
      })
    )
  }

  it.live(
    "Z9 that are there and wrong are errors, of whole files, indexes and slices, and nothing is written over them",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* ground()
        const out = (name: string) => join(folder, "out", name)
        const args = ["-a", "A1", "-d", "out", "--checksums", "md5"]
        assert.strictEqual((yield* download(args)).exitCode, 0)
        assert.strictEqual((yield* download([...args, "-g", "chr7", "-f", "bam"])).exitCode, 0)
        for (const name of ["S1.bam", "S1.bam.bai", "S1.ranged.bam", "S1.ranged.bam.bai"]) {
          const right = readFileSync(out(`${name}.md5`), "utf8")
          const of = name.includes("ranged") ? [...args, "-g", "chr7", "-f", "bam"] : args
          for (const [wrong, says] of [
            [`${"0".repeat(32)}  ${name}\n`, `it does not fit ${name}, whose md5 is ${right.slice(0, 32)}`],
            ["nonsense\n", "is not one of md5sum"]
          ] as const) {
            writeFileSync(out(`${name}.md5`), wrong)
            const outcome = yield* download(of)
            assert.strictEqual(outcome.exitCode, 65, outcome.stderr)
            assert.include(outcome.stderr, `${name}.md5: `)
            assert.include(outcome.stderr, says)
            assert.notInclude(outcome.stderr, "same command again")
            assert.strictEqual(readFileSync(out(`${name}.md5`), "utf8"), wrong)
          }
          writeFileSync(out(`${name}.md5`), right)
        }
        assert.strictEqual((yield* download(args)).exitCode, 0)
      })
  )

  it.live("Z9 never vouch for a kept file that is damaged, or whose index does not fit it", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const out = (name: string) => join(folder, "out", name)
      assert.strictEqual((yield* download(["-a", "A1,A2", "-d", "out"])).exitCode, 0)
      const whole = readFileSync(out("S1.bam"))
      const args = ["-a", "A1", "-d", "out", "--checksums", "md5"]
      // As many bytes, but no end.
      writeFileSync(out("S1.bam"), whole.fill(0, whole.length - 40))
      const cut = yield* download([...args, "-f", "bam"])
      assert.strictEqual(cut.exitCode, 65, cut.stderr)
      assert.match(cut.stderr, /S1\.bam: .*; it was there before this run; --overwrite fetches it again/)
      assert.deepStrictEqual(
        namesIn(folder, "out").filter((name) => name.endsWith(".md5")),
        []
      )
      rmSync(out("S1.bam.bai"))
      const both = yield* download(args)
      assert.strictEqual(both.exitCode, 65, both.stderr)
      assert.deepStrictEqual(
        namesIn(folder, "out").filter((name) => name.endsWith(".md5")),
        []
      )
    })
  )

  it.live(
    "an older checksum goes with the file that --overwrite replaces, of every kind and without the option too",
    () =>
      Effect.gen(function* () {
        const { download, folder } = yield* ground()
        const out = join(folder, "out")
        const names = ["S1.bam", "S1.bam.bai", "S1.ranged.bam", "S1.ranged.bam.bai"]
        for (const args of [[], ["--checksums", "sha256"]]) {
          const stale = ["md5", "sha256"].flatMap((kind) => names.map((name) => `${name}.${kind}`))
          for (const name of [...names, ...stale]) writeFileSync(join(out, name), "old")
          const common = ["-a", "A1", "-d", "out", "--overwrite", ...args]
          assert.strictEqual((yield* download([...common, "-f", "bam,bam.bai"])).exitCode, 0)
          assert.strictEqual((yield* download([...common, "-g", "chr7", "-f", "bam"])).exitCode, 0)
          const fresh = args.length === 0 ? [] : names.map((name) => `${name}.sha256`)
          assert.deepStrictEqual(namesIn(out), [...names, ...fresh].sort())
        }
        assert.deepStrictEqual(checked(out, "sha256"), names)
      })
  )

  it.live("a restoration remembers them in a key of ours, and the resuming run writes them", () =>
    Effect.gen(function* () {
      const { download, env, folder, thaw } = yield* ground({ behaviour: { restoreDelay: Duration.hours(1) } })
      const args = ["-a", "A3", "-d", "out", "--restoreArchived", "force", "--checksums", "sha256"]
      const asked = yield* download(args)
      assert.strictEqual(asked.exitCode, 75, asked.stderr)
      const [entry] = JSON.parse(readFileSync(join(folder, "awaiting-restoration.json"), "utf8"))
      assert.strictEqual(entry.options.checksums, "sha256")
      yield* thaw
      const resumed = yield* runWarm("svc-resume-restore", [], { cwd: folder, env })
      assert.strictEqual(resumed.exitCode, 0, resumed.stderr)
      assert.deepStrictEqual(checked(join(folder, "out"), "sha256"), ["S3.bam", "S3.bam.bai"])
    })
  )
})

describe("--check", () => {
  for (const [check, provenBy] of [
    [[], "md5"],
    [["--check", "full"], "records"]
  ] as const) {
    it.live(`D2 [${check}] a flipped bit in the middle gives no file, and the next run fetches it anew`, () =>
      Effect.gen(function* () {
        const { download, folder, setFaults } = yield* ground()
        const args = ["-a", "A1", "-d", "out", "-f", "bam", "--reportfile", "r.json", ...check]
        yield* setFaults([fault({ plane: "link", file: "*.bam" }, { corrupt: 100_000 })])
        const bad = yield* download(args)
        assert.strictEqual(bad.exitCode, 65, bad.stderr)
        assert.match(bad.stderr, /S1\.bam: .*block .*at byte \d+/)
        assert.deepStrictEqual(namesIn(folder, "out"), [])
        yield* setFaults([])
        const good = yield* download(args)
        assert.strictEqual(good.exitCode, 0, good.stderr)
        const [file] = readReport(folder, "r.json").files
        assert.deepStrictEqual([file?.provenBy, file?.resumedFrom], [provenBy, 0])
      })
    )
  }
})
