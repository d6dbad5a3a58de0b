/** The sandbox's own files, judged by samtools, bcftools and tabix. */
import { writeFileSync } from "node:fs"
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import { checkStructure } from "../../core/src/genome/Structure.ts"
import { makeSamples, sampleNames, zlibCodec } from "../../sandbox/samples/Samples.ts"
import { folder, tool } from "../genome/Oracles.ts"
import { walk } from "../genome/Walk.ts"
import { lacks, unless } from "../Lacks.ts"

vi.setConfig({ testTimeout: 60_000 })

/** Of one seed, made once. */
const samples = Effect.runSync(Effect.cached(Effect.provide(makeSamples(1), zlibCodec)))

const provided = Effect.provide(zlibCodec)

describe("samples", () => {
  it.effect("are sound, belong together, and are the same for the same seed", () =>
    Effect.gen(function* () {
      const files = new Map((yield* samples).map(({ bytes, name }) => [name, bytes()]))
      assert.strictEqual(files.size, 4 * sampleNames.length)
      for (const [name, bytes] of files) {
        const owner = name.replace(/\.(bai|tbi)$/, "")
        const data = files.get(owner) ?? new Uint8Array(0)
        const facts = yield* checkStructure(name, fromBytes(bytes), {
          name: owner,
          reader: fromBytes(data)
        })
        assert.isTrue(name.endsWith(`.${facts.kind}`))
        assert.isBelow(bytes.length, 400_000)
        if (owner === name) yield* walk(name, fromBytes(bytes))
      }
      const again = yield* makeSamples(1)
      for (const { bytes, name } of again) assert.deepStrictEqual(bytes(), files.get(name))
      const other = yield* makeSamples(2)
      assert.notDeepEqual(other[0]?.bytes(), again[0]?.bytes())
    }).pipe(provided)
  )

  it.effect("are made when they are first looked at, each with its partner and no other", () =>
    Effect.gen(function* () {
      const codec = yield* Codec
      let deflated = 0
      const deflateRaw: typeof codec.deflateRaw = (bytes, level) => {
        deflated++
        return codec.deflateRaw(bytes, level)
      }
      const [bam, bai, vcf] = yield* Effect.provideService(makeSamples(1), Codec, { ...codec, deflateRaw })
      assert.strictEqual(deflated, 0)
      bam?.bytes()
      const ofBam = deflated
      assert.isAbove(ofBam, 0)
      bai?.bytes()
      bam?.bytes()
      assert.strictEqual(deflated, ofBam)
      vcf?.bytes()
      assert.isAbove(deflated, ofBam)
    }).pipe(provided)
  )

  describe("by the tools", unless(lacks.genomeTools), () => {
    const written = Effect.gen(function* () {
      const path = yield* folder
      for (const { bytes, name } of yield* samples) writeFileSync(`${path}/${name}`, bytes())
      return path
    })

    it.live("samtools accepts each BAM and answers the same from our index as from its own", () =>
      Effect.gen(function* () {
        const path = yield* written
        for (const sample of sampleNames) {
          const bam = `${path}/${sample}.bam`
          tool("samtools", "quickcheck", bam)
          assert.isAbove(Number(tool("samtools", "view", "-c", bam)), 2_000)
          assert.isAbove(Number(tool("samtools", "view", "-c", "-f", "12", bam)), 10)
          tool("samtools", "index", "-o", `${path}/own.bai`, bam)
          const regions = ["chr1:155234000-155235000", "chr13", "chrX:31100000-31150000", "chrM:2100-2200", "chr2", "*"]
          for (const region of regions) {
            assert.strictEqual(
              tool("samtools", "view", bam, region),
              tool("samtools", "view", "-X", bam, `${path}/own.bai`, region)
            )
          }
          const ours = tool("samtools", "idxstats", bam)
          tool("samtools", "index", bam)
          assert.strictEqual(ours, tool("samtools", "idxstats", bam))
        }
      }).pipe(provided)
    )

    it.live("mates agree with each other", () =>
      Effect.gen(function* () {
        const path = yield* written
        const bam = `${path}/S1.bam`
        const fixed = `${path}/fixed.bam`
        tool("samtools", "sort", "-n", "-o", `${path}/names.bam`, bam)
        tool("samtools", "fixmate", `${path}/names.bam`, `${path}/mates.bam`)
        tool("samtools", "sort", "-o", fixed, `${path}/mates.bam`)
        const columns = (file: string) =>
          tool("samtools", "view", file)
            .split("\n")
            .map((line) => line.split("\t").slice(0, 9).join(" "))
            .sort()
        assert.deepStrictEqual(columns(bam), columns(fixed))
      }).pipe(provided)
    )

    it.live("bcftools and tabix accept each VCF and answer the same from our index as from their own", () =>
      Effect.gen(function* () {
        const path = yield* written
        for (const sample of sampleNames) {
          const vcf = `${path}/${sample}.vcf.gz`
          const all = tool("bcftools", "view", "-H", vcf)
          assert.isTrue(all.includes("<DEL>") && all.includes(";END="))
          const regions = ["chr1:155230000-155240000", "chr13", "chrY:1-5000000", "chr22:20000000-30000000"]
          const answers = () => regions.map((region) => tool("tabix", vcf, region))
          const ours = answers()
          assert.isTrue(ours.some((lines) => lines !== ""))
          tool("tabix", "-f", "-p", "vcf", vcf)
          assert.deepStrictEqual(ours, answers())
        }
      }).pipe(provided)
    )
  })
})
