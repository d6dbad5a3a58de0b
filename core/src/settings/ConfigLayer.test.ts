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

  it("G3 an unknown key that is nearly one of ours is a problem, any other a warning", () => {
    const { layer, problems, warnings } = configLayer({ targte: "x", password_fil: "y", config: "c", owner: "us" })
    assert.deepStrictEqual(layer, {})
    assert.deepStrictEqual(problems, [
      "unknown key targte; did you mean target?",
      "unknown key password_fil; did you mean passwordFile?"
    ])
    assert.deepStrictEqual(warnings, ["unknown key config", "unknown key owner"])
  })

  it("a name of another tool is a problem that says ours: a run that passes over it does something else", () => {
    assert.deepStrictEqual(configLayer({ "dry-run": true }).problems, ["unknown key dry-run; did you mean plan?"])
  })

  it("null and empty values count as not set", () => {
    assert.deepStrictEqual(configLayer({ range: null, bed: "", analysisIds: [], $schema: "config.schema.json" }), {
      layer: {},
      warnings: [],
      problems: []
    })
  })

  for (const [content, problem] of [
    [{ reportfile: 5 }, "reportfile must be a text in quotes, not the number 5"],
    [{ overwrite: [] }, "overwrite must be true or false, not an empty list"],
    [{ overwrite: 1 }, "overwrite must be true or false, not the number 1"],
    [{ target: ["a"] }, "target must be a text in quotes, not a list"],
    [{ connections: true }, "connections must be a whole number, not true"],
    [{ connections: 2.5 }, "connections must be a whole number, not the number 2.5"],
    [{ idleTimeout: 30 }, 'idleTimeout must be a time in quotes, such as "30s", not the number 30'],
    [{ limitRate: true }, 'limitRate must be bytes per second in quotes, such as "50M", not true'],
    [{ loglevel: false }, "loglevel must be a text in quotes, not false"],
    [{ password: 4711 }, "password must be a text in quotes, not a number"],
    [{ analysisIds: [["A1"]] }, "analysisIds must be a list of texts, not a list with a list"],
    [{ analysisIds: { a: 1 } }, "analysisIds must be a list of texts, not an object"],
    [{ analysisIds: ["A1", null] }, "analysisIds must be a list of texts, not a list with null"],
    [{ filters: [true] }, "filters must be a list of texts, not a list with true"]
  ] as const) {
    it(`${JSON.stringify(content)} is a problem that names key, expected and given`, () => {
      assert.deepStrictEqual(configLayer(content), { layer: {}, warnings: [], problems: [problem] })
    })
  }

  it("a text that no step can use is a problem, whichever step reads the file", () => {
    for (const [content, problem] of [
      [{ connections: "many" }, 'Invalid value for connections: "many": expected a whole number from 1 to 64'],
      [{ filetypes: ["bam", "cram"] }, "Unsupported file type: cram"],
      [{ check: "none" }, 'Invalid value for check: "none": expected structure, content or full']
    ] as const)
      assert.deepStrictEqual(configLayer(content).problems, [problem])
  })

  it("an id that JSON cannot hold exactly as a number is refused", () => {
    assert.deepStrictEqual(configLayer({ analysisIds: [12345678901234567890n].map(Number) }).problems, [
      "analysisIds must be a list of texts, not a list with a number too large to be read exactly: put it in quotes"
    ])
  })

  it("has no key that could reach a prototype", () => {
    const { layer } = configLayer(JSON.parse('{"__proto__": {"target": "x"}, "constructor": "y"}'))
    assert.deepStrictEqual(Object.keys(layer), [])
    assert.isUndefined(layer.target)
  })
})
