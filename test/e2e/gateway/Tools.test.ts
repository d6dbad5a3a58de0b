/** Tools of other hands read through the gateway what they read from local files. */
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder, sha256 } from "../Ground.ts"
import { startNginx } from "../Nginx.ts"
import { htsget, pysam, region, regionQuery, regionText, tool, toolGround } from "./Ground.ts"

const ways = [
  ["by redirect", []],
  ["by relay", ["--relay"]]
] as const

describe("the gateway", () => {
  for (const [way, args] of ways) {
    it.live(
      `samtools and bcftools, ${way}: regions of a plain address, with the index guessed or given, and htsget`,
      () =>
        Effect.gen(function* () {
          const { files, gateway, stats, url } = yield* toolGround(args)
          const [bam, vcf] = [join(files, "S1.bam"), join(files, "S1.vcf.gz")]
          const reads = (...where: ReadonlyArray<string>) => tool("samtools", ["view", ...where])
          const lines = (...where: ReadonlyArray<string>) => tool("bcftools", ["view", "-H", ...where])
          const here = yield* reads(bam, regionText)
          assert.isAbove(here.split("\n").length, 100)
          assert.strictEqual(yield* reads(url("S1.bam"), regionText), here)
          assert.strictEqual(yield* reads("-X", url("S1.bam"), url("S1.bai"), regionText), here)
          assert.strictEqual(yield* reads(url("S1.bam")), yield* reads(bam))
          const there = yield* lines("-r", regionText, vcf)
          assert.isAbove(there.split("\n").length, 10)
          assert.strictEqual(yield* lines("-r", regionText, url("S1.vcf.gz")), there)
          // A ticket may bring more than the region: samtools and bcftools choose among it by themselves.
          const ticket = `${gateway.url}/reads/A1?${regionQuery}`
          assert.strictEqual(yield* reads("-e", overlapping, ticket), here)
          assert.strictEqual(yield* reads(`${gateway.url}/reads/A1`), yield* reads(bam))
          assert.strictEqual(
            yield* lines("-t", regionText, `${gateway.url}/variants/A1%2FS1.vcf.gz?${regionQuery}`),
            yield* lines("-t", regionText, vcf)
          )
          assert.include(yield* stats, { logins: 2, maxApiInFlight: 1 }, "one of the gateway, one of the comparison")
        })
    )

    it.live(`the htsget client, ${way}: its BAM is sound and has all reads of the region`, () =>
      Effect.gen(function* () {
        const { files, gateway } = yield* toolGround(args)
        const out = join(yield* folder, "slice.bam")
        yield* htsget([
          `${gateway.url}/reads/A1/S1.bam`,
          ...["--reference-name", region.name, "--start", `${region.start - 1}`, "--end", `${region.end}`, "-O", out]
        ])
        yield* tool("samtools", ["quickcheck", "-v", out])
        yield* tool("samtools", ["index", out])
        assert.strictEqual(
          yield* tool("samtools", ["view", out, regionText]),
          yield* tool("samtools", ["view", join(files, "S1.bam"), regionText])
        )
      })
    )

    it.live(`pysam, ${way}: reads and variants of a region, with the index guessed, and with a token in the path`, () =>
      Effect.gen(function* () {
        const tokenFile = join(yield* folder, "token")
        writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
        const { files, gateway } = yield* toolGround([...args, "--tokenFile", tokenFile])
        const through = (name: string) => `${gateway.url}/t/${token}/files/A1/${name}`
        const names = (bam: string, vcf: string) => pysam(namesInRegion, [bam, vcf, regionText])
        const here = yield* names(join(files, "S1.bam"), join(files, "S1.vcf.gz"))
        assert.isAbove(here.split("\n").length, 100)
        assert.strictEqual(yield* names(through("S1.bam"), through("S1.vcf.gz")), here)
      })
    )

    it.live(`curl, wget -c and aria2c, ${way}: the whole file, also continued and in 16 pieces`, () =>
      Effect.gen(function* () {
        const { files, url } = yield* toolGround(args)
        const original = join(files, "S1.bam")
        const cwd = yield* folder
        yield* tool("curl", ["-fsSL", url("S1.bam"), "-o", "curl.bam"], { cwd })
        copyFileSync(original, join(cwd, "S1.bam"))
        truncateSync(join(cwd, "S1.bam"), 100_000)
        yield* tool("wget", ["-q", "-c", url("S1.bam")], { cwd })
        yield* tool(
          "aria2c",
          ["-q", "-x16", "-s16", "-k", "1M", "--min-split-size=1M", "-o", "aria.bam", url("S1.bam")],
          { cwd }
        )
        for (const name of ["curl.bam", "S1.bam", "aria.bam"]) {
          assert.strictEqual(sha256(join(cwd, name)), sha256(original), name)
        }
      })
    )
  }

  it.live(
    "nginx with TLS as link host: redirects are followed, relayed bytes are the same, one connection serves many ranges",
    () =>
      Effect.gen(function* () {
        let nginx: { readonly url: string; readonly ca: string } | null = null
        const home = yield* folder
        const server = yield* startNginx({ files: home, service: "http://127.0.0.1:1" })
        nginx = server
        const linkOf = (files: string, name: string) => {
          copyFileSync(join(files, name), join(home, name))
          return `${nginx?.url}/files/${name}?signature=x`
        }
        const env = { CURL_CA_BUNDLE: server.ca }
        for (const args of [[], ["--relay"]]) {
          const { files, url } = yield* toolGround([...args, "--caFile", server.ca], linkOf)
          const here = yield* tool("samtools", ["view", join(files, "S1.bam"), regionText])
          assert.strictEqual(yield* tool("samtools", ["view", url("S1.bam"), regionText], { env }), here)
          const cwd = yield* folder
          yield* tool("curl", ["-fsSL", url("S1.bam"), "-o", "x"], { cwd, env })
          assert.isTrue(readFileSync(join(cwd, "x")).equals(readFileSync(join(files, "S1.bam"))))
        }
      })
  )
})

const token = "0123456789abcdef"

/** Prints the name and place of each read, and the place of each variant, in a region. */
const namesInRegion = `
import sys, pysam
bam, vcf, region = sys.argv[1:]
with pysam.AlignmentFile(bam) as file:
    for read in file.fetch(region=region): print(read.query_name, read.flag, read.reference_start)
with pysam.VariantFile(vcf) as file:
    for variant in file.fetch(region=region): print(variant.pos, variant.ref)
`

/** Reads that overlap the region, in the words of samtools. */
const overlapping = `rname=="${region.name}" && pos<=${region.end} && endpos>=${region.start}`
