import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { counting } from "../../../test/genome/Fixtures.ts"
import { fromBytes } from "./ByteReader.ts"
import { type FetchedRange, fetchRanges, headroom } from "./FetchedRange.ts"
import type { ByteRange } from "./FetchPlan.ts"

const size = 6_000_000
const file = Uint8Array.from({ length: size }, (_, i) => (i * 31 + (i >>> 8)) & 0xff)

const contentOf = ({ length, room }: FetchedRange) => room.subarray(headroom, headroom + length)

describe("fetchRanges", () => {
  const Sizes = Schema.Array(
    Schema.Struct({
      gap: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 })),
      length: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50_000 })),
      spare: Schema.Literals([0, 1, 5_000, 300_000]),
      /** So much of what is to spare is needed. */
      needed: Schema.Literals([0, 0.5, 1])
    })
  ).check(Schema.isMaxLength(15))
  const Connections = Schema.Literals([1, 2, 7])

  it.effect.prop(
    "hands ranges on in order, what is needed of the spare bytes next, and leaves each and the one before it as they are",
    [Sizes, Connections],
    ([sizes, connections]) =>
      Effect.gen(function* () {
        const ranges: Array<ByteRange> = []
        const needs: Array<number> = []
        let at = 0
        for (const { gap, length, needed, spare } of sizes) {
          ranges.push({ offset: at + gap, length, spare })
          needs.push(at + gap + length + Math.floor(needed * spare))
          at += gap + length + spare
        }
        const reader = counting(fromBytes(file))
        let i = -1
        let before: FetchedRange | null = null
        let reached = 0
        let fetched = 0
        const arrived = new Set<number>()
        const use = (range: FetchedRange) =>
          Effect.suspend(() => {
            if (range.offset === ranges[i + 1]?.offset) {
              i++
              assert.isTrue(arrived.delete(range.offset))
            } else assert.strictEqual(range.offset, reached)
            for (const one of before === null ? [range] : [before, range]) {
              assert.isTrue(Buffer.from(contentOf(one)).equals(file.subarray(one.offset, one.offset + one.length)))
            }
            before = range
            reached = range.offset + range.length
            fetched += range.length
            const need = needs[i] ?? 0
            return Effect.yieldNow.pipe(Effect.as(need > reached ? need - 1 : null))
          })
        yield* fetchRanges(reader, ranges, connections, { arrived: ({ offset }) => arrived.add(offset), use })
        assert.strictEqual(i, ranges.length - 1)
        assert.strictEqual(reader.bytesRead(), fetched)
        if (sizes.every(({ needed }) => needed === 0)) {
          assert.strictEqual(
            fetched,
            ranges.reduce((sum, { length }) => sum + length, 0)
          )
        }
      })
  )
})
