import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { mayBeUnderWay, nextOf, untilFirst } from "./Estimate.ts"

const at = (text: string) => Date.parse(text)
const noon = at("2026-11-21T12:00:00Z")
const hour = 3_600_000

describe("a restoration that the service does not mention", () => {
  const entry = { requestTime: "2026-11-21T10:00:00Z", restoreEstimation: null, status: "pending" }

  it("may be under way until its estimate has passed", () => {
    const estimated = { ...entry, restoreEstimation: "2026-11-21T13:00:00Z" }
    assert.isTrue(mayBeUnderWay(estimated, noon))
    assert.isFalse(mayBeUnderWay(estimated, noon + hour))
  })

  it("without a usable estimate for half a day after its request", () => {
    for (const restoreEstimation of [null, "soon"]) {
      assert.isTrue(mayBeUnderWay({ ...entry, restoreEstimation }, noon))
      assert.isFalse(mayBeUnderWay({ ...entry, restoreEstimation }, noon + 10 * hour))
    }
  })

  it("C2 is not believed to end weeks after its request, whatever the clock of the service says", () => {
    const wild = { ...entry, restoreEstimation: "2999-01-01T00:00:00Z" }
    assert.isTrue(mayBeUnderWay(wild, noon))
    assert.isFalse(mayBeUnderWay(wild, noon + 10 * hour))
    assert.isFalse(mayBeUnderWay({ ...wild, requestTime: null }, noon))
  })

  it("is over when neither time is known, and was never confirmed while it is only being requested", () => {
    assert.isFalse(mayBeUnderWay({ ...entry, requestTime: null }, noon))
    assert.isFalse(mayBeUnderWay({ ...entry, restoreEstimation: "2026-11-21T13:00:00Z", status: "requesting" }, noon))
  })
})

describe("when to look next", () => {
  const [past, soon, later] = ["2026-11-21T11:00:00Z", "2026-11-21T12:30:00Z", "2026-11-21T13:00:00Z"]

  it("the earliest estimate that lies ahead is told as it was written", () => {
    assert.strictEqual(nextOf([later, past, null, "soon", soon, later], noon), soon)
    assert.isNull(nextOf([past, null, "soon"], noon))
    assert.isNull(nextOf([], noon))
  })

  it("waits for the first, not at all for an overdue one, and cannot say while one is unknown", () => {
    const millis = (estimates: ReadonlyArray<string | null>) => {
      const wait = untilFirst(estimates, noon)
      return wait === null ? null : Duration.toMillis(wait)
    }
    assert.strictEqual(millis([later, soon]), hour / 2)
    assert.strictEqual(millis([later, past]), 0)
    assert.isNull(millis([later, null]))
    assert.isNull(millis([later, "soon"]))
    assert.isNull(millis([]))
  })
})
