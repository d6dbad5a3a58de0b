import { assert, describe, it } from "@effect/vitest"
import { configLayer } from "./ConfigLayer.ts"
import { decode } from "./Settings.ts"

describe("the configuration file's values", () => {
  it("takes every JSON form: texts, numbers, booleans, lists", () => {
    const { layer, problems, warnings } = configLayer({
      target: "https://lab.example.org",
      analysisIds: [1, "A2"],
      sampleIds: "S1,S2",
      overwrite: true,
      list: "yes",
      connections: 8,
      filetypes: ["vcf.gz"]
    })
    assert.deepStrictEqual([problems, warnings], [[], []])
    const { settings } = decode("download", { commandLine: {}, environment: {}, file: layer })
    assert.deepInclude(settings, {
      target: "https://lab.example.org",
      analysisIds: ["1", "A2"],
      sampleIds: ["S1", "S2"],
      overwrite: true,
      list: true,
      connections: 8,
      filetypes: ["vcf.gz"]
    })
  })

  it("takes filter as another name of filters, the real name first", () => {
    assert.deepStrictEqual(configLayer({ filter: ["a=1"] }).layer, { filters: ["a=1"] })
    const both = configLayer({ filters: ["a=1"], filter: ["b=2"] })
    assert.deepStrictEqual(both.layer, { filters: ["a=1"] })
    assert.deepStrictEqual(both.warnings, ["filter is ignored, as filters is set as well"])
    assert.deepStrictEqual(configLayer({ filter: ["b=2"], filters: ["a=1"] }).layer, { filters: ["a=1"] })
  })

  it("G3 unknown keys are warnings with a suggestion", () => {
    const { layer, warnings } = configLayer({ targte: "x", password_file: "y", $schema: "z", config: "c" })
    assert.deepStrictEqual(layer, {})
    assert.deepStrictEqual(warnings, [
      "unknown key targte; did you mean target?",
      "unknown key password_file",
      "unknown key $schema",
      "unknown key config"
    ])
  })

  it("null and empty values count as not set", () => {
    assert.deepStrictEqual(configLayer({ range: null, bed: "", analysisIds: [] }), {
      layer: {},
      warnings: [],
      problems: []
    })
  })

  it("a value of a wrong form is a problem, not a guess", () => {
    for (const content of [
      { target: ["a"] },
      { overwrite: {} },
      { analysisIds: [["A1"]] },
      { analysisIds: { a: 1 } },
      { analysisIds: [null] }
    ]) {
      assert.strictEqual(configLayer(content).problems.length, 1, JSON.stringify(content))
    }
  })

  it("an id that JSON cannot hold exactly as a number is refused", () => {
    assert.strictEqual(configLayer({ analysisIds: [12345678901234567890n].map(Number) }).problems.length, 1)
  })

  it("has no key that could reach a prototype", () => {
    const { layer } = configLayer(JSON.parse('{"__proto__": {"target": "x"}, "constructor": "y"}'))
    assert.deepStrictEqual(Object.keys(layer), [])
    assert.isUndefined(layer.target)
  })
})
