import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { type Ground, ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { run } from "../Executables.ts"
import { bamFile, read as bamRead } from "../genome/Fixtures.ts"
import { tool } from "../genome/Oracles.ts"
import { lacks, unless } from "../Lacks.ts"
import { folderOf } from "../records/Library.ts"
import { fits } from "../Schemas.ts"
import { words } from "../Words.ts"

/** Three genes in no order, two of them overlapping themselves. */
const genes = "chr7:117559500-117561000 chr1:155234500-155236000 chr7:117,560,000-117,562,000"

/** Downloads whole files to compare with. */
const whole = Effect.fnUntraced(function* ({ download, folder }: Ground, analysis = "A1") {
  mkdirSync(join(folder, "whole"), { recursive: true })
  const outcome = yield* download(["-a", analysis, "-d", "whole", "-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi"])
  assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
})

const bedOf = (folder: string, regions: string) => {
  const path = join(folder, "oracle.bed")
  const lines = regions.split(" ").map((region) => {
    const [name = "", positions] = region.replaceAll(",", "").split(":")
    const [from = "1", to = "536870912"] = (positions ?? "").split("-")
    return `${name}\t${Number(positions === undefined ? "1" : from) - 1}\t${positions === undefined ? "536870912" : to}\n`
  })
  writeFileSync(path, lines.join(""))
  return path
}

/** The records of both are the same text in the same order. */
const sameReads = (ours: string, theirs: ReadonlyArray<string>) => {
  const found = tool("samtools", "view", ours)
  assert.isTrue(found === tool("samtools", "view", ...theirs), `${ours} differs from samtools view ${theirs.join(" ")}`)
  return found.split("\n").length - 1
}

/** An index answers as the one that samtools makes. */
const sameIndex = (bam: string) => {
  const ours = tool("samtools", "idxstats", bam)
  const copy = `${bam}.copy`
  copyFileSync(bam, copy)
  tool("samtools", "index", copy)
  assert.strictEqual(ours, tool("samtools", "idxstats", copy))
  for (const name of [copy, `${copy}.bai`]) rmSync(name)
}

describe("records", () => {
  it.live(
    "D15 regions in any order, overlapping, with commas: the records of samtools, once each, in file order",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        const { download, folder } = place
        yield* whole(place)
        const outcome = yield* download(words`-a A1 -g ${genes} -d out -f bam,vcf.gz --reportfile r.json`)
        assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
        assert.deepStrictEqual(
          namesIn(folder, "out"),
          words`S1.ranged.bam S1.ranged.bam.bai S1.ranged.vcf.gz S1.ranged.vcf.gz.tbi`
        )
        const bed = bedOf(folder, genes)
        const ours = join(folder, "out/S1.ranged.bam")
        const reads = sameReads(ours, ["-M", "-L", bed, join(folder, "whole/S1.bam")])
        assert.isAbove(reads, 100)
        tool("samtools", "quickcheck", "-v", ours)
        sameIndex(ours)
        assert.strictEqual(
          tool("samtools", "view", ours, "chr7:117559900-117560100"),
          tool("samtools", "view", join(folder, "whole/S1.bam"), "chr7:117559900-117560100")
        )
        const merged = bedOf(folder, "chr1:155234500-155236000 chr7:117559500-117562000")
        const variants = tool("bcftools", "view", "-H", join(folder, "out/S1.ranged.vcf.gz"))
        assert.strictEqual(variants, tool("bcftools", "view", "-H", "-R", merged, join(folder, "whole/S1.vcf.gz")))
        const [bam, vcf] = readReport(folder, "r.json").files
        assert.deepStrictEqual(bam?.regions, ["chr1:155234500-155236000", "chr7:117559500-117562000"])
        assert.strictEqual(bam?.records, reads)
        assert.strictEqual(vcf?.records, variants.split("\n").length - 1)
        assert.strictEqual(bam?.sha256, sha256(ours))
        assert.deepStrictEqual(bam?.index, {
          path: "out/S1.ranged.bam.bai",
          bytes: statSync(`${ours}.bai`).size,
          sha256: sha256(`${ours}.bai`)
        })
      }),
    unless(lacks.genomeTools)
  )

  it.live("a BED file of 600,000 intervals", () =>
    Effect.gen(function* () {
      const place = yield* ground()
      const { download, folder } = place
      yield* whole(place)
      const lines = Array.from({ length: 600_000 }, (_, i) => `chr1\t${i * 400}\t${i * 400 + 200}\n`)
      writeFileSync(join(folder, "many.bed"), lines.join(""))
      const asked = ["-a", "A1", "-b", "many.bed", "-d", "out", "-f", "bam", "--reportfile", "r.json"]
      const outcome = yield* download(asked)
      assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
      const [bam] = readReport(folder, "r.json").files
      assert.match(bam?.regions?.[0] ?? "", /^600000 regions, CRC-32 [0-9a-f]{8}$/)
      assert.isAbove(bam?.records ?? 0, 0)
      if (lacks.genomeTools !== null) return
      const theirs = ["-M", "-L", join(folder, "many.bed"), join(folder, "whole/S1.bam")]
      assert.strictEqual(sameReads(join(folder, "out/S1.ranged.bam"), theirs), bam?.records)
    })
  )

  it.live(
    "mistakes 5 and 7: --unmapped adds the unplaced reads once, and alone takes nothing else",
    () =>
      Effect.gen(function* () {
        const place = yield* ground()
        const { download, folder } = place
        yield* whole(place)
        const source = join(folder, "whole/S1.bam")
        const unplaced = tool("samtools", "view", source, "*")
        assert.isAbove(unplaced.length, 0)
        assert.strictEqual((yield* download(["-a", "A1", "-g", genes, "--unmapped", "-d", "out"])).exitCode, 0)
        const placed = tool("samtools", "view", "-M", "-L", bedOf(folder, genes), source)
        assert.strictEqual(tool("samtools", "view", join(folder, "out/S1.ranged.bam")), placed + unplaced)
        sameIndex(join(folder, "out/S1.ranged.bam"))
        const alone = yield* download(words`-a A1 --unmapped -d out -f bam,vcf.gz --reportfile r.json`)
        assert.strictEqual(alone.exitCode, 0, alone.stderr)
        assert.strictEqual(tool("samtools", "view", join(folder, "out/S1.unmapped.bam")), unplaced)
        const [bam, vcf] = readReport(folder, "r.json").files
        assert.deepStrictEqual(bam?.regions, ["*"])
        assert.strictEqual(vcf?.reason, "no-reads")
        assert.isFalse(existsSync(join(folder, "out/S1.unmapped.vcf.gz")))
      }),
    unless(lacks.genomeTools)
  )

  it.live(
    "D1 D15 a header with short lengths and blanks in names, and no end of the file: the records of samtools, and one warning",
    () =>
      Effect.gen(function* () {
        const data = mkdtempSync(join(tmpdir(), "svc-odd-file-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(data, { recursive: true, force: true })))
        const references = [
          { name: "chr 1", length: 1_000 },
          { name: "chr2", length: 1_000 }
        ]
        const reads = [0, 1].flatMap((ref) =>
          [100, 300, 980, 999, 1_000, 5_000, 70_000].map((position) => bamRead(`r${ref}_${position}`, ref, position))
        )
        const unplaced = ["u1", "u2"].map((name) => bamRead(name, -1, -1, []))
        const { bai, bam } = bamFile(yield* Codec, [...reads, ...unplaced], { references, blockBytes: 300 })
        writeFileSync(join(data, "odd.bam"), bam.subarray(0, -28))
        writeFileSync(join(data, "odd.bam.bai"), bai)
        const { download, folder } = yield* ground({ data })
        const source = join(data, "odd.bam")
        const warning = "odd.bam: it does not end with the BGZF end-of-file block"
        for (const regions of [
          "{chr 1}:200-1000",
          "chr2:990-1000 {chr 1}",
          "chr2:990- {chr 1}:999-1005",
          "chr2:-1000"
        ]) {
          const args = ["-a", "A1", "-g", regions, "-d", "out", "--overwrite", "--reportfile", "r.json"]
          const outcome = yield* download(args)
          assert.strictEqual(outcome.exitCode, 0, outcome.stderr)
          assert.strictEqual(outcome.stderr.split(warning).length, 2, outcome.stderr)
          const [file] = fits("report", readReport(folder, "r.json")).files
          assert.match(
            file?.warnings.join() ?? "",
            /^odd\.bam: it does not end with the BGZF end-of-file block: the slice has/
          )
          const words = regions.match(/\{.*?\}\S*|\S+/g) ?? []
          assert.sameMembers(
            [...(file?.regions ?? [])],
            words.map((word) => word.replace(":-", ":1-"))
          )
          const theirs = words.map((word) => tool("samtools", "view", source, word)).sort()
          const ours = tool("samtools", "view", join(folder, "out/odd.ranged.bam"))
          assert.strictEqual(ours, theirs.join(""), regions)
        }
        const alone = yield* download(["-a", "A1", "--unmapped", "-d", "out"])
        assert.strictEqual(alone.exitCode, 0, alone.stderr)
        assert.include(alone.stderr, warning)
        sameReads(join(folder, "out/odd.unmapped.bam"), [source, "*"])
        assert.strictEqual((yield* download(["-a", "A1", "-d", "out"])).exitCode, 65)
        const behind = yield* download(["-a", "A1", "-g", "chr2:1001-2000", "-d", "out"])
        assert.strictEqual(behind.exitCode, 66)
        assert.include(behind.stderr, "chr2 ends at 1000 by the header, which may be wrong")
      }).pipe(Effect.provide(ZlibCodec.layer)),
    unless(lacks.genomeTools)
  )
})

describe("a record of 150 MB", () => {
  it.live(
    "D9 takes little more memory than its blocks, wanted or not",
    () =>
      Effect.gen(function* () {
        const bases = 100_000_000
        const long = { ...bamRead("long", 0, 2_000), cigar: [[bases, "M"]] as const, bases: "A".repeat(bases) }
        const references = [{ name: "chr1", length: 200_000_000 }]
        const { bai, bam } = bamFile(yield* Codec, [bamRead("a", 0, 1_000), long, bamRead("b", 0, 3_000)], {
          references,
          level: 0
        })
        const { env, folder } = yield* ground({ data: folderOf({ "S1.bam": bam, "S1.bam.bai": bai }) })
        // Not maxRSS: what begins a process counts in it.
        const said = `process.on("exit",()=>console.error(process.getBuiltinModule("fs").readFileSync("/proc/self/status","utf8")))`
        const options = {
          cwd: folder,
          env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(said)}` }
        }
        for (const [range, records] of [
          ["chr1:2900-3100", 2],
          ["chr1:1001-1010", 1]
        ] as const) {
          const args = ["-a", "A1", "-g", range, "-d", "out", "--overwrite", "--reportfile", "r.json"]
          const { exitCode, stderr } = yield* run("svc-download", args, options)
          assert.strictEqual(exitCode, 0, stderr)
          assert.strictEqual(readReport(folder, "r.json").files[0]?.records, records)
          // Kilobytes. The blocks hold 150 MB, and a slice of other records takes up to 250 MB.
          const rss = Number(/^VmHWM:\s+(\d+) kB$/m.exec(stderr)?.[1])
          assert.isBelow(rss, 400_000)
        }
      }).pipe(Effect.provide(ZlibCodec.layer)),
    120_000
  )
})

describe("before fetching", () => {
  it.live("--list and --plan tell the bytes and requests that the download then needs", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* ground()
      const types = ["-f", "bam,vcf.gz"]
      const list = yield* download(["-a", "A1", "-g", genes, "--list", "--format", "json", ...types])
      assert.strictEqual(list.exitCode, 0, list.stderr)
      const text = yield* download(["-a", "A1", "-g", genes, "--list"])
      const plan = yield* download(["-a", "A1", "-g", genes, "--plan", "--format", "json", "-d", "out", ...types])
      assert.strictEqual(plan.exitCode, 0, plan.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), [])
      const run = yield* download(["-a", "A1", "-g", genes, "-d", "out", ...types, "--reportfile", "r.json"])
      assert.strictEqual(run.exitCode, 0, run.stderr)
      const listed = fits("list", JSON.parse(list.stdout)).analyses[0].files
      const planned = fits("plan", JSON.parse(plan.stdout)).files
      for (const [i, file] of readReport(folder, "r.json").files.entries()) {
        const ranged = { bytes: file.fetched, requests: file.attempts, regions: file.regions?.join(" ") }
        assert.deepStrictEqual(listed[i].ranged, ranged)
        assert.deepStrictEqual(planned[i].slice, ranged)
        assert.strictEqual(planned[i].path, file.path)
        assert.match(
          text.stdout,
          new RegExp(`  ${file.fileName}  .*  regions: ${ranged.bytes} bytes .*in ${ranged.requests} requests`)
        )
      }
    })
  )
})
