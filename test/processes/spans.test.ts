/** VCF records that span by SVLEN and LEN, against bcftools 1.16, which knows END alone; test/e2e/Spans.test.ts asks a newer one. */
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { bgzf, text } from "../genome/Fixtures.ts"
import { folder, tool } from "../genome/Oracles.ts"
import { edgesOf, idsOf, sliceTo, someBed, spanningVcf, writeSpanningVcf } from "../genome/Spans.ts"
import { lacks, unless } from "../Lacks.ts"

const idsIn = (path: string, ...args: ReadonlyArray<string>) => idsOf(tool("bcftools", "view", "-H", ...args, path))

describe("slices of records that span by their lengths", unless(lacks.genomeTools), () => {
  it.live("D15 they are those of a bcftools that knows END alone, and more, in any version", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const random = SeededRandom.make(3)
      const [bed, slice] = [`${path}/some.bed`, `${path}/slice.vcf.gz`]
      let more = 0
      for (const version of ["4.3", "4.5"]) {
        const data = `${path}/${version}.vcf.gz`
        const edges = edgesOf(yield* writeSpanningVcf(data, version, 1))
        tool("tabix", "-p", "vcf", data)
        for (let i = 0; i < 12; i++) {
          const regions = someBed(random, edges)
          writeFileSync(bed, regions)
          yield* sliceTo(data, slice, regions)
          const ours = idsIn(slice)
          const theirs = idsIn(data, "-R", bed)
          assert.includeMembers([...ours], [...theirs], regions)
          more += ours.length - theirs.length
        }
        // Its own index serves the old tool as that of the source does.
        yield* sliceTo(data, slice, "1\t0\t2000000\n2\t0\t2000000\n")
        for (let i = 0; i < 12; i++) {
          writeFileSync(bed, someBed(random, edges))
          assert.deepStrictEqual(idsIn(slice, "-R", bed), idsIn(data, "-R", bed))
        }
      }
      assert.isAbove(more, 0)
    }).pipe(Effect.scoped, Effect.provide(ZlibCodec.layer))
  )

  it.live("D15 blank lines in the header of the source take no record from a slice, and it has none of them", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [data, slice, plain] = [`${path}/blank.vcf.gz`, `${path}/slice.vcf.gz`, `${path}/plain.vcf.gz`]
      yield* writeSpanningVcf(plain, "4.3", 1)
      tool("tabix", "-p", "vcf", plain)
      // Asked by region, bcftools 1.16 stops without failure at a blank line: it answers for the file that has none.
      const theirs = idsIn(plain, "-r", "1:1-500000")
      assert.isAbove(theirs.length, 0)
      for (const blank of ["\n", "\r\n"]) {
        const vcf = spanningVcf("4.3", 1).replace("#CHROM", `${blank}${blank}#CHROM`)
        writeFileSync(data, bgzf(yield* Codec, text(vcf)))
        tool("tabix", "-f", "-p", "vcf", data)
        yield* sliceTo(data, slice, "1\t0\t500000\n")
        assert.deepStrictEqual(idsIn(slice), theirs)
        assert.notMatch(tool("bgzip", "-dc", slice), /^\r?\n/m)
      }
    }).pipe(Effect.scoped, Effect.provide(ZlibCodec.layer))
  )
})
