import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { NumberList } from "./NumberList.ts"

describe("NumberList", () => {
  const Values = Schema.Array(
    Schema.Union([
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300_000_000 })),
      Schema.Literals([2 ** 32 - 1, 2 ** 32, 2 ** 40, -1])
    ])
  )
  it.effect.prop(
    "P6 holds what was put in, in 4 bytes each as long as that is enough",
    [Values, Schema.Literals([1, 70, 500])],
    ([values, times]) =>
      Effect.sync(() => {
        const all = Array.from({ length: times }, () =>
          values.map((value) => (value === -1 ? Number.POSITIVE_INFINITY : value))
        ).flat()
        const list = new NumberList()
        for (const value of all) list.push(value)
        const numbers = list.numbers()
        assert.deepStrictEqual(Array.from(numbers), all)
        assert.strictEqual(numbers.BYTES_PER_ELEMENT, all.some((value) => value >= 2 ** 32) ? 8 : 4)
        list.push(7)
        assert.deepStrictEqual(Array.from(numbers), all)
        assert.deepStrictEqual(Array.from(list.numbers()), [...all, 7])
      })
  )
})
