/**
 * VCF records that span by SVLEN and LEN, against both generations of bcftools: 1.16 of the machine, which knows END alone, and the
 * newest one, which comes in pysam. By its index of a VCF.gz it reads one base less of SVLEN than the specification says; of a BCF it has
 * all.
 */
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { tool } from "../genome/Oracles.ts"
import { edgesOf, idsOf, sliceTo, someBed, spanningVcf, writeSpanningVcf } from "../genome/Spans.ts"
import { root } from "../Root.ts"
import { folder } from "./Ground.ts"

const program = `import json, sys
import pysam, pysam.bcftools
for name, *args in json.loads(sys.argv[1]):
    call = getattr(pysam.bcftools, name, None)
    if call is None:
        pysam.tabix_index(args[0], preset="vcf", force=True)
    else:
        output = call(*args, catch_stdout="-o" not in args)
        if "-R" in args:
            sys.stdout.write(output + "\\0")
`

/** Runs commands of the newest bcftools; gives the IDs that each question for regions found. */
const newest = (...commands: ReadonlyArray<ReadonlyArray<string>>) =>
  tool(`${root}.e2e/python/bin/python3`, "-c", program, JSON.stringify(commands)).split("\0").slice(0, -1).map(idsOf)

const rounds = 100

describe("records that span by their lengths", () => {
  it.live("D15 a slice of any version has those of the newest bcftools and of the old one; its index serves both", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const random = SeededRandom.make(5)
      const slice = `${path}/slice.vcf.gz`
      const bcf = `${path}/all.bcf`
      const edges = edgesOf(spanningVcf("4.5", 2))
      const beds = Array.from({ length: rounds }, (_, i) => {
        const regions = someBed(random, edges)
        writeFileSync(`${path}/${i}.bed`, regions)
        return { file: `${path}/${i}.bed`, regions }
      })
      const asked = (file: string) => newest(...beds.map((bed) => ["view", "-H", "-R", bed.file, file]))
      const askedOld = (file: string) => beds.map((bed) => idsOf(tool("bcftools", "view", "-H", "-R", bed.file, file)))
      let found = 0
      for (const version of ["4.2", "4.5"]) {
        const data = `${path}/v${version}.vcf.gz`
        yield* writeSpanningVcf(data, version, 2)
        newest(["tabix", data], ["view", "-Ob", "-o", bcf, data], ["index", "-f", bcf])
        const theirs = asked(bcf)
        const old = askedOld(data)
        for (const [i, { regions }] of beds.entries()) {
          yield* sliceTo(data, slice, regions)
          const ours = idsOf(tool("bcftools", "view", "-H", slice))
          assert.sameMembers([...ours], [...new Set([...(theirs[i] ?? []), ...(old[i] ?? [])])], regions)
          found += ours.length
        }
        // All records, and our index instead of that of the source.
        yield* sliceTo(data, slice, "1\t0\t2000000\n2\t0\t2000000\n")
        assert.deepStrictEqual(asked(slice), asked(data), version)
        assert.deepStrictEqual(askedOld(slice), old, version)
      }
      assert.isAbove(found, 5 * rounds)
    }).pipe(Effect.provide(ZlibCodec.layer))
  )
})
