/** Reads that have a reference and no position: htslib counts them for it, htsjdk among the unplaced, and leaves them out of its chunks. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { fromBytes } from "../../core/src/genome/ByteReader.ts"
import { Codec } from "../../core/src/genome/bgzf/Codec.ts"
import * as VirtualOffset from "../../core/src/genome/bgzf/VirtualOffset.ts"
import * as IndexBuilder from "../../core/src/genome/index/IndexBuilder.ts"
import { bamFile, read } from "./Fixtures.ts"
import { placesOf } from "./IndexWriters.ts"
import { sliceOf, sourceOf } from "./Slicing.ts"
import { withCodec } from "./WithCodec.ts"

const offsetOf = (bits: bigint) => {
  const offset = VirtualOffset.fromBits(bits)
  return [VirtualOffset.block(offset), VirtualOffset.within(offset)] as const
}

describe("reads without a position", () => {
  withCodec("D7 the unplaced reads come by an index that counts them in either way, and by no other", function* () {
    const reads = [
      ...[read("p", 0, -1, []), read("q", 0, -1, []), read("a", 0, 100), read("r", 1, -1, []), read("b", 1, 50)],
      ...[read("u", -1, -1, []), read("v", -1, -1, [])]
    ]
    const { bai, bam } = bamFile(yield* Codec, reads, { blockBytes: 50 })
    const { placed, references } = yield* placesOf(bam)
    const unplacedBy = (index: Uint8Array) =>
      Effect.map(
        sliceOf(sourceOf(fromBytes(bam), fromBytes(index)), "", { unmapped: true }),
        ({ result }) => result.records
      )
    const htsjdk = (unplaced: number) => {
      const builder = IndexBuilder.make(14, 5)
      for (const { at, end, mapped, ref, start, to } of placed) {
        if (start < 0) continue
        builder.add(ref, start, end, mapped, ...offsetOf(at))
        builder.close(...offsetOf(to))
      }
      builder.addUnplaced(unplaced)
      return builder.bai(references)
    }
    assert.strictEqual(yield* unplacedBy(bai), 2)
    assert.strictEqual(yield* unplacedBy(htsjdk(5)), 2)
    for (const wrong of [4, 6]) {
      assert.match((yield* Effect.flip(unplacedBy(htsjdk(wrong)))).message, /unplaced reads, and there are 2$/)
    }
  })
})
