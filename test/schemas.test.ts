/** The JSON Schemas, by ajv, as editors and other people's programs use them. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { configLayer } from "../core/src/settings/ConfigLayer.ts"
import { stepNames } from "../core/src/settings/Key.ts"
import { type KeyName, keyNames, table } from "../core/src/settings/Keys.ts"
import { decode } from "../core/src/settings/Settings.ts"
import { schemas } from "../scripts/schemas.ts"
import { root } from "./Root.ts"
import { fits, validator } from "./Schemas.ts"

const config = validator("config")

/** What the schema says against a content: the keys it names. */
const refused = (content: unknown): ReadonlyArray<string> => {
  config(content)
  return [
    ...new Set(
      (config.errors ?? []).map(
        ({ instancePath, params }) => instancePath.split("/")[1] ?? params["additionalProperty"]
      )
    )
  ]
}

/** Whether the program takes this value, for any step that has its key. */
const taken = (name: KeyName, value: unknown): boolean => {
  const { layer, problems } = configLayer({ [name]: value })
  const step = stepNames.find((step) => table[name].steps.includes(step)) ?? "download"
  const decoded = decode(step, { commandLine: {}, environment: {}, file: layer })
  return problems.length === 0 && decoded.problems.length === 0
}

describe("the schema of the configuration file", () => {
  it("accepts every configuration file that a page or an example shows", () => {
    const pages = ["README.md", ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)].filter((path) =>
      path.endsWith(".md")
    )
    const shown = pages.flatMap((page) =>
      [...readFileSync(`${root}${page}`, "utf8").matchAll(/\{\s*\\?"(?:\$schema|target|username)\\?":[^{}]*\}/g)].map(
        ([text]) => [page, text] as const
      )
    )
    assert.isAtLeast(shown.length, 3)
    for (const [page, text] of shown) {
      const filled = text
        .replaceAll('\\"', '"')
        .replaceAll("%s", "x")
        .replace(/:\s*"?\$\w+"?/g, ': "x"')
      assert.deepStrictEqual(refused(JSON.parse(filled)), [], page)
    }
  })

  it("refuses wrong types and unknown keys, and names the key", () => {
    for (const [content, key] of [
      [{ reportfile: 5 }, "reportfile"],
      [{ overwrite: [] }, "overwrite"],
      [{ overwrite: "perhaps" }, "overwrite"],
      [{ connections: 0 }, "connections"],
      [{ connections: 1.5 }, "connections"],
      [{ filetypes: ["bed"] }, "filetypes"],
      [{ restoreArchived: "maybe" }, "restoreArchived"],
      [{ idleTimeout: "5 minutes" }, "idleTimeout"],
      [{ analysisIds: [["A1"]] }, "analysisIds"],
      [{ target: {} }, "target"],
      [{ taget: "https://lab.example.org" }, "taget"]
    ] as const) {
      assert.deepStrictEqual(refused(content), [key], JSON.stringify(content))
    }
  })

  it("agrees with the program on every key, for values of every type", () => {
    const values = [
      null,
      "",
      "x",
      5,
      0,
      -1,
      1.5,
      true,
      [],
      ["x"],
      [5],
      [true],
      [null],
      {},
      "30s",
      "true",
      "No",
      "7",
      "ask"
    ]
    const choices = keyNames.flatMap((name) => table[name].choices ?? [])
    for (const name of keyNames.filter((name) => table[name].notInFile === undefined)) {
      for (const value of [...values, ...choices, choices.slice(0, 1)]) {
        // A text in a list may hold several, which only the program takes apart; numbers as texts have their limits there.
        const texts = typeof value === "string" && value !== ""
        if (texts && ["list", "int", "duration", "rate"].includes(table[name].type)) continue
        if (Array.isArray(value) && value.some((item) => typeof item === "number") && table[name].choices !== undefined)
          continue
        assert.strictEqual(
          refused({ [name]: value }).length === 0,
          taken(name, value),
          `${name}: ${JSON.stringify(value)}`
        )
      }
    }
  })
})

describe("the schemas in dist/", () => {
  it("are those of the sources, and compile", () => {
    for (const [name, schema] of Object.entries(schemas())) {
      assert.deepStrictEqual(JSON.parse(readFileSync(`${root}dist/${name}.schema.json`, "utf8")), schema)
      validator(name)
    }
  })

  it("a report with a key that is missing or of another type does not fit", () => {
    assert.throws(() => fits("report", { schema: "svc.report/1" }))
    assert.throws(() => fits("list", { schema: "svc.list/1", analyses: [{ analysisId: 1 }], failures: [] }))
    fits("list", { schema: "svc.list/1", analyses: [], failures: [] })
    const listed = (file: object) => ({
      schema: "svc.list/1",
      analyses: [{ analysisId: "A1", sampleId: null, limsId: null, files: [file] }],
      failures: []
    })
    const file = { fileName: "S1.bam", type: "bam", size: 5, archived: false, estimatedRestoreTime: null }
    fits("list", listed(file))
    assert.throws(() => fits("list", listed({ ...file, size: "5" })))
    assert.throws(() => fits("list", listed({ ...file, ranged: {} })))
  })
})

describe("the sample sheet of the Nextflow pipelines", () => {
  const path = `${root}workflows/nextflow/assets/schema_input.json`

  it("fits its schema, in the form of nf-schema", () => {
    const rows = (text: string) => {
      const [names = [], ...lines] = text
        .trim()
        .split("\n")
        .map((line) => line.split(","))
      return lines.map((cells) =>
        Object.fromEntries(names.flatMap((name, at) => (cells[at] === "" ? [] : [[name, cells[at]]])))
      )
    }
    const check = validator(JSON.parse(readFileSync(path, "utf8")))
    assert.isTrue(check(rows(readFileSync(`${root}workflows/nextflow/assets/samplesheet.csv`, "utf8"))))
    assert.isFalse(check(rows("id,analysis\na/b,A1")))
    assert.isFalse(check(rows("id,range\na,chr1")))
    assert.isFalse(check(rows("id,analysis,filetypes\na,A1,bed")))
  })
})
