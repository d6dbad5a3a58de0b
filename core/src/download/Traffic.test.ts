import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeTraffic } from "./RunRecord.ts"

const bytes = (done: number) => ({ _tag: "Bytes", done, size: null }) as const
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, number) => total + number, 0)

describe("traffic", () => {
  it("counts what came, not what was there, and bytes that came twice twice", () => {
    const traffic = makeTraffic<string>()
    const told = [
      traffic.note("a", { _tag: "Started", size: 100, resumedFrom: 40 }, 0),
      traffic.note("a", bytes(60), 100),
      traffic.note("b", bytes(5), 300),
      traffic.note("a", { _tag: "Restarting", reason: "it changed" }, 400),
      traffic.note("a", { _tag: "Started", size: 100, resumedFrom: 0 }, 400),
      traffic.note("a", bytes(60), 1100)
    ]
    assert.deepStrictEqual(told, [0, 20, 5, 0, 0, 60])
    assert.deepStrictEqual(traffic.throughput(), { intervalSeconds: 0.25, bytes: [20, 5, 0, 0, 60] })
  })

  it("the header that a slice reads before it starts counts once", () => {
    const traffic = makeTraffic<string>()
    traffic.note("a", bytes(10), 0)
    traffic.note("a", { _tag: "Started", size: 100, resumedFrom: 0 }, 1)
    assert.strictEqual(traffic.note("a", bytes(30), 2), 20)
  })

  it.prop(
    "however long the run: few intervals, and no byte lost",
    [Schema.Array(Schema.Struct({ at: Schema.Int, count: Schema.Int }))],
    ([events]) => {
      const traffic = makeTraffic<number>()
      const came = events.map(({ at, count }, file) => traffic.note(file, bytes(Math.abs(count)), Math.abs(at)))
      const { bytes: samples, intervalSeconds } = traffic.throughput()
      assert.isAtMost(samples.length, 240)
      assert.approximately(sum(samples), sum(came), Number.EPSILON * sum(came))
      const last = Math.max(0, ...events.filter(({ count }) => count !== 0).map(({ at }) => Math.abs(at)))
      assert.isAtLeast(240 * intervalSeconds * 1000, last)
    }
  )
})
