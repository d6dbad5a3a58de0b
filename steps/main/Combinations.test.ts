import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Option } from "../../core/src/settings/Key.ts"
import { type KeyName, keysOf, table } from "../../core/src/settings/Keys.ts"
import { decode, type Layer } from "../../core/src/settings/Settings.ts"
import { steps } from "./AllSteps.ts"
import { combinationsOf, decodeOwn } from "./Program.ts"
import { programOf } from "./Programs.ts"
import type { Method, Step } from "./Step.ts"

/** Values that are right alone, where one of the type will not do. */
const values: Readonly<Record<string, string>> = {
  allowOrigin: "https://igv.org",
  before: "2026-01-01",
  "birth-date": "2020-01-01",
  check: "structure",
  filetypes: "bam",
  filters: "status = DONE",
  format: "json",
  genome: "ref.fa",
  host: "127.0.0.1",
  publicUrl: "http://127.0.0.1:1",
  range: "chr1:1-2",
  samplesheet: "s.csv",
  samplesheetColumns: "x=sample",
  target: "https://lab.example.org",
  trustProxy: "10.0.0.1"
}

const byType: Readonly<Record<Option["type"], string>> = {
  ...{ text: "x", secret: "x", path: "x", list: "x", lines: "x", flag: "true", choice: "x", int: "1" },
  ...{ duration: "1m", rate: "1M" }
}

const textOf = (name: string, { choices, type }: Option) => [values[name] ?? choices?.at(-1) ?? byType[type]]

/** What the step says of a command line with these options. */
const refusalsOf = (step: Step | Method, program: Awaited<ReturnType<typeof programOf>>) => {
  const own = step.options ?? {}
  return (...names: ReadonlyArray<string>): ReadonlyArray<string> => {
    const keys = names.filter((name): name is KeyName => own[name] === undefined && name in table)
    const commandLine = Object.fromEntries(keys.map((name) => [name, textOf(name, table[name])]))
    const { problems, settings } = decode(step.name, { commandLine, environment: {}, file: {} })
    const owns = names.flatMap((name) => (own[name] === undefined ? [] : [[name, textOf(name, own[name])] as const]))
    const decoded = decodeOwn(own, Object.fromEntries(owns))
    const operands = step.operands?.isCommand === true && !names.includes("COMMAND") ? [] : ["A1", "S1.bam"]
    const parsed = program(settings, operands, decoded.own)
    return [
      ...problems,
      ...decoded.problems,
      ...combinationsOf(step, settings, operands, decoded.own),
      ...(Result.isFailure(parsed) ? parsed.failure : [])
    ]
  }
}

const idle = ["wait", "reportfile", "samplesheet"]
const kept = ["destination", "overwrite", "layout", "checksums", "makeIndex", "samplesheet", "wait"]
const asked = ["restoreArchived", "maxRestores", "restorationFile", "pendingOk"]
const fields = ["family-id", "first-name", "last-name", "comment", "country", "sex", "birth-date", "hpo-term-ids"]
const facts = ["active", "description", "gene-ids", "name", "person-id"]

const regions = { bed: ["range", "unmapped"] }

const files = {
  ...regions,
  list: ["plan", "stdout", ...idle],
  plan: ["stdout", ...idle],
  resumeArchivedDownloads: ["plan", "stdout"],
  stdout: ["check", ...kept, ...asked]
}

/** Every pair that is refused, by step or method: an option with those that it excludes. */
const refused: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  download: files,
  "download-files": files,
  "request-restore": { ...regions, plan: ["reportfile"] },
  "resume-restore": { list: idle },
  add: regions,
  "fetch-annotations": { format: ["columns", "filters"] },
  "create-or-update-person": { input: ["lims-id", ...fields] },
  "create-virtual-panel": { input: facts },
  "update-virtual-panel": { input: facts },
  "get-pending-cnv-segments": { "lims-id": ["internal-person-id"] },
  gateway: { COMMAND: ["tokenFile", "socket"], socket: ["host", "port"], relay: ["redirect"] }
}

const all: ReadonlyArray<Step | Method> = steps.flatMap((step) => ("methods" in step ? [...step.methods] : [step]))
const titleOf = (step: Step | Method) => ("method" in step ? step.method : step.name)
const pairOf = (one: string, other: string) => [one, other].sort().join(" ")

describe("two options", () => {
  for (const step of all) {
    it(`of ${titleOf(step)} go together, or are refused in one sentence that names both`, async () => {
      const refusals = refusalsOf(step, await programOf(step))
      const command = step.operands?.isCommand === true ? [step.operands.metavar] : []
      const names = [...Object.keys(step.options ?? {}), ...keysOf(step.name), ...command]
      const always = refusals()
      const [alone, needy] = [true, false].map((is) =>
        names.filter((it) => refusals(it).length <= always.length === is)
      )
      const more = (...some: ReadonlyArray<string>) => refusals(...some).filter((it) => !always.includes(it))
      for (const one of needy ?? [])
        assert.isTrue(
          names.some((other) => more(one, other).length === 0),
          `${one}: ${more(one)}`
        )
      const found = (alone ?? []).flatMap((one, i) =>
        (alone ?? []).slice(i + 1).flatMap((other) => {
          const said = more(one, other)
          if (said.length === 0) return []
          assert.strictEqual(said.length, 1, said.join("\n"))
          for (const name of [one, other]) assert.include(said[0], name)
          return [pairOf(one, other)]
        })
      )
      const known = Object.entries(refused[titleOf(step)] ?? {})
      assert.deepStrictEqual(found.sort(), known.flatMap(([one, others]) => others.map((it) => pairOf(one, it))).sort())
    })
  }
})

describe("options beside one another", () => {
  const download = all.find(({ name }) => name === "download")
  const said = (layers: { readonly commandLine?: Layer; readonly environment?: Layer; readonly file?: Layer }) => {
    assert.isDefined(download)
    const { settings } = decode("download", { commandLine: {}, environment: {}, file: {}, ...layers })
    return combinationsOf(download as Step, settings, [], decodeOwn({}, {}).own)
  }

  it("are named where they were set, all of a combination in one sentence", () => {
    assert.deepStrictEqual(said({ commandLine: { range: ["chr1"], unmapped: ["true"] }, file: { bed: ["a.bed"] } }), [
      "bed in the configuration file, --range and --unmapped cannot be used together: give the regions as range"
    ])
    assert.deepStrictEqual(said({ commandLine: { list: ["true"], plan: ["true"], stdout: ["true"] } }), [
      "--list, --plan and --stdout cannot be used together: each replaces the download by something else"
    ])
    assert.deepStrictEqual(
      said({ commandLine: { poll: ["1m"], samplesheetColumns: ["x=sample"], samplesheetPartial: ["true"] } }),
      [
        "--samplesheetColumns and --samplesheetPartial need --samplesheet: the rows go there",
        "--poll needs --wait: it is how often to look while waiting"
      ]
    )
  })

  it("--unmapped needs the type of file that has unplaced reads, wherever the types are given", () => {
    const why = "cannot be used together: unplaced reads are in files of the type bam"
    const unmapped: Layer = { unmapped: ["true"] }
    assert.deepStrictEqual(said({ commandLine: { ...unmapped, filetypes: ["vcf.gz,bam.bai"] } }), [
      `--unmapped and --filetypes ${why}`
    ])
    const [fromVariable] = said({ commandLine: unmapped, environment: { filetypes: ["vcf.gz"] } })
    assert.strictEqual(fromVariable, `--unmapped and SVC_FILETYPES ${why}`)
    for (const types of [{}, { filetypes: ["vcf.gz,bam"] }]) {
      assert.deepStrictEqual(said({ commandLine: { ...unmapped, ...types } }), [])
    }
  })

  it("rest where a file or a variable has for all runs what has nothing to do in this one", () => {
    const forAll: Layer = {
      wait: ["1h"],
      poll: ["5m"],
      samplesheet: ["s.csv"],
      reportfile: ["r.json"],
      format: ["json"]
    }
    assert.deepStrictEqual(said({ commandLine: { list: ["true"] }, file: forAll }), [])
    assert.deepStrictEqual(
      said({ environment: { destination: ["out"], overwrite: ["true"] }, commandLine: { stdout: ["true"] } }),
      []
    )
    assert.deepStrictEqual(said({ file: { format: ["json"], poll: ["5m"] } }), [])
    assert.deepStrictEqual(said({ file: { list: ["true"], ...forAll }, commandLine: { plan: ["false"] } }), [])
    assert.strictEqual(said({ file: { list: ["true"] }, commandLine: { reportfile: ["r.json"] } }).length, 1)
  })
})
