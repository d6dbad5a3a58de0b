import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, gatewayGround } from "../GatewayGround.ts"

describe("svc-gateway, as a process", () => {
  it.live("gives the files of an analysis at a stable address, from one login", () =>
    Effect.gen(function* () {
      const { gateway, stats } = yield* gatewayGround(["--relay"])
      // As readers do: a service that is slow on a busy machine is 503 for the moment.
      const answered = Effect.repeat(ask(`${gateway.url}/files/A1`), { until: ({ status }) => status !== 503 })
      const list = JSON.parse((yield* answered).text)
      assert.strictEqual(list.files[0].name, "S1.bam")
      const { bytes, status } = yield* ask(`${gateway.url}/files/A1/S1.bam`, { headers: { range: "bytes=0-1" } })
      assert.deepStrictEqual([status, bytes.toString("hex")], [206, "1f8b"])
      assert.strictEqual((yield* ask(`${gateway.url}/files/A1/nothing.bam`)).status, 404)
      const { logins, overlaps } = yield* stats
      assert.deepStrictEqual([logins, overlaps], [1, 0])
    })
  )
})
