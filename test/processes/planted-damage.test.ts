/**
 * Files with damage of every kind: a slice of them ends with an error, or has exactly the records of the healthy file. A short
 * run; `npm run damage` is the long one.
 *
 * Why two blocks in each other's place are always seen, although every block of such a file is sound and no other block has
 * moved: a slice reads blocks one behind the other, and each record must not start before the one in front of it. Say that
 * blocks i < j changed places.
 * - Block i is read, and so is the one behind it (i + 1, which is the old i when j = i + 1). The content of j comes first, and
 *   what follows starts before it: refused. This holds for the last block that is needed too, since reading goes on until the
 *   first record of the block behind it.
 * - Block j is read, and one in front of it: the content of i starts before what was read: refused.
 * - Block j is the first that is read: it begins at a place where the index says that a record begins. Unless i is exactly as long,
 *   no block begins at the next place that the index names, or at the end of the data, which is always looked at; and unless
 *   records begin at the same places in both, none begins where the index points to.
 * So what is not seen is the exchange of two blocks with the same number of bytes and the same borders of records, of which the
 * later one is the first block of a part: nothing that is read then tells one from the other but their records, and an index
 * does not say which records they are. Nor is the exchange of two blocks inside of one record, which have no records of their
 * own: they are bytes between bytes. Where all records of both start at one base, only their order is another.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as ZlibCodec from "../../platform/inflate/ZlibCodec.ts"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { blocksOf, damaged, damageKinds, exchange, recordsOfSlice, sameRecords, tryDamages } from "../genome/Damages.ts"
import { bamFile, read } from "../genome/Fixtures.ts"
import { longReadsOf, longReferences } from "../genome/LongReads.ts"
import { randomFile, randomRange, vcfFile } from "../genome/RandomFiles.ts"
import { withCodec } from "../genome/WithCodec.ts"

describe("planted damage", () => {
  for (const kind of damageKinds) {
    it.effect(`D2 D7 ${kind} never gives other records, of whole references or of parts`, () =>
      Effect.map(tryDamages(kind, 30, 400, 1), (refused) => assert.isAbove(refused, 5)).pipe(
        Effect.provide(ZlibCodec.layer)
      )
    )
  }

  withCodec(
    "D2 D7 no two blocks of a VCF whose lines cross their borders can stand in each other's place unseen",
    function* () {
      for (const seed of [2, 8]) {
        const file = yield* vcfFile(SeededRandom.make(seed), 300, 700, true)
        const blocks = blocksOf(file.data)
        const last = blocks.starts.length - 2
        const range = "chr1:500-30000"
        const healthy = yield* recordsOfSlice(file, range, false)
        for (let i = 1; i < last; i++) {
          for (let j = i + 1; j < last; j++) {
            const made = yield* Effect.result(recordsOfSlice({ ...file, data: exchange(blocks, i, j) }, range, false))
            if (Result.isSuccess(made)) assert.isTrue(sameRecords(made.success, healthy), `${i} and ${j}, seed ${seed}`)
          }
        }
      }
    }
  )

  withCodec("D2 D7 damage in a slice of several ranges never gives other records", function* () {
    const { bai, bam } = bamFile(yield* Codec, longReadsOf(3_000, 200), { references: longReferences })
    const file = { type: "bam", suffix: "bai", data: bam, index: bai } as const
    const random = SeededRandom.make(3)
    for (const range of ["chr1", "chr1:2000000-2100000 chr1:7000000-9000000"]) {
      const healthy = yield* recordsOfSlice(file, range, false)
      for (const kind of damageKinds) {
        const data = damaged(bam, kind, random)
        const made = yield* Effect.result(recordsOfSlice({ ...file, data }, range, false))
        if (Result.isSuccess(made)) assert.isTrue(sameRecords(made.success, healthy), `${kind}, ${range}`)
      }
    }
  })

  withCodec("D7 the index of another file never gives other records than that file's own", function* () {
    const codec = yield* Codec
    const random = SeededRandom.make(4)
    let refused = 0
    for (let round = 0; round < 30; round++) {
      const [file, other] = [yield* randomFile(random, 300), yield* randomFile(random, 320)]
      if (other.suffix !== file.suffix || other.type !== file.type) continue
      const range = randomRange(random)
      const made = yield* Effect.result(recordsOfSlice({ ...file, index: other.index }, range, false))
      if (Result.isFailure(made)) refused++
      else assert.deepStrictEqual(made.success, yield* recordsOfSlice(file, range, false))
    }
    assert.isAbove(refused, 5)
    // The same reads, three bases further and in other blocks.
    const reads = Array.from({ length: 3_000 }, (_, i) => read(`r${i}`, i < 2_000 ? 0 : 2, (i % 2_000) * 40))
    const moved = reads.map((one, i) => ({ ...one, name: `other${i}`, position: one.position + 3 }))
    const { bai, bam } = bamFile(codec, reads, { blockBytes: 3_000 })
    const { bai: index } = bamFile(codec, moved, { blockBytes: 2_900 })
    for (const range of ["chr1", "chr3", "chr1:20000-40000"]) {
      const file = { type: "bam", suffix: "bai", data: bam, index } as const
      const made = yield* Effect.result(recordsOfSlice(file, range, false))
      if (Result.isSuccess(made)) {
        assert.deepStrictEqual(made.success, yield* recordsOfSlice({ ...file, index: bai }, range, false))
      }
    }
  })
})
