import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type Column, columnsOf, pick } from "./Columns.ts"

const decode = (header: unknown) => columnsOf(new TextEncoder().encode(JSON.stringify(header)))
const columns = (...names: ReadonlyArray<readonly [id: string, title?: string]>): ReadonlyArray<Column> =>
  names.map(([id, title = ""], index) => ({ index, id, title, name: id }))

describe("the header", () => {
  it.effect("gives columns; other fields and odd titles do no harm", () =>
    Effect.gen(function* () {
      const found = yield* decode([
        { id: "Chr", title: "Chromosome", badge: 5 },
        { id: "x", title: null },
        { id: "y", title: 7 }
      ])
      assert.deepStrictEqual(
        found.map(({ id, index, title }) => [index, id, title]),
        [
          [0, "Chr", "Chromosome"],
          [1, "x", ""],
          [2, "y", ""]
        ]
      )
    })
  )

  it.effect("columns of one id have different names, and none is that of the analysis", () =>
    Effect.gen(function* () {
      const found = yield* decode(["a", "analysisId", "a", "a_2", "a"].map((id) => ({ id })))
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        ["a", "analysisId_2", "a_2", "a_2_2", "a_3"]
      )
    })
  )

  it.effect("of a wrong form is refused by its position, without quoting its content", () =>
    Effect.gen(function* () {
      const reason = yield* Effect.flip(decode([{ id: "a" }, { id: 5, title: "SECRET" }]))
      assert.match(reason, /^header: \[1\]\.id: /)
      assert.notInclude(reason, "SECRET")
      assert.match(yield* Effect.flip(decode([{}])), /^header: \[0\]\.id: /)
    })
  )
})

describe("columns", () => {
  const known = columns(["Chr", "Chromosome"], ["Pos", "Position"], ["Chromosome"], ["pos", "Other"])
  const picked = (...names: ReadonlyArray<string>) =>
    Result.map(pick(known, names), (found) => found.map(({ index }) => index))

  it("are called by their exact names, in the order asked for", () => {
    assert.deepStrictEqual(picked("Pos", "Chr", "pos", "Chromosome", "Pos"), Result.succeed([1, 0, 3, 2, 1]))
  })

  it("that do not exist are all named, with the nearest that do; a title, another case are none", () => {
    assert.deepStrictEqual(
      picked("Chr", "Pso", "CHR", "Position", "Zygosity"),
      Result.fail(
        "Unknown columns Pso (did you mean Pos?), CHR (did you mean Chr?), Position (did you mean Pos?), Zygosity; there are Chr, Pos, Chromosome, pos"
      )
    )
    const many = columns(...Array.from({ length: 205 }, (_, i) => [`C${i}`] as const))
    assert.match(Result.getOrThrow(Result.flip(pick(many, ["no such"]))), /C199, and 5 more$/)
  })
})
