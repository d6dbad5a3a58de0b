import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Outage from "./Outage.ts"

const unavailable = { _tag: "Unavailable" }
const notFound = { _tag: "NotFound" }

describe("the rest of a list of requests", () => {
  it.effect("is given up at the third in a row for which the service was unavailable", () =>
    Effect.gen(function* () {
      const { answered, failed } = yield* Outage.make
      const twice = [yield* failed(unavailable), yield* failed(unavailable)]
      yield* answered
      const again = [yield* failed(unavailable), yield* failed(unavailable)]
      // An answer too, if not the wanted one.
      const other = yield* failed(notFound)
      const last = [yield* failed(unavailable), yield* failed(unavailable), yield* failed(unavailable)]
      assert.deepStrictEqual([...twice, ...again, other, ...last], [...Array(7).fill(false), true])
    })
  )

  it.effect("is given up at once when the next would end the same way", () =>
    Effect.gen(function* () {
      const { failed } = yield* Outage.make
      assert.isTrue(yield* failed({ _tag: "LoginRefused" }))
      assert.isFalse(yield* failed({ _tag: "RequestRejected" }))
    })
  )
})
