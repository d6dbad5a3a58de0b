import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { enveloped, service } from "../../../test/wire/FakeService.ts"
import { AnalysisItem } from "../contract/Analyses.ts"
import { AnalysisId, LimsId } from "../contract/Ids.ts"
import { ServiceClient } from "./ServiceClient.ts"
import { ServiceJson } from "./ServiceJson.ts"

const lims = LimsId.make("L1")
const analysis = AnalysisId.make("7")

describe("payloads", () => {
  const wire = { id: 17, ofTomorrow: [1], "DGV:found": 0, analysisType: "LONG_READ", enrichmentKitName: null }

  it.effect("decoded ones keep what they do not know; as JSON they are untouched", () =>
    Effect.gen(function* () {
      const { layer } = service(enveloped([wire]))
      yield* Effect.gen(function* () {
        const [item] = yield* (yield* ServiceClient).getAnalyses()
        assert.strictEqual(item?.id, "17")
        assert.deepStrictEqual(item === undefined ? null : yield* Schema.encodeEffect(AnalysisItem)(item), wire)
        assert.deepStrictEqual(yield* (yield* ServiceJson).getAnalyses(), [wire])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("H21 as JSON numbers keep the digits that no number of a program has", () =>
    Effect.gen(function* () {
      const text =
        '[{"id":9007199254740993,"a":[1e400,-1e-400,0.10000000000000000000001],"b":"9007199254740993","c":1.5}]'
      const { layer } = service(`{"success":true,"response":${text}}`)
      const items = yield* Effect.provide(
        Effect.flatMap(ServiceJson, (api) => api.getAnalyses()),
        layer
      )
      assert.strictEqual(JSON.stringify(items), text)
    })
  )

  it.effect("as JSON not even a wrong record fails", () =>
    Effect.gen(function* () {
      const { layer } = service(enveloped([{ id: {} }]))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip((yield* ServiceClient).getAnalyses()))._tag, "ReplyMalformed")
        assert.deepStrictEqual(yield* (yield* ServiceJson).getAnalyses(), [{ id: {} }])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("links come redacted", () =>
    Effect.gen(function* () {
      const apiFileLinks = [{ fileName: "a.bam", downloadLink: "https://h/?X-Amz-Signature=canary" }]
      const { layer } = service(enveloped({ id: 7, apiFileLinks }))
      const files = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.getFileDownloadLinks(analysis)),
        layer
      )
      assert.notInclude(JSON.stringify(files), "canary")
      assert.isTrue(Redacted.isRedacted(files.apiFileLinks[0]?.downloadLink))
    })
  )

  it.effect.each([
    [{ L1: { personId: "L1" }, other: { personId: "other" } }, "L1"],
    [{ l1: { personId: "l1" } }, "l1"]
  ] as const)("metrics are taken out of the map %j", ([metricResults, personId]) =>
    Effect.gen(function* () {
      const { layer } = service(enveloped({ metricResults, metricTypes: [], unknown: 1 }))
      yield* Effect.gen(function* () {
        const metrics = yield* (yield* ServiceClient).getQcCaseMetrics(lims)
        assert.strictEqual(String(metrics.metricResults.personId), personId)
        assert.strictEqual(metrics["unknown"], 1)
        assert.deepStrictEqual(yield* (yield* ServiceJson).getQcCaseMetrics(lims), {
          metricResults: { personId },
          metricTypes: [],
          unknown: 1
        })
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect.each([{}, { a: {}, b: {} }])("a map %j has no metrics of the person", (metricResults) =>
    Effect.gen(function* () {
      const { layer } = service(enveloped({ metricResults }))
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(ServiceClient, (c) => c.getQcCaseMetrics(lims)),
          layer
        )
      )
      assert.strictEqual(error._tag, "NotFound")
    })
  )
})
