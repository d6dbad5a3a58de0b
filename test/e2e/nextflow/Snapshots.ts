/**
 * The tests of the modules in nf-test's form, run by Nextflow alone: nf-test is on no registry that a fresh machine reaches. All tests of one
 * kind, real or stub, are one pipeline; what it shows is compared with `main.nf.test.snap`, or written there.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { type LaunchPad, workflows } from "./Nextflow.ts"

interface ModuleTest {
  readonly module: string
  readonly process: string
  readonly title: string
  readonly stub: boolean
  readonly inputs: string
  /** The outputs that are kept. */
  readonly kept: ReadonlyArray<string>
}

interface Snapshot {
  readonly content: ReadonlyArray<unknown>
  readonly timestamp: string
  readonly meta: Readonly<Record<string, string>>
}

const snapshotFile = (module: string) => join(workflows, "modules", "svc", module, "tests", "main.nf.test.snap")

const readTests = (module: string): ReadonlyArray<ModuleTest> => {
  const text = readFileSync(join(workflows, "modules", "svc", module, "tests", "main.nf.test"), "utf8")
  const process = /^ {4}process "(\w+)"$/m.exec(text)?.[1] ?? ""
  return [...text.matchAll(/^ {4}test\("([^"]+)"\) \{\n(.*?)^ {4}\}$/gms)].map(([, title = "", body = ""]) => ({
    module,
    process,
    title,
    stub: body.includes('options "-stub"'),
    inputs: /^ {8}when \{\s*process \{\s*"""\s*(.*?)\s*"""/ms.exec(body)?.[1] ?? "",
    kept: [...(/snapshot\(\[(.*)\]\)\.match\(\)/.exec(body)?.[1] ?? "").matchAll(/\w+: process\.out\.(\w+)/g)].map(
      ([, output = ""]) => output
    )
  }))
}

/** `input[0] = X` and so on, as the arguments of a call. */
const arguments_ = (inputs: string) =>
  inputs
    .split(/^\s*input\[\d\] = /m)
    .slice(1)
    .map((value) => value.trim())
    .join(", ")

/** A pipeline with all these tests; it shows a line of JSON for each output that is kept. */
const pipelineOf = (tests: ReadonlyArray<ModuleTest>): string => {
  const path = (module: string) => `'${join(workflows, "modules", "svc", module, "main.nf")}'`
  const includes = tests.map(({ module, process }) => `include { ${process} } from ${path(module)}`)
  const folder = (module: string) => join(workflows, "modules", "svc", module)
  const calls = tests.flatMap(({ inputs, kept, module, process, title }) => [
    `${process}(${arguments_(inputs.replace(/\$\{moduleDir\}/, folder(module)))})`,
    ...kept.map(
      (output) =>
        `${process}.out.${output}.toList().view { all -> 'KEPT ' + groovy.json.JsonOutput.toJson([module: '${module}', title: '${title}', output: '${output}', value: plain(all)]) }`
    )
  ])
  return `def plain(value) {
    return value instanceof List ? value.collect { part -> plain(part) } : value instanceof java.nio.file.Path ? value.toString() : value
}

${includes.join("\n")}

workflow {
${calls.map((call) => `    ${call}`).join("\n")}
}
`
}

/** As nf-test keeps a value: a path is its name and the MD5 of its content. */
const kept = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(kept)
  if (typeof value !== "string" || !value.startsWith("/")) return value
  return `${basename(value)}:md5,${createHash("md5").update(readFileSync(value)).digest("hex")}`
}

/** What a run of all tests of these modules gives, by module and title. */
export const runTests = Effect.fnUntraced(function* (pad: LaunchPad, modules: ReadonlyArray<string>) {
  const all = modules.flatMap(readTests)
  const found = new Map<string, Record<string, Record<string, unknown>>>()
  for (const stub of [false, true]) {
    const tests = all.filter((test) => test.stub === stub)
    const path = pad.write(`snapshots-${stub ? "stub" : "real"}.nf`, pipelineOf(tests))
    const config = join(workflows, "conf", stub ? "svc.config" : "sandbox.config")
    const run = stub
      ? yield* pad.run(path, ["-c", config, "-stub"], { SVC_TARGET: "", SVC_USER: "", SVC_PASSWORD: "" })
      : yield* pad.run(path, ["-c", config])
    if (run.exitCode !== 0) return yield* Effect.die(new Error(run.stdout + run.stderr))
    for (const [, line = ""] of run.stdout.matchAll(/^KEPT (.*)$/gm)) {
      const { module, output, title, value } = JSON.parse(line)
      const content = kept(value)
      const of = found.get(module) ?? {}
      of[title] = { ...of[title], [output]: content }
      found.set(module, of)
    }
  }
  return all.map((test) => {
    const values = found.get(test.module)?.[test.title] ?? {}
    const content = Object.fromEntries(test.kept.map((output) => [output, values[output]]))
    return { module: test.module, title: test.title, content }
  })
})

/** The snapshots of a module as they are in the repository. */
export const readSnapshots = (module: string): Readonly<Record<string, Snapshot>> =>
  JSON.parse(readFileSync(snapshotFile(module), "utf8"))

export const writeSnapshots = (
  results: ReadonlyArray<{ readonly module: string; readonly title: string; readonly content: unknown }>
) => {
  const meta = { nextflow: "25.04.4" }
  const timestamp = new Date().toISOString().slice(0, 19)
  for (const module of new Set(results.map(({ module }) => module))) {
    const entries = results
      .filter((result) => result.module === module)
      .map(({ content, title }) => [title, { content: [content], timestamp, meta }] as const)
    const lines = entries.map(
      ([title, entry]) =>
        `    ${JSON.stringify(title)}: {\n${Object.entries(entry)
          .map(([key, value]) => `        ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
          .join(",\n")}\n    }`
    )
    writeFileSync(snapshotFile(module), `{\n${lines.join(",\n")}\n}\n`)
  }
}
