import { assert, describe, it } from "@effect/vitest"
import { stepNames } from "../../core/src/settings/Key.ts"
import { keysOf, table } from "../../core/src/settings/Keys.ts"
import { helpText } from "./Help.ts"
import type { Step } from "./Step.ts"

const step = (name: Step["name"]): Step => ({
  name,
  service: true,
  summary: "A summary that says what the step is for, in one sentence that may be longer than a line of a terminal.",
  operands: { metavar: "ID", help: "An analysis", least: 1, most: 9 },
  examples: [{ command: "-t https://lab.example.org A1", says: "what it does" }],
  load: () => Promise.reject(new Error("help loads nothing"))
})

describe("help", () => {
  for (const name of stepNames) {
    it(`of ${name} fits 80 columns and has every option with its default and variable`, () => {
      const text = helpText(step(name), "svc-x")
      for (const line of text.split("\n")) assert.isAtMost(line.length, 80, line)
      for (const key of keysOf(name)) {
        const { default: fallback, env, short } = table[key]
        assert.include(text, short === undefined ? `      --${key}` : `  -${short}, --${key}`)
        if (env !== undefined) assert.include(text, `[${env}]`)
        if (fallback !== undefined) assert.include(text.replace(/\s+/g, " "), `(default ${fallback})`)
      }
    })
  }

  it("shows how to call it: usage, operands and examples with the name the user typed", () => {
    const text = helpText(step("api"), "svc-steps api")
    assert.include(text, "Usage: svc-steps api [options] ID...")
    assert.include(text, "  svc-steps api -t https://lab.example.org A1")
  })
})
