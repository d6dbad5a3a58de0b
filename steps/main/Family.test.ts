import { assert, describe, it } from "@effect/vitest"
import { prepare } from "./Arguments.ts"
import { chooseMethod } from "./Family.ts"
import { familyHelpText, helpText } from "./Help.ts"
import { decodeOwn } from "./OwnOptions.ts"
import type { Method, StepFamily } from "./Step.ts"

const method = (name: string, more: Pick<Partial<Method>, "operands" | "options" | "group"> = {}): Method => ({
  name: "api",
  method: name,
  group: "Persons",
  service: true,
  summary: `does ${name}`,
  examples: [],
  load: () => Promise.reject(new Error("not loaded")),
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
  return chosen.kind === "method"
    ? `${chosen.method.method}: ${chosen.argv.join(" ")}`
    : chosen.kind === "wrong"
      ? chosen.message
      : chosen.kind
}

describe("the method of a family", () => {
  it("is the first word that is no option and no value of a setting", () => {
    assert.strictEqual(choose("get-person", "L1"), "get-person: L1")
    assert.strictEqual(
      choose("-t", "get-person", "--loglevel=debug", "get-person", "-u", "x", "L1"),
      ["get-person: -t get-person --loglevel=debug -u x L1"].join()
    )
    assert.strictEqual(choose("get-person", "--help"), "get-person: --help")
    assert.strictEqual(choose("help", "get-person"), "get-person: --help")
  })

  it("may be absent for help, version and completions", () => {
    assert.strictEqual(choose("--help"), "help")
    assert.strictEqual(choose("-t", "x", "-h"), "help")
    assert.strictEqual(choose("help"), "help")
    assert.strictEqual(choose("--version"), "version")
    assert.strictEqual(choose("--completions", "bash"), "completions")
  })

  it("must be there otherwise: an empty variable is not a success", () => {
    assert.strictEqual(choose(), "No method is given")
    assert.strictEqual(choose("-t", "x"), "No method is given")
    assert.strictEqual(choose(""), "Unknown method ")
  })

  it("is suggested when it is mistyped or in the spelling of a library", () => {
    assert.strictEqual(choose("get-persn"), "Unknown method get-persn; did you mean get-person?")
    assert.strictEqual(choose("getPerson"), "Unknown method getPerson; did you mean get-person?")
    assert.strictEqual(choose("get_person"), "Unknown method get_person; did you mean get-person?")
    assert.strictEqual(choose("zzz"), "Unknown method zzz")
  })

  it("comes before its own options; values are not repeated in the message", () => {
    assert.strictEqual(choose("--gene-ids=CANARY", "create-panel"), "The method comes first, before --gene-ids")
  })
})

describe("own options", () => {
  const [, panels] = family.methods
  const decode = (texts: Readonly<Record<string, ReadonlyArray<string>>>) => decodeOwn(options, texts)

  it("are read as settings are", () => {
    const prepared = panels && prepare(panels, ["--gene-ids", "G1", "G2", "--no-active", "--virtual-panel-id", "none"])
    assert.deepStrictEqual(prepared, {
      kind: "run",
      argv: ["--gene-ids=G1", "--gene-ids=G2", "--active=false", "--virtual-panel-id=none"]
    })
  })

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
  const text = familyHelpText(family, "svc-x")

  it("has every method with its usage under its heading, the settings and the examples, in 80 columns", () => {
    for (const line of [...text.split("\n"), ...helpText(family.methods[1] ?? method("?"), "svc-x m").split("\n")]) {
      assert.isAtMost(line.length, 80, line)
    }
    assert.match(text, /Persons:\n {2}get-person LIMS-ID\.\.\.\n {6}does get-person\n\nPanels:\n {2}create-panel /)
    assert.match(text, /create-panel \[--virtual-panel-id ID\|none\] --gene-ids VALUE \[--active\]/)
    assert.include(text, "  -t, --target NAME|URL")
    assert.include(text, "  svc-x get-person L1")
  })

  it("of a method has its own options first", () => {
    const own = helpText(family.methods[1] ?? method("?"), "svc-x create-panel")
    assert.match(own, /Usage: svc-x create-panel --gene-ids VALUE \[options\]\n/)
    assert.match(own, /Options:\n {6}--virtual-panel-id ID\|none\s+Which panel \(default\s+1\)/)
    assert.isBelow(own.indexOf("--gene-ids"), own.indexOf("--target"))
  })
})
