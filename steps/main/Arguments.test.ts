import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { prepare } from "./Arguments.ts"
import type { Step } from "./Step.ts"

const step: Step = {
  name: "download",
  service: true,
  summary: "",
  examples: [],
  load: () => Promise.reject(new Error("not loaded"))
}
const withOperands: Step = { ...step, operands: { metavar: "ID", help: "", least: 0, most: 9 } }

const argv = (...given: ReadonlyArray<string>) => {
  const prepared = prepare(step, given)
  return prepared.kind === "run" ? prepared.argv : prepared
}
const message = (...given: ReadonlyArray<string>) => {
  const prepared = prepare(step, given)
  return prepared.kind === "wrong" ? prepared.message : null
}

describe("the first look at the arguments", () => {
  it("brings options into one form", () => {
    assert.deepStrictEqual(argv("-t", "x", "--list", "--range=chr1:1-2", "-d=out", "--no-overwrite"), [
      "--target=x",
      "--list",
      "--range=chr1:1-2",
      "--destination=out",
      "--overwrite=false"
    ])
  })

  it("takes several values for a list, as other tools do, where the step has no operands", () => {
    assert.deepStrictEqual(argv("-a", "A1", "A2", "--list", "-F", "a=1"), [
      "--analysisIds=A1",
      "--analysisIds=A2",
      "--list",
      "--filters=a=1"
    ])
    const prepared = prepare(withOperands, ["-a", "A1", "A2"])
    assert.deepStrictEqual(prepared, { kind: "run", argv: ["--analysisIds=A1", "A2"] })
  })

  it("spellings of other tools are errors that name the right one", () => {
    assert.strictEqual(message("-ra", "force"), "-ra is not an option: write --restoreArchived")
    assert.strictEqual(message("-rf", "my.json"), "-rf is not an option: write --restorationFile")
    assert.strictEqual(message("-rad"), "-rad is not an option: write --resumeArchivedDownloads")
    assert.strictEqual(message("-overwrite"), "-overwrite is not an option: write --overwrite")
    assert.strictEqual(message("-RESTOREARCHIVED=all"), "-RESTOREARCHIVED is not an option: write --restoreArchived")
    assert.strictEqual(message("-zz"), "Unknown option -zz; options of several letters begin with two dashes")
  })

  it("a letter with its value attached is an error that does not repeat the value", () => {
    assert.strictEqual(message("-aA1"), "-a and its value must be separate: write -a VALUE or --analysisIds VALUE")
    assert.notInclude(message("-pCANARY") ?? "", "CANARY")
  })

  it("a value must follow its option", () => {
    assert.match(message("--target") ?? "", /^--target needs a value/)
    assert.match(message("-p", "-secret") ?? "", /^-p needs a value; .* --password=VALUE$/)
    assert.deepStrictEqual(argv("--password=-secret=x"), ["--password=-secret=x"])
    assert.deepStrictEqual(argv("--target", "-"), ["--target=-"])
    assert.deepStrictEqual(argv("--target", "-1"), ["--target=-1"])
  })

  it("a password with spaces must be quoted; nothing of it is repeated", () => {
    assert.strictEqual(message("-p", "CANARY", "CANARY"), "The value of -p has spaces: put it into quotes")
    assert.isNull(message("-p", "one two"))
  })

  it("one value for what is no list", () => {
    assert.strictEqual(message("-d", "a", "--destination", "b"), "--destination is given more than once")
    assert.strictEqual(message("--list", "--no-list"), "--list is given more than once")
    assert.isNull(message("-a", "A1", "-a", "A2"))
  })

  it("help and version are found wherever they stand, but not as a value", () => {
    assert.deepStrictEqual(prepare(step, ["-t", "x", "--help", "-ra"]), { kind: "help" })
    assert.deepStrictEqual(prepare(step, ["-v"]), { kind: "version" })
    assert.deepStrictEqual(argv("--target=--help"), ["--target=--help"])
    assert.deepStrictEqual(prepare(withOperands, ["--", "--help"]), { kind: "run", argv: ["--", "--help"] })
  })

  it("words that every JavaScript object knows are words like others", () => {
    assert.deepStrictEqual(argv("toString", "constructor", "__proto__"), ["toString", "constructor", "__proto__"])
  })

  it.prop("never throws and keeps what it does not know", [Schema.Array(Schema.String)], ([words]) => {
    const prepared = prepare(withOperands, words)
    if (prepared.kind !== "run") return
    for (const word of words.filter((word) => !word.startsWith("-"))) {
      assert.isTrue(prepared.argv.some((argument) => argument === word || argument.endsWith(`=${word}`)))
    }
  })
})
