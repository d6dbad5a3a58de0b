/** What the library exports as schemas works in Effect's own codecs: paths, queries, flags, configuration, JSON of another API. */
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Contract, Ids } from "../../core/src/index.ts"

const schemasOf = (namespace: object) =>
  Object.entries(namespace).filter((entry): entry is [string, Schema.Codec<unknown, unknown>] =>
    Schema.isSchema(entry[1])
  )

describe("codecs of what is exported", () => {
  it.each([...schemasOf(Ids), ...schemasOf(Contract)])("%s has a form as JSON and as text", (_, schema) => {
    Schema.decodeUnknownExit(Schema.toCodecJson(schema))({})
    Schema.decodeUnknownExit(Schema.toCodecStringTree(schema))({})
  })

  it.effect.each(["007", "A 7", "a/7", "9007199254740993"])(
    "H21 the id %j stays as it is in an API, a path and a setting",
    (text) =>
      Effect.gen(function* () {
        const id = Ids.AnalysisId.make(text)
        const setting = Config.schema(Ids.AnalysisId, "ID").parse(ConfigProvider.fromUnknown({ ID: text }))
        assert.strictEqual(yield* setting, id)
        for (const codec of [Schema.toCodecJson(Ids.AnalysisId), Schema.toCodecStringTree(Ids.AnalysisId)]) {
          assert.strictEqual(yield* Schema.encodeEffect(codec)(id), text)
          assert.strictEqual(yield* Schema.decodeUnknownEffect(codec)(text), id)
        }
      })
  )

  it.effect("an id of more digits than a number has keeps them in JSON of Effect's own codecs", () =>
    Effect.gen(function* () {
      const codec = Schema.toCodecJson(Contract.AnalysisItem)
      const item = { id: Ids.AnalysisId.make("9007199254740993") }
      const sent = yield* Schema.encodeEffect(codec)(item)
      assert.strictEqual(JSON.stringify(sent), '{"id":"9007199254740993"}')
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(codec)(JSON.parse(JSON.stringify(sent))), item)
    })
  )

  it("an API of one's own may speak of analyses and answer with records", () => {
    const own = HttpApi.make("own").add(
      HttpApiGroup.make("own").add(
        HttpApiEndpoint.get("show", "/own/:id", {
          params: { id: Ids.AnalysisId },
          success: Schema.Array(Contract.AnalysisItem)
        })
      )
    )
    assert.property(OpenApi.fromApi(own).paths, "/own/{id}")
  })
})
