import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { BehaviourChoice } from "./Behaviour.ts"
import { Fault, FaultMatch, FaultRules } from "./Faults.ts"
import { strictly } from "./WireJson.ts"
import { WorldFile } from "./WorldFile.ts"

const text = readFileSync(new URL("../docs/sandbox.md", import.meta.url), "utf8")

const block = (kind: string) => new RegExp(`\`\`\`json ${kind}\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? ""

/** The words in code style in the first column of the table with this heading. */
const column = (heading: string) => {
  const rows = (text.split(`\n| ${heading} | |\n`)[1] ?? "").split("\n\n")[0] ?? ""
  return rows.split("\n").flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, word]) => word))
}

describe("docs/sandbox.md", () => {
  it.effect("its examples are accepted", () =>
    Effect.gen(function* () {
      const rules = yield* Schema.decodeEffect(Schema.fromJsonString(FaultRules), strictly)(block("faults"))
      assert.isAbove(rules.length, 3)
      const world = yield* Schema.decodeEffect(Schema.fromJsonString(WorldFile), strictly)(block("world"))
      assert.isDefined(world.analyses)
      assert.isDefined(world.behaviour)
    })
  )

  it("its tables name every key", () => {
    assert.sameMembers(column("when"), Object.keys(FaultMatch.fields))
    assert.sameMembers(column("then"), Object.keys(Fault.fields))
    assert.sameMembers(column("behaviour"), Object.keys(BehaviourChoice.fields))
  })
})
