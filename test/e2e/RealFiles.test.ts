/** The real files of other projects through the sandbox and svc-download, judged by samtools, bcftools and tabix. */
import { copyFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCommand, startSandbox } from "../Executables.ts"
import { lacks, realFolder, unless } from "../Lacks.ts"
import { words } from "../Words.ts"
import { allTypes, download } from "./Download.ts"
import { folder, sha256 } from "./Ground.ts"

/** bcftools rejects its header (a contig is missing); tabix reads it. */
const onlyTabix = ["CNVtest.vcf.gz"]

const wanted = () => readdirSync(realFolder).filter((name) => /\.(bam|bam\.bai|vcf\.gz|vcf\.gz\.tbi)$/.test(name))

const people = "LIMS-0001,LIMS-0002,LIMS-0003,LIMS-0004"

describe("real files", unless(lacks.realFiles), () => {
  it.live("all of them arrive whole and are accepted by the tools that people use", () =>
    Effect.gen(function* () {
      assert.isAbove(wanted().length, 20)
      const sandbox = yield* startSandbox(["--data", realFolder])
      const destination = yield* folder

      const listing = yield* download(sandbox, sandbox.url, ["-l", people, "--list"])
      const ids = [...listing.stdout.matchAll(/^Analysis ID: (.+)$/gm)].map(([, id = ""]) => id)
      assert.isAbove(ids.length, 5, listing.stderr)

      const { exitCode, stderr } = yield* download(
        sandbox,
        sandbox.url,
        words`-a ${ids.join(",")} ${allTypes} -d ${destination}`
      )
      assert.strictEqual(exitCode, 0, stderr)
      assert.deepStrictEqual(readdirSync(destination).sort(), wanted().sort())

      for (const name of wanted()) {
        assert.strictEqual(sha256(join(destination, name)), sha256(join(realFolder, name)), name)
      }
      const bams = wanted().filter((name) => name.endsWith(".bam"))
      const checked = yield* runCommand("samtools", ["quickcheck", "-v", ...bams], { cwd: destination })
      assert.deepStrictEqual(checked, { exitCode: 0, stdout: "", stderr: "" })
      for (const name of bams) {
        const counts = yield* runCommand("samtools", ["idxstats", name], { cwd: destination })
        assert.strictEqual(counts.exitCode, 0, `${name}: ${counts.stderr}`)
      }
      for (const name of wanted().filter((name) => name.endsWith(".vcf.gz"))) {
        const names = yield* runCommand("tabix", ["--list-chroms", name], { cwd: destination })
        assert.strictEqual(names.exitCode, 0, `${name}: ${names.stderr}`)
        assert.notStrictEqual(names.stdout, "", name)
        if (onlyTabix.includes(name)) continue
        const counts = yield* runCommand("bcftools", ["index", "--nrecords", name], { cwd: destination })
        assert.strictEqual(counts.exitCode, 0, `${name}: ${counts.stderr}`)
        const read = yield* runCommand("bcftools", ["view", "--no-header", "-o", "/dev/null", name], {
          cwd: destination
        })
        assert.strictEqual(read.exitCode, 0, `${name}: ${read.stderr}`)
      }
    })
  )
})

describe("indexes of files that came without", unless(lacks.realFiles), () => {
  it.live("--makeIndex: the index of each leads samtools and tabix to the records that their own leads to", () =>
    Effect.gen(function* () {
      const [data, ours, theirs] = [yield* folder, yield* folder, yield* folder]
      const names = wanted().filter((name) => /\.(bam|vcf\.gz)$/.test(name))
      for (const to of [data, theirs]) for (const name of names) copyFileSync(join(realFolder, name), join(to, name))
      const sandbox = yield* startSandbox(["--data", data])
      const done = yield* download(sandbox, sandbox.url, ["-l", people, "-f", "bam,vcf.gz", "-d", ours, "--makeIndex"])
      assert.strictEqual(done.exitCode, 0, done.stderr)
      const outputOf = (cwd: string, [command = "", ...args]: ReadonlyArray<string>) =>
        Effect.map(runCommand(command, args, { cwd }), ({ exitCode, stderr, stdout }) => {
          assert.strictEqual(exitCode, 0, `${command} ${args.join(" ")}: ${stderr}`)
          return stdout
        })
      for (const name of names) {
        const isBam = name.endsWith(".bam")
        yield* outputOf(theirs, isBam ? ["samtools", "index", name] : ["tabix", "-p", "vcf", name])
        const counting = isBam ? ["samtools", "idxstats", name] : ["tabix", "-l", name]
        const known = yield* outputOf(theirs, counting)
        assert.strictEqual(yield* outputOf(ours, counting), known, name)
        const references = known.split("\n").map((line) => line.split("\t")[0] ?? "")
        for (const reference of references.filter((reference) => /^[^*:,{}]+$/.test(reference))) {
          for (const range of ["", ":1-300", ":16000-17000", ":20000-40000"]) {
            const region = `${reference}${range}`
            const viewing = isBam ? ["samtools", "view", name, region] : ["tabix", name, region]
            assert.strictEqual(yield* outputOf(ours, viewing), yield* outputOf(theirs, viewing), `${name} ${region}`)
          }
        }
      }
    })
  )
})
