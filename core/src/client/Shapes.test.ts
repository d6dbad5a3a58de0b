/** Records thrown from the shapes of docs/dev/service.md 13 pass through contract and client, and lose nothing on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SeededRandom from "../../../sandbox/samples/SeededRandom.ts"
import { service } from "../../../test/wire/FakeService.ts"
import { answers } from "../../../test/wire/Shapes.ts"
import { type EndpointName, endpointNotes } from "../contract/EndpointNotes.ts"
import { AnalysisId, GeneId, LimsId, PanelId, PersonId } from "../contract/Ids.ts"
import { endpointOf, hasEnvelope, payloadSchema } from "./EndpointCalls.ts"
import { ServiceClient, ServiceJson } from "./ServiceClient.ts"
import type { ServiceMethods } from "./ServiceMethods.ts"

const person = LimsId.make("L1")
const analyses = [AnalysisId.make("7")]
const [analysis] = analyses

const calls = {
  getInternalPersonId: (c) => c.getInternalPersonId(person),
  getSnvAnnotations: (c) => c.getSnvAnnotations(analysis ?? AnalysisId.make("7")),
  getCnvTargetResults: (c) => c.getCnvTargetResults(person, analyses),
  getPendingCnvSegments: (c) => c.getPendingCnvSegments({ personId: PersonId.make("1") }, analyses),
  getQcCaseMetrics: (c) => c.getQcCaseMetrics(person),
  getCoverageData: (c) => c.getCoverageData(person),
  getAnalyses: (c) => c.getAnalyses(),
  getPersonAnalyses: (c) => c.getPersonAnalyses(person),
  getCaseReport: (c) => c.getCaseReport(person),
  getCaseReportInfos: (c) => c.getCaseReportInfos,
  getPerson: (c) => c.getPerson(person),
  createOrUpdatePerson: (c) => c.createOrUpdatePerson({ id: person }),
  findAnalysesByFilename: (c) => c.findAnalysesByFilename(["x"]),
  getVirtualPanel: (c) => c.getVirtualPanel(PanelId.make("7")),
  createOrUpdateVirtualPanel: (c) =>
    c.createOrUpdateVirtualPanel({ name: "x", active: true, geneIds: [GeneId.make("1")] }),
  getVirtualPanelSummaries: (c) => c.getVirtualPanelSummaries,
  getAllGenes: (c) => c.getAllGenes,
  getFileDownloadLinks: (c) => c.getFileDownloadLinks(analysis ?? AnalysisId.make("7")),
  requestRestore: (c) => c.requestRestore(analyses)
} satisfies { readonly [N in EndpointName]: (client: ServiceMethods) => Effect.Effect<unknown, unknown> }

/** Key order is not part of a record. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, part]) => [key, sorted(part)])
        )
      : value

describe("records of the shapes that are known", () => {
  it("are there for every endpoint", () => {
    const message = "an endpoint: add its shape to test/wire/Shapes.ts"
    assert.deepStrictEqual(Object.keys(answers).toSorted(), Object.keys(endpointNotes).toSorted(), message)
  })

  for (const name of Object.keys(endpointNotes) as ReadonlyArray<EndpointName>) {
    it.effect(`25 of ${name} are decoded, and lose nothing`, () =>
      Effect.gen(function* () {
        const [form, shape] = answers[name]
        const { endpoint } = endpointOf(name)
        assert.strictEqual(hasEnvelope(endpoint), form === "E")
        const schema = payloadSchema(endpoint) as Schema.Codec<unknown, unknown>
        for (let seed = 1; seed <= 25; seed++) {
          const payload = shape(SeededRandom.make(SeededRandom.seedOf(seed, name)))
          const body = form === "E" ? { success: true, response: payload, errorMessageId: null } : payload
          const { layer } = service(JSON.stringify(body))
          yield* Effect.gen(function* () {
            const decoded = yield* calls[name](yield* ServiceClient)
            const again = yield* Schema.encodeUnknownEffect(schema)(decoded)
            assert.deepStrictEqual(sorted(numeric(again)), sorted(numeric(payload)), `seed ${seed}`)
            assert.deepStrictEqual(
              yield* calls[name]((yield* ServiceJson) as unknown as ServiceMethods),
              payload as never
            )
          }).pipe(Effect.provide(layer))
        }
      })
    )
  }
})

/** An identifier that came as digits goes as an integer, which no known service tells apart. */
const numeric = (value: unknown): unknown =>
  typeof value === "string" && /^[1-9]\d*$/.test(value) ? Number(value) : value
