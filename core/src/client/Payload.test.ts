import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { enveloped, service } from "../../../test/wire/FakeService.ts"
import { AnalysisItem } from "../contract/Analyses.ts"
import { AnalysisId, GeneId, LimsId } from "../contract/Ids.ts"
import { ServiceClient } from "./ServiceClient.ts"

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
        assert.deepStrictEqual(yield* (yield* ServiceClient).json("getAnalyses"), [wire])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("H21 as JSON numbers keep the digits that no number of a program has", () =>
    Effect.gen(function* () {
      const text =
        '[{"id":9007199254740993,"a":[1e400,-1e-400,0.10000000000000000000001],"b":"9007199254740993","c":1.5}]'
      const { layer } = service(`{"success":true,"response":${text}}`)
      const items = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (api) => api.json("getAnalyses")),
        layer
      )
      assert.strictEqual(JSON.stringify(items), text)
    })
  )

  it.effect("as JSON not even a wrong record fails", () =>
    Effect.gen(function* () {
      const { layer } = service(enveloped([{ id: {} }]))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip((yield* ServiceClient).getAnalyses()))._tag, "SvcReplyMalformed")
        assert.deepStrictEqual(yield* (yield* ServiceClient).json("getAnalyses"), [{ id: {} }])
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

  it.effect("the metrics of a case are what the service sent: those of the family too", () =>
    Effect.gen(function* () {
      const payload = {
        metricResults: { FAM: { personId: "FAM" }, MOTHER: { personId: "MOTHER" } },
        metricTypes: [],
        unknown: 1
      }
      const { layer } = service(enveloped(payload))
      yield* Effect.gen(function* () {
        const { metricResults } = yield* (yield* ServiceClient).getQcCaseMetrics(lims)
        assert.strictEqual(metricResults["MOTHER"]?.personId, "MOTHER")
        assert.deepStrictEqual(yield* (yield* ServiceClient).json("getQcCaseMetrics", lims), payload)
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("identifiers beyond 2^53 keep their digits; other numbers that wide are the nearest there is", () =>
    Effect.gen(function* () {
      const wire =
        '[{"id":9007199254740993,"status":"DONE","referencedAnalysisId":90071992547409931,"more":[9007199254740995]}]'
      const { layer } = service(`{"success":true,"response":${wire}}`)
      const [analysis] = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.getAnalyses()),
        layer
      )
      assert.strictEqual(analysis?.id, "9007199254740993")
      assert.strictEqual(String(analysis?.referencedAnalysisId), "90071992547409931")
      assert.strictEqual(JSON.stringify(analysis?.["more"]), "[9007199254740995]")
      const coverage = service('[{"chromosome":"1","start":1,"end":2,"meanCoverage":9007199254740993}]')
      const [region] = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) => c.getCoverageData(lims)),
        coverage.layer
      )
      assert.strictEqual(region?.meanCoverage, 9_007_199_254_740_992)
    })
  )

  it.effect("identifiers beyond 2^53 are sent with their digits", () =>
    Effect.gen(function* () {
      const { layer, sent } = service('{"success":true,"response":9007199254740995}')
      const id = yield* Effect.provide(
        Effect.flatMap(ServiceClient, (c) =>
          c.createOrUpdateVirtualPanel({ name: "x", active: true, geneIds: [GeneId.make("9007199254740993")] })
        ),
        layer
      )
      assert.strictEqual(id, "9007199254740995")
      assert.include(sent[0]?.body, '"geneIds":[9007199254740993]')
    })
  )
})
