import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { AnalysisItem } from "../contract/Analyses.ts"
import { placeOfIssue } from "./IssuePlace.ts"

describe("places", () => {
  const place = (wire: unknown) =>
    Schema.decodeUnknownEffect(Schema.Array(AnalysisItem))(wire).pipe(Effect.flip, Effect.map(placeOfIssue))

  it.effect("name the field, never its value", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* place([{ id: 1 }, { id: { canary: 1 } }]), "[1].id: Expected string | number")
      assert.strictEqual(
        yield* place([{ id: 1, analysisApproval: { userName: ["canary"] } }]),
        "[0].analysisApproval.userName: Expected string | null"
      )
      assert.strictEqual(yield* place([{}]), "[0].id: Missing key")
      assert.strictEqual(yield* place("canary"), "Expected array")
      assert.strictEqual(yield* place([{ id: 2 ** 53 }]), "[0].id: Expected an integer")
    })
  )

  it.effect("hide keys that are not names", () =>
    Effect.gen(function* () {
      const map = Schema.Record(Schema.String, Schema.Int)
      const error = yield* Effect.flip(Schema.decodeUnknownEffect(map)({ "Ada Größe": "x" }))
      assert.strictEqual(placeOfIssue(error), "[...]: Expected number")
    })
  )
})
