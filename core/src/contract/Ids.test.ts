import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import { ExactNumber } from "./ExactNumber.ts"
import {
  AnalysisId,
  CommaJoined,
  WireAnalysisId,
  WireGeneId,
  WireLimsId,
  WirePanelId,
  WirePersonId,
  WireSampleId
} from "./Ids.ts"

const wide = new ExactNumber("9007199254740993")

const integerIds = [WireAnalysisId, WirePersonId, WirePanelId, WireGeneId]
const textIds = [WireLimsId, WireSampleId]

describe("identifiers", () => {
  it.effect.prop("an integer goes out as it came in", [Schema.Int], ([wire]) =>
    Effect.gen(function* () {
      for (const id of integerIds) {
        const inside = yield* Schema.decodeEffect(id)(wire)
        assert.strictEqual(inside, String(wire))
        // JSON has no other zero.
        assert.strictEqual(yield* Schema.encodeEffect(id)(inside), Object.is(wire, -0) ? 0 : wire)
      }
    })
  )

  it.effect.prop("text goes out as it came in, or as the integer it reads as", [Schema.String], ([wire]) =>
    Effect.gen(function* () {
      for (const id of integerIds) {
        const inside = yield* Schema.decodeEffect(id)(wire)
        assert.strictEqual(inside, wire)
        assert.strictEqual(String(yield* Schema.encodeEffect(id)(inside)), wire)
      }
    })
  )

  it.effect.each([
    ["7", 7],
    ["0", 0],
    ["9007199254740991", 9_007_199_254_740_991],
    ["90071992547409930", new ExactNumber("90071992547409930")],
    ["007", "007"],
    ["-0", "-0"],
    ["+7", "+7"],
    ["7.0", "7.0"],
    ["1e3", "1e3"],
    [" 7", " 7"],
    ["0x7", "0x7"],
    ["A7", "A7"],
    ["", ""]
  ] as const)("%j is sent as %j", ([given, sent]) =>
    Effect.gen(function* () {
      const encoded = yield* Schema.encodeEffect(WireAnalysisId)(AnalysisId.make(given))
      assert.strictEqual(JSON.stringify(encoded), JSON.stringify(sent))
    })
  )

  it.effect.prop("identifiers of the laboratory are text, whatever they look like", [Schema.Int], ([number]) =>
    Effect.gen(function* () {
      for (const id of textIds) {
        const inside = yield* Schema.decodeEffect(id)(number)
        assert.strictEqual(yield* Schema.encodeEffect(id)(inside), String(number))
      }
    })
  )

  it.each([2 ** 53, JSON.parse("9007199254740993"), 1.5, Number.NaN, JSON.parse("1e400"), null, true, {}, []])(
    "H21 %j names nothing",
    (wire) => {
      for (const id of [...integerIds, ...textIds]) assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(id)(wire)))
    }
  )

  it.effect("beyond 2^53 an identifier keeps its digits", () =>
    Effect.gen(function* () {
      for (const id of integerIds) {
        const inside = yield* Schema.decodeEffect(id)(wide)
        assert.strictEqual(inside, "9007199254740993")
        assert.strictEqual(JSON.stringify(yield* Schema.encodeEffect(id)(inside)), "9007199254740993")
      }
      assert.isTrue(Exit.isFailure(Schema.decodeUnknownExit(WireAnalysisId)(new ExactNumber("9007199254740993.5"))))
    })
  )

  it.effect("in one parameter they are joined by commas; an empty one is an empty list", () =>
    Effect.gen(function* () {
      const list = CommaJoined(AnalysisId)
      const ids = ["1", "A2"].map((id) => AnalysisId.make(id))
      assert.strictEqual(yield* Schema.encodeEffect(list)(ids), "1,A2")
      assert.deepStrictEqual(yield* Schema.decodeEffect(list)("1,A2"), ids)
      assert.deepStrictEqual(yield* Schema.decodeEffect(list)(""), [])
    })
  )
})
