import { assert, describe, it } from "@effect/vitest"
import { helpText } from "./Help.ts"
import { decodeOwn } from "./Program.ts"
import type { Method, StepFamily } from "./Step.ts"
import { chooseMethod } from "./StepRunner.ts"

const method = (name: string, more: Pick<Partial<Method>, "operands" | "options" | "group"> = {}): Method => ({
  name: "api",
  method: name,
  group: "Persons",
  service: true,
  summary: `does ${name}`,
  examples: [],
  ...more
})

const options = {
  "virtual-panel-id": { type: "text", default: "1", metavar: "ID|none", help: "Which panel" },
  "gene-ids": { type: "list", required: true, help: "Genes" },
  active: { type: "flag", help: "In use" }
} as const

const family: StepFamily = {
  name: "api",
  summary: "A family.",
  methods: [
    method("get-person", { operands: { metavar: "LIMS-ID", help: "A person", least: 1, most: 9 } }),
    method("create-panel", { group: "Panels", options })
  ],
  examples: [{ command: "get-person L1", says: "one person" }]
}

const choose = (...argv: ReadonlyArray<string>) => {
  const chosen = chooseMethod(family, argv)
  return chosen === null ? null : `${chosen.method.method}: ${chosen.argv.join(" ")}`
}

describe("the method of a family", () => {
  it("is the first word that is no option and no value of a setting", () => {
    assert.strictEqual(choose("get-person", "L1"), "get-person: L1")
    assert.strictEqual(
      choose("-t", "get-person", "--loglevel=debug", "-q", "get-person", "-u", "x", "L1"),
      "get-person: -t get-person --loglevel=debug -q -u x L1"
    )
    assert.strictEqual(choose("get-person", "create-panel"), "get-person: create-panel")
  })

  it("is no other word", () => {
    for (const argv of [[], [""], ["-t", "get-person"], ["--completions", "bash"], ["x", "get-person"]]) {
      assert.isNull(choose(...argv), argv.join(" "))
    }
  })
})

describe("own options", () => {
  const decode = (texts: Readonly<Record<string, ReadonlyArray<string>>>) => decodeOwn(options, texts)

  it("have their values, defaults, and empty values", () => {
    const { own, problems } = decode({ "gene-ids": ["G1,G2", "G3"] })
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(own.values, { "virtual-panel-id": "1", "gene-ids": ["G1", "G2", "G3"], active: false })
    assert.isTrue(own.given("gene-ids"))
    assert.isFalse(own.given("active"))
  })

  it("say what is wrong with them", () => {
    assert.deepStrictEqual(decode({}).problems, ["Missing required argument --gene-ids"])
    assert.deepStrictEqual(decode({ "gene-ids": ["1"], active: ["perhaps"] }).problems, [
      'Invalid value for --active: "perhaps": expected true, false, 1, 0, yes, no, on or off'
    ])
    assert.deepStrictEqual(decode({ "gene-ids": ["1"], "virtual-panel-id": [""] }).problems, [
      "Invalid value for --virtual-panel-id: expected a value that is not empty"
    ])
  })
})

describe("help of a family", () => {
  const [, panel = method("?")] = family.methods

  it("has a line for each method under its heading", () => {
    const text = helpText(family, "svc-x")
    assert.match(
      text,
      /Persons:\n {2}get-person {4}does get-person\n\nPanels:\n {2}create-panel {2}does create-panel\n/
    )
    assert.include(text, "  svc-x get-person L1")
    assert.notInclude(text, "--target")
  })

  it("with everything has the usage of each method, and the settings", () => {
    const text = helpText(family, "svc-x", { topic: "all" })
    for (const line of [...text.split("\n"), ...helpText(panel, "svc-x m").split("\n")]) {
      assert.isAtMost(line.length, 80, line)
    }
    assert.match(text, /Persons:\n {2}get-person LIMS-ID\.\.\.\n {6}does get-person\n\nPanels:\n {2}create-panel /)
    assert.match(text, /create-panel \[--virtual-panel-id ID\|none\] --gene-ids VALUE \[--active\]/)
    assert.include(text, "  -t, --target NAME|URL")
  })

  it("of a method has its own options first", () => {
    const own = helpText(panel, "svc-x create-panel")
    assert.match(own, /Usage: svc-x create-panel --gene-ids VALUE \[options\]\n/)
    assert.match(own, /Options:\n {6}--virtual-panel-id ID\|none\s+Which panel \(default\s+1\)/)
    assert.isBelow(own.indexOf("--gene-ids"), own.indexOf("--target"))
  })
})
