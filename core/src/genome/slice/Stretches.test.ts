import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as VirtualOffset from "../bgzf/VirtualOffset.ts"
import { type Stretch, Stretches } from "./Stretches.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("Stretches", () => {
  const Offset = Schema.Tuple([Schema.Literals([0, 5, 6, 2 ** 32, 2 ** 47]), between(0, 3)])
  const Given = Schema.Array(
    Schema.Struct({
      ref: between(0, 9),
      begin: Offset,
      end: Offset,
      until: between(1, 2 ** 40),
      fetchEnd: between(0, 2 ** 47)
    })
  )
  it.effect.prop(
    "P6 gives back what was added, in file order, what begins at one place in the order of adding, and the unplaced reads last",
    [Given, Schema.Boolean, Schema.Literals([1, 400])],
    ([given, unplaced, times]) =>
      Effect.sync(() => {
        const some = given.map(
          ({ begin, end, fetchEnd, ref, until }, i): Stretch => ({
            ref: i === 0 ? 10 : ref,
            begin: VirtualOffset.make(...begin),
            end: VirtualOffset.make(...end),
            until: i % 7 === 3 ? Number.POSITIVE_INFINITY : until,
            fetchEnd,
            expectedEnd: Math.floor(fetchEnd / 2),
            whole: i === 0
          })
        )
        const all = Array.from({ length: times }, () => some).flat()
        const last = { ...all[0]!, ref: -1, begin: VirtualOffset.make(2 ** 47, 9), whole: false }
        const stretches = new Stretches()
        for (const stretch of all) stretches.add(stretch)
        stretches.sort()
        const expected = all.toSorted((a, b) => (a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : 0))
        if (unplaced && all.length > 0) {
          stretches.add(last)
          expected.push(last)
        }
        assert.strictEqual(stretches.length, expected.length)
        assert.deepStrictEqual(
          Array.from({ length: stretches.length }, (_, i) => stretches.at(i)),
          expected
        )
        assert.isUndefined(stretches.at(expected.length))
      })
  )
})
