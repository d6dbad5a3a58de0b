import { assert, describe, it } from "@effect/vitest"
import { dispatch, type Entry, steps } from "./AllSteps.ts"
import { programOf } from "./Programs.ts"
import type { Step } from "./Step.ts"
import { version } from "./Version.ts"

const entry = (name: string): Entry => ({ name, summary: `does ${name}`, start: () => Promise.resolve() })
const entries = [entry("download"), entry("resume-restore")]

describe("svc-steps", () => {
  it("runs a step by its name or the name of its executable, with the rest of the arguments", () => {
    for (const name of ["download", "svc-download"]) {
      const found = dispatch(entries, [name, "--list", "-a", "A1"])
      assert.isTrue(found.kind === "start" && found.entry.name === "download")
      assert.deepStrictEqual(found.kind === "start" ? found.argv : [], ["--list", "-a", "A1"])
    }
  })

  it("shows the steps without arguments and for help", () => {
    for (const argv of [[], ["--help"], ["-h"], ["help"]]) {
      const found = dispatch(entries, argv)
      assert.match(found.kind === "text" ? found.text : "", /download {8}does download\n {2}resume-restore {2}does/)
    }
  })

  it("help STEP is STEP --help", () => {
    const found = dispatch(entries, ["help", "download"])
    assert.deepStrictEqual(found.kind === "start" ? found.argv : [], ["--help"])
  })

  it("--version is the bare number", () => {
    assert.deepStrictEqual(dispatch(entries, ["--version"]), { kind: "text", text: version })
    assert.match(version, /^\d+\.\d+\.\d+/)
  })

  it("an unknown step is wrong usage, with a suggestion and the list", () => {
    const found = dispatch(entries, ["resume-retsore"])
    assert.isTrue(found.kind === "wrong")
    if (found.kind !== "wrong") return
    assert.strictEqual(found.message, "Unknown step resume-retsore; did you mean resume-restore?")
    assert.include(found.text, "does download")
  })

  it("an option before the step is wrong usage, and its value is not repeated", () => {
    const found = dispatch(entries, ["--password=CANARY", "download"])
    assert.strictEqual(found.kind === "wrong" ? found.message : "", "The step comes first, before --password")
  })
})

describe("programs", () => {
  for (const step of steps.flatMap((about): ReadonlyArray<Step> => ("methods" in about ? about.methods : [about]))) {
    it(`${step.name}${"method" in step ? ` ${step.method}` : ""} has one`, async () => {
      assert.isFunction(await programOf(step))
    })
  }
})
