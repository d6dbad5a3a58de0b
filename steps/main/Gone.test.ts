/** Whoever still writes what is gone is told what does its job now, wherever he writes it. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { configLayer } from "../../core/src/settings/ConfigLayer.ts"
import { gone } from "../../core/src/settings/Gone.ts"
import { keyNames } from "../../core/src/settings/Keys.ts"
import { environmentWarnings } from "../../core/src/settings/Settings.ts"
import { readCommandLine } from "./CommandLine.ts"

describe("what is gone", () => {
  for (const { instead, names, steps } of gone) {
    it.effect(`${names.join(", ")}: refused as an option of ${steps.join(", ")}, with what does its job`, () =>
      Effect.gen(function* () {
        for (const name of steps) {
          for (const word of names) {
            const option = `${word.length === 1 ? "-" : "--"}${word}`
            const argv = [option, "x", "A1"]
            const operands = { metavar: "ID", help: "", least: 0, most: 9 }
            const error = yield* Effect.flip(
              readCommandLine({ name, service: true, summary: "", operands, examples: [] }, argv)
            )
            assert.strictEqual(error.message, `${option} is not taken: ${instead}`)
          }
        }
      }).pipe(Effect.provide(NodeServices.layer))
    )

    const keys = names.filter((name) => !keyNames.some((key) => key === name))
    it(`${keys.join(", ")}: refused as a key that orders something, warned of as a variable`, () => {
      for (const key of keys) {
        assert.deepStrictEqual(configLayer({ [key]: "x" }).problems, [`${key} is not taken: ${instead}`])
        const { problems, warnings } = configLayer({ [key]: null })
        assert.deepStrictEqual([...problems, ...warnings], [])
        const isVariable = key.startsWith("SVC_")
        assert.deepStrictEqual(
          environmentWarnings({ [key]: "x" }),
          isVariable ? [`${key} is not taken: ${instead}`] : []
        )
      }
    })
  }
})
