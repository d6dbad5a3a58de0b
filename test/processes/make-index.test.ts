/** `--makeIndex`: a file that comes without an index gets one beside it, whole or not at all. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { encodeBamHeader } from "../../core/src/genome/formats/BamHeader.ts"
import * as BamRecord from "../../core/src/genome/formats/BamRecord.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import { ground, namesIn, readReport, sha256 } from "../DownloadGround.ts"
import { bamFile, bgzf, concat, read, references, text } from "../genome/Fixtures.ts"
import { temporaryFolder } from "../TemporaryFolder.ts"

const reads = Array.from({ length: 300 }, (_, i) => read(`r${i}`, 0, i * 400))

/** A service that lists no index. */
const withoutIndexes = Effect.gen(function* () {
  const data = join(yield* temporaryFolder("svc-data-"), "data")
  mkdirSync(data)
  const codec = yield* Codec
  const header = "##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
  writeFileSync(join(data, "S1.bam"), bamFile(codec, reads, { blockBytes: 4_000 }).bam)
  writeFileSync(join(data, "S1.vcf.gz"), bgzf(codec, text(header), text("chr1\t5\t.\tA\tC\t.\t.\t.\n")))
  const unsorted = concat(...[read("b", 0, 90), read("a", 0, 10)].map(BamRecord.encodeRecord))
  writeFileSync(join(data, "S2.bam"), bgzf(codec, encodeBamHeader(text("@HD\tVN:1.6\n"), references), unsorted))
  return yield* ground({ data })
}).pipe(Effect.provide(ZlibCodec.layer))

const all = ["-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi", "-d", "out", "--reportfile", "r.json"]
const wanted = ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"]

describe("--makeIndex", () => {
  it.live("puts indexes beside files that came without one, also beside those that are kept, and replaces none", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* withoutIndexes
      const args = ["A1", ...all, "--makeIndex", "--requireAll", "--samplesheet", "sheet.csv", "--checksums", "md5"]
      const planned = yield* download(["A1", "-f", "bam", "-d", "out", "--makeIndex", "--plan"])
      assert.match(planned.stdout, /^fetch +out\/S1\.bam .*\(its index is made\)$/m)

      const done = yield* download(args)
      assert.strictEqual(done.exitCode, 0, done.stderr)
      assert.notMatch(done.stderr, /is listed/)
      assert.deepStrictEqual(namesIn(folder, "out"), wanted.flatMap((name) => [name, `${name}.md5`]).sort())
      for (const { index, path } of readReport(folder, "r.json").files) {
        assert.strictEqual(index?.sha256, sha256(folder, index?.path ?? ""), path ?? "")
      }
      const row = wanted.map((name) => join(folder, "out", name)).join(",")
      assert.include(readFileSync(join(folder, "sheet.csv"), "utf8"), row)

      rmSync(join(folder, "out", "S1.bam.bai"))
      writeFileSync(join(folder, "out", "S1.vcf.gz.tbi"), "of the user")
      const again = yield* download(["A1", "-d", "out", "-f", "bam,vcf.gz", "--makeIndex"])
      assert.strictEqual(again.exitCode, 0, again.stderr)
      assert.include(namesIn(folder, "out"), "S1.bam.bai")
      assert.strictEqual(readFileSync(join(folder, "out", "S1.vcf.gz.tbi"), "utf8"), "of the user")
      const anew = yield* download(["A1", "-d", "out", "-f", "vcf.gz", "--makeIndex", "--overwrite"])
      assert.strictEqual(anew.exitCode, 0, anew.stderr)
      assert.notMatch(anew.stderr, /stays/)
      assert.notStrictEqual(readFileSync(join(folder, "out", "S1.vcf.gz.tbi"), "utf8"), "of the user")
    })
  )

  it.live("a file out of order stays, and is a failure that says so (65)", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* withoutIndexes
      const done = yield* download(["A2", ...all, "--makeIndex"])
      assert.strictEqual(done.exitCode, 65, done.stderr)
      assert.match(done.stderr, /S2\.bam: no index can be made of it: its records are not in the order of their places/)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S2.bam"])
      const without = yield* download(["A2", "-d", "out"])
      assert.strictEqual(without.exitCode, 0, without.stderr)

      for (const name of ["S2.bam", "S2.bai", "S2.bai.md5"]) writeFileSync(join(folder, "out", name), "of before")
      const anew = yield* download(["A2", "-d", "out", "-f", "bam", "--makeIndex", "--overwrite"])
      assert.strictEqual(anew.exitCode, 65, anew.stderr)
      assert.deepStrictEqual(namesIn(folder, "out"), ["S2.bam"])
      const again = yield* download(["A2", "-d", "out", "-f", "bam", "--makeIndex"])
      assert.strictEqual(again.exitCode, 65, again.stderr)
    })
  )

  it.live("a file of the run itself is not where an index goes (64)", () =>
    Effect.gen(function* () {
      const { download, folder } = yield* withoutIndexes
      symlinkSync("out/S1.bam.bai", join(folder, "r.json"))
      const done = yield* download(["A1", "-f", "bam", "-d", "out", "--makeIndex", "--reportfile", "r.json"])
      assert.strictEqual(done.exitCode, 64, done.stderr)
      assert.match(done.stderr, /r\.json is the name of a data file, and cannot be the report file/)
      assert.notInclude(namesIn(folder, "out"), "S1.bam")
    })
  )
})
