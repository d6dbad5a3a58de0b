import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { endpointNotes } from "./EndpointNotes.ts"
import { openApiDocument } from "./OpenApiDocument.ts"
import { serviceApi } from "./ServiceApi.ts"

const document = JSON.parse(JSON.stringify(openApiDocument("1.2.3", "https://lab.example.org")))
const operations: ReadonlyArray<{
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly security: ReadonlyArray<object>
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}> = Object.values<object>(document.paths).flatMap((item) => Object.values(item))

describe("the OpenAPI document", () => {
  it.effect("is valid OpenAPI 3.1", () =>
    Effect.gen(function* () {
      const validator = new Validator()
      const result = yield* Effect.promise(() => validator.validate(document))
      assert.deepStrictEqual([result.valid, result.errors, validator.version], [true, undefined, "3.1"])
    })
  )

  it("has an operation for each endpoint, with its sentence, its errors and its session", () => {
    const declared = Object.values(serviceApi().groups).flatMap(({ endpoints }) => Object.keys(endpoints))
    assert.sameMembers(
      operations.map(({ operationId }) => operationId),
      declared
    )
    for (const { operationId, responses, security, summary } of operations) {
      if (!(operationId in endpointNotes)) continue
      assert.strictEqual(summary, endpointNotes[operationId as keyof typeof endpointNotes].summary)
      assert.lengthOf(security, 1)
      assert.include(Object.keys(responses), "403", operationId)
      assert.isTrue(Object.values(responses).every(({ description }) => /^[A-Z]/.test(description)))
    }
    const report = operations.find(({ operationId }) => operationId === "getCaseReport")
    assert.match(report?.description ?? "", /minutes to begin.*larger than memory/)
  })

  it("has each record once, under its name", () => {
    const { schemas } = document.components
    assert.includeMembers(Object.keys(schemas), [
      "AnalysisItem",
      "FileLink",
      "Gene",
      "Person",
      "PersonUpdate",
      "VirtualPanel"
    ])
    assert.strictEqual(schemas.VirtualPanel.properties.genes.items.$ref, "#/components/schemas/Gene")
    const text = JSON.stringify(document)
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) assert.property(schemas, name)
  })

  it("says that an identifier is text or an integer, of any size", () => {
    const { schema } = document.paths["/api/person/{personLimsId}/id"].get.responses["200"].content["application/json"]
    assert.deepStrictEqual(schema.properties.response, {
      anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }]
    })
    assert.notInclude(JSON.stringify(document), "9007199254740991")
  })
})
