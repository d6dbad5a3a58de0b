import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import type { BinIndex } from "../index/BinIndex.ts"
import { isBefore, type VirtualOffsetPair } from "./PieceJob.ts"
import { slicePieces } from "./SlicePieces.ts"
import { Stretches } from "./Stretches.ts"

const size = 22_000_000

const pairOf = (offset: VirtualOffset.VirtualOffset): VirtualOffsetPair => [
  VirtualOffset.block(offset),
  VirtualOffset.within(offset)
]

/** An index of one reference, whose records begin at these bytes, in the middle of a block or not. */
const indexOf = (starts: ReadonlyArray<number>): BinIndex => ({
  ...{ format: "BAI", minShift: 14, depth: 5, references: 1, lastEnd: null, unplaced: null },
  reference: () => ({
    bins: new Map(),
    linear: BigUint64Array.from(starts, (start) => VirtualOffset.make(start, start % 3 === 0 ? 0 : 77)),
    counts: null
  })
})

describe("slicePieces", () => {
  const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
  const Length = between(1, 5_000_000)
  const Spans = Schema.Array(Schema.Tuple([between(0, 20_000_000), Length, Length]))
  const Starts = Schema.Array(between(0, 22_000_000))

  it.effect.prop(
    "fetch all that is expected once, in order, at most 1 MiB at a time, and judge every place of every stretch in one piece",
    [Spans, Starts],
    ([spans, starts]) =>
      Effect.sync(() => {
        const stretches = new Stretches()
        // Some begin in the block of a place that the index knows, before it or after it.
        const begins = spans.map(([start, length, expected]) => {
          const known = length % 3 === 0 ? starts.find((one) => one >= start) : undefined
          return { start: known ?? start, within: known === undefined ? 0 : length % 200, length, expected }
        })
        for (const { expected, length, start, within } of begins.sort(
          (a, b) => a.start - b.start || a.within - b.within
        )) {
          stretches.add({
            ref: 0,
            begin: VirtualOffset.make(start, within),
            // In the middle of a block where the index knows a place, too.
            end: VirtualOffset.make(
              starts.find((one) => one >= start + length) ?? start + length,
              length % 2 === 0 ? 0 : 99
            ),
            until: 1,
            fetchEnd: start + length,
            // Also where nothing is expected.
            expectedEnd: Math.min(start + length, start + expected - 100_000),
            whole: false
          })
        }
        const pieces = [...slicePieces(stretches, indexOf(starts), size)]
        const all = Array.from({ length: stretches.length }, (_, i) => stretches.at(i)!)
        const ranges = pieces.flatMap((piece) => piece.ranges)
        for (const [i, range] of ranges.entries()) {
          assert.isAtMost(range.length, 0x100000)
          assert.isAtMost(range.offset + range.length + range.spare, size)
          assert.isAtLeast(ranges[i + 1]?.offset ?? size, range.offset + range.length)
        }
        const covered = (from: number, to: number) => {
          let at = from
          for (const { length, offset } of ranges) if (offset <= at && at < offset + length) at = offset + length
          assert.isAtLeast(at, Math.min(to, size))
        }
        for (const { begin, expectedEnd } of all) covered(VirtualOffset.block(begin), expectedEnd)
        // A piece walks from one to the next: it would pass over records of one that begins before the previous one.
        for (const { stretches: own } of pieces) {
          for (const [i, { begin }] of own.entries()) if (i > 0) assert.isFalse(isBefore(begin, own[i - 1]!.begin))
        }
        // Where a piece goes on, the next one begins with the bytes that it may need.
        for (const [i, { goesOn, ranges }] of pieces.entries()) {
          if (!goesOn) continue
          const last = ranges.at(-1)!
          assert.strictEqual(pieces[i + 1]?.ranges[0]?.offset, last.offset + last.length)
        }
        const pairs = all.flatMap(({ begin, end }): ReadonlyArray<VirtualOffsetPair> => {
          const [from, to] = [VirtualOffset.block(begin), VirtualOffset.block(end)]
          return [from, to - 1, to, ...starts].flatMap(
            (block): ReadonlyArray<VirtualOffsetPair> => [
              [block, 0],
              [block, 77],
              [block, 0xffff]
            ]
          )
        })
        const within = (pair: VirtualOffsetPair, begin: VirtualOffsetPair, end: VirtualOffsetPair) =>
          !isBefore(pair, begin) && isBefore(pair, end)
        for (const pair of pairs) {
          const wanted = all.some(({ begin, end }) => within(pair, pairOf(begin), pairOf(end)))
          const judges = pieces.filter((piece) => piece.stretches.some(({ begin, end }) => within(pair, begin, end)))
          assert.lengthOf(judges, wanted ? 1 : 0)
        }
      })
  )

  it("a stretch that the index knows many places of is cut into as many pieces as requests", () => {
    const stretches = new Stretches()
    const [begin, end] = [VirtualOffset.make(0, 0), VirtualOffset.make(size, 0)]
    stretches.add({ ref: 0, begin, end, until: 1, fetchEnd: size, expectedEnd: size, whole: true })
    const starts = Array.from({ length: 219 }, (_, i) => (i + 1) * 100_001)
    const pieces = [...slicePieces(stretches, indexOf(starts), size)]
    assert.strictEqual(pieces.length, 22)
    assert.isTrue(pieces.every(({ ranges }) => ranges.length === 1))
    assert.deepStrictEqual(
      pieces.map(({ stretches: [only] }) => only?.whole),
      [...Array.from({ length: 21 }, () => false), true]
    )
  })

  it("small targets share a piece as long as what it fetches fits into one buffer", () => {
    const stretches = new Stretches()
    for (let begin = 0; begin + 1_000_000 <= size; begin += 1_000_000) {
      // The chunks of two bins, one inside the other.
      for (const [from, expected] of [
        [begin, begin + 90_000],
        [begin + 200_000, begin + 450_000]
      ] as const) {
        const offsets = { begin: VirtualOffset.make(from, 0), end: VirtualOffset.make(begin + 460_000, 0) }
        stretches.add({ ref: 0, ...offsets, until: 1, fetchEnd: begin + 460_000, expectedEnd: expected, whole: false })
      }
    }
    const pieces = [...slicePieces(stretches, indexOf([]), size)]
    assert.deepStrictEqual(
      pieces.map(({ ranges }) => ranges.map(({ length }) => length)),
      Array.from({ length: 11 }, () => [450_000, 450_000])
    )
  })

  it("a long stretch within the reach of a small target is cut where both together still fit into one buffer", () => {
    const stretches = new Stretches()
    const add = (from: number, to: number, expectedEnd: number) =>
      stretches.add({
        ...{ ref: 0, until: 1, whole: false, fetchEnd: to, expectedEnd },
        begin: VirtualOffset.make(from, 0),
        end: VirtualOffset.make(to, 0)
      })
    add(0, 5_000_000, 450_000)
    add(1_000_000, 4_000_000, 4_000_000)
    const starts = Array.from({ length: 49 }, (_, i) => (i + 1) * 100_001)
    const [first] = slicePieces(stretches, indexOf(starts), size)
    assert.deepStrictEqual(
      first?.ranges.map(({ length }) => length),
      [450_000, 500_015]
    )
  })
})
