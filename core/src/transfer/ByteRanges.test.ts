import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { add, type ByteRanges, count, missing, prefix } from "./ByteRanges.ts"

const small = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 60 })))
const Adds = Schema.Array(Schema.Tuple([small, small]))
const Piece = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 20 })))

/** The same in the plainest way: one flag per byte. */
const flags = (adds: typeof Adds.Type): Set<number> => {
  const set = new Set<number>()
  for (const [a, b] of adds) for (let i = a; i < b; i++) set.add(i)
  return set
}
const built = (adds: typeof Adds.Type) => adds.reduce<ByteRanges>((ranges, [a, b]) => add(ranges, a, b), [])

describe("ByteRanges", () => {
  it.prop("ranges are the union of what was added, sorted and disjoint", [Adds], ([adds]) => {
    const ranges = built(adds)
    assert.deepStrictEqual(flags(ranges), flags(adds))
    assert.strictEqual(count(ranges), flags(adds).size)
    return ranges.every(([start, end], i) => start < end && start > (ranges[i - 1]?.[1] ?? -1))
  })

  it.prop(
    "what is missing is the rest, each piece inside one multiple of the piece",
    [Adds, small, Piece],
    ([adds, size, piece]) => {
      const ranges = built(adds)
      const gaps = missing(ranges, size, piece)
      const there = flags(adds)
      const expected = Array.from({ length: size }, (_, i) => i).filter((i) => !there.has(i))
      assert.deepStrictEqual(
        gaps.flatMap(([a, b]) => Array.from({ length: b - a }, (_, i) => a + i)),
        expected
      )
      return gaps.every(([a, b]) => Math.floor(a / piece) === Math.floor((b - 1) / piece))
    }
  )

  it.prop("the prefix ends at the first byte that is not there", [Adds], ([adds]) => {
    const there = flags(adds)
    let end = 0
    while (there.has(end)) end++
    assert.strictEqual(prefix(built(adds)), end)
  })
})
