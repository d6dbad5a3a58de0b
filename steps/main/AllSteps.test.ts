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

  it("an unknown step is wrong usage, with what was meant, or else the list", () => {
    for (const [word, message, list] of [
      ["resume-retsore", "Unknown step resume-retsore; did you mean resume-restore?", false],
      ["ls", /^Unknown step ls; svc-download --list -a ID shows /, false],
      ["copy", /^Unknown step copy; svc-download -a ID -d FOLDER downloads /, false],
      ["login", /^Unknown step login; each command logs in by itself/, false],
      ["zzz", "Unknown step zzz", true]
    ] as const) {
      const found = dispatch(entries, [word])
      if (found.kind !== "wrong") return assert.fail(word)
      if (typeof message === "string") assert.strictEqual(found.message, message)
      else assert.match(found.message, message)
      assert.strictEqual(found.text.includes("does download"), list, word)
    }
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
