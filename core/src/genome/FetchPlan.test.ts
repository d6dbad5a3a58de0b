import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { planFetches } from "./FetchPlan.ts"
import * as VirtualOffset from "./VirtualOffset.ts"

describe("planFetches", () => {
  const Length = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_000_000 }))
  const Spans = Schema.Array(
    Schema.Tuple([Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000_000 })), Length, Length])
  )
  it.effect.prop(
    "cover all that is expected once, in order, in pieces of at most 1 MiB, and with what is to spare all that may be needed",
    [Spans],
    ([spans]) =>
      Effect.sync(() => {
        const size = 22_000_000
        const stretches = [...spans]
          .sort((a, b) => a[0] - b[0])
          .map(([start, length, expected]) => ({
            ref: 0,
            begin: VirtualOffset.make(start, 0),
            end: VirtualOffset.make(start + length, 0),
            until: 1,
            fetchEnd: start + length,
            // Also where nothing is expected.
            expectedEnd: Math.min(start + length, start + expected - 100_000),
            likelyEnd: start + length,
            whole: null
          }))
        const plan = planFetches(stretches, size)
        const ranges = [...plan]
        assert.strictEqual(plan.length, ranges.length)
        assert.strictEqual(
          plan.bytes,
          ranges.reduce((sum, { length }) => sum + length, 0)
        )
        for (const [i, range] of ranges.entries()) {
          assert.isAtMost(range.length, 0x100000)
          assert.isAtLeast(range.spare, 0)
          assert.isAtMost(range.offset + range.length + range.spare, size)
          const next = ranges[i + 1]
          if (next !== undefined) assert.isAtLeast(next.offset, range.offset + range.length + range.spare)
        }
        const covered = (from: number, to: number, spare: boolean) => {
          let at = from
          for (const range of ranges) {
            const end = range.offset + range.length + (spare ? range.spare : 0)
            if (range.offset <= at && at < end) at = end
          }
          assert.isAtLeast(at, Math.min(to, size))
        }
        for (const { begin, expectedEnd, fetchEnd } of stretches) {
          covered(VirtualOffset.block(begin), expectedEnd, false)
          covered(VirtualOffset.block(begin), fetchEnd, true)
        }
      })
  )
})
